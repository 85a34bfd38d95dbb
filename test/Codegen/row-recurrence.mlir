// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// Sums of the states of a recurrence over rows of four elements. All elements of
// a sum come before those of the next one, so that only one state is alive at a
// time, not all states of the places that are still to come.
// CHECK-LABEL: gpu.func @states
// CHECK-NOT:     arith.mulf
// CHECK-COUNT-4: math.exp
// CHECK-NOT:     math.exp
// CHECK-COUNT-4: arith.mulf
// CHECK-NOT:     arith.mulf
// CHECK:         gpu.return
func.func @states(%x: tensor<512x4xf32>, %y: tensor<512x4xf32>, %e: tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %r:2 = fuse.kernel "states" ins(%x, %y : tensor<512x4xf32>, tensor<512x4xf32>) outs(%e, %e : tensor<512xf32>, tensor<512xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  ^bb0(%a: tensor<512x4xf32>, %b: tensor<512x4xf32>, %o: tensor<512xf32>, %p: tensor<512xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<512x4xf32>
    %1 = tensor.empty() : tensor<512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%1 : tensor<512xf32>) -> tensor<512xf32>
    %s = linalg.exp ins(%a : tensor<512x4xf32>) outs(%0 : tensor<512x4xf32>) -> tensor<512x4xf32>
    %u = linalg.reduce { arith.addf } ins(%s : tensor<512x4xf32>) outs(%f : tensor<512xf32>) dimensions = [1]
    %t = linalg.mul ins(%s, %b : tensor<512x4xf32>, tensor<512x4xf32>) outs(%0 : tensor<512x4xf32>) -> tensor<512x4xf32>
    %v = linalg.reduce { arith.addf } ins(%t : tensor<512x4xf32>) outs(%f : tensor<512xf32>) dimensions = [1]
    fuse.yield %u, %v : tensor<512xf32>, tensor<512xf32>
  }
  return %r#0, %r#1 : tensor<512xf32>, tensor<512xf32>
}
