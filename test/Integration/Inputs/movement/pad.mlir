// A border of zeros around an image of whole sectors; then an addition.
func.func @main(%x: tensor<16x62x64xf32>, %y: tensor<16x64x64xf32>) -> tensor<16x64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32
  } : tensor<16x62x64xf32> to tensor<16x64x64xf32>
  %e = tensor.empty() : tensor<16x64x64xf32>
  %r = linalg.add ins(%p, %y : tensor<16x64x64xf32>, tensor<16x64x64xf32>) outs(%e : tensor<16x64x64xf32>) -> tensor<16x64x64xf32>
  return %r : tensor<16x64x64xf32>
}
