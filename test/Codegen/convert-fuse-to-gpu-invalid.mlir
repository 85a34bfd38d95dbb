// RUN: fuse-opt %s --split-input-file --verify-diagnostics --convert-fuse-to-gpu

func.func @unscheduled(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a schedule, but got none}}
  %r = fuse.kernel "k" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @other_space(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected a schedule for path pointwise and 8 x 1 elements, but got pointwise and 16 x 1}}
  %r = fuse.kernel "k" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>) attributes {
      schedule = #fuse.schedule<pointwise, rows = 16, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1, residency = none, layout = (b, t, p, e) -> (b * 32 + t)>} {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %1 = linalg.exp ins(%a : tensor<8xf32>) outs(%o : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @odd_type(%x: tensor<8xi4>, %e: tensor<8xi4>) -> tensor<8xi4> {
  // expected-error @below {{expected elements of whole bytes, but got 'tensor<8xi4>'}}
  %r = fuse.kernel "k" ins(%x : tensor<8xi4>) outs(%e : tensor<8xi4>) -> (tensor<8xi4>) {
  ^bb0(%a: tensor<8xi4>, %o: tensor<8xi4>):
    %1 = linalg.add ins(%a, %a : tensor<8xi4>, tensor<8xi4>) outs(%o : tensor<8xi4>) -> tensor<8xi4>
    fuse.yield %1 : tensor<8xi4>
  }
  return %r : tensor<8xi4>
}
