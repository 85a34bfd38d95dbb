// RUN: fuse-opt %s --fuse-outline-groups | FileCheck %s
// RUN: fuse-opt %s --fuse-outline-groups --one-shot-bufferize="bufferize-function-boundaries=true" -o /dev/null

// A group is a private function in destination-passing style with what is
// known about it, called where it stood. The kernel below has its name already.
// CHECK-LABEL: func.func @group
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[S:.*]]: f32)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[D:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[R:.*]] = call @scale_1(%[[X]], %[[S]], %[[D]]) : (tensor<4xf32>, f32, tensor<4xf32>) -> tensor<4xf32>
// CHECK: linalg.abs
// CHECK-LABEL: func.func private @scale_1
// CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: f32, %[[O:.*]]: tensor<4xf32>) -> tensor<4xf32>
// CHECK-SAME: fuse.class = #fuse.class<injective, "by hand">
// CHECK-SAME: fuse.cost = #fuse.cost<{flops = 4 : i64}>
// CHECK: %[[V:.*]] = linalg.generic
// CHECK: %[[M:.*]] = bufferization.materialize_in_destination %[[V]] in %[[O]]
// CHECK: return %[[M]]
func.func @group(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %g = fuse.group "scale" -> (tensor<4xf32>) attributes {
      op_class = #fuse.class<injective, "by hand">,
      cost = #fuse.cost<{flops = 4 : i64}>} {
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
        affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %m = arith.mulf %a, %s : f32
      linalg.yield %m : f32
    } -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  // Outside of groups nothing happens.
  %h = linalg.abs ins(%g : tensor<4xf32>) outs(%e : tensor<4xf32>)
      -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// A kernel brings its schedule.
// CHECK-LABEL: func.func @kernel
// CHECK: call @scale(
// CHECK: func.func private @scale(
// CHECK-SAME: fuse.schedule = #fuse.schedule<pointwise,
func.func @kernel(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.kernel "scale" ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>)
      -> (tensor<4xf32>) attributes {schedule = #fuse.schedule<pointwise,
      rows = 4, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1,
      residency = none, layout = (b, t, p, e) -> (b * 32 + t)>} {
  ^bb0(%a: tensor<4xf32>, %o: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>)
        -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Two matmuls that this code generator would take apart stay together.
// CHECK-LABEL: func.func @whole
// CHECK: call @both(
// CHECK: func.func private @both
// CHECK: linalg.matmul
// CHECK: linalg.matmul
func.func @whole(%x: tensor<8x8xf32>, %f: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %g = fuse.group "both" -> (tensor<8x8xf32>) {
    %0 = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>)
        outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = linalg.matmul ins(%0, %x : tensor<8x8xf32>, tensor<8x8xf32>)
        outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
    fuse.yield %1 : tensor<8x8xf32>
  }
  return %g : tensor<8x8xf32>
}
