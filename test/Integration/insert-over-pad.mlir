// RUN: fuse-run %s | FileCheck %s

// Four lanes ask together whether a row was inserted: `d0 - 1` is 0. That says
// nothing about `d0`, which a moment later decides what the pad has there, though
// the two differ by less than the lanes are wide.

// CHECK: main_0_pad box
// CHECK: kernels {{.*}} -> 1
// CHECK: verified {{ *}}yes
func.func @main(%a: tensor<1x5x9x1xf32>, %b: tensor<1x2x9x4xf32>)
    -> tensor<2x8x9x4xf32> {
  %one = arith.constant 1.0 : f32
  %padded = tensor.pad %a low[0, 2, 0, 0] high[1, 1, 0, 3] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %one : f32
  } : tensor<1x5x9x1xf32> to tensor<2x8x9x4xf32>
  %r = tensor.insert_slice %b into %padded[1, 4, 0, 0] [1, 2, 9, 4] [1, 1, 1, 1]
      : tensor<1x2x9x4xf32> into tensor<2x8x9x4xf32>
  return %r : tensor<2x8x9x4xf32>
}
