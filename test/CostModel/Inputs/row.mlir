// A row kernel and, behind a call, an element-wise one.
func.func private @sort(tensor<64x300xf32>) -> tensor<64x300xf32>
func.func @main(%x: tensor<64x300xf32>) -> tensor<64x300xf32> {
  %e = tensor.empty() : tensor<64x300xf32>
  %r = tensor.empty() : tensor<64xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce ins(%x : tensor<64x300xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    (%in: f32, %out: f32) {
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  %wide = linalg.broadcast ins(%sum : tensor<64xf32>) outs(%e : tensor<64x300xf32>) dimensions = [1]
  %part = linalg.div ins(%x, %wide : tensor<64x300xf32>, tensor<64x300xf32>) outs(%e : tensor<64x300xf32>) -> tensor<64x300xf32>
  %sorted = func.call @sort(%part) : (tensor<64x300xf32>) -> tensor<64x300xf32>
  %exp = linalg.exp ins(%sorted : tensor<64x300xf32>) outs(%e : tensor<64x300xf32>) -> tensor<64x300xf32>
  return %exp : tensor<64x300xf32>
}
