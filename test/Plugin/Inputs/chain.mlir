func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %0 = linalg.exp ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>)
      -> tensor<1024xf32>
  %1 = linalg.abs ins(%0 : tensor<1024xf32>) outs(%e : tensor<1024xf32>)
      -> tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
