// Three kernels that a user keeps apart.
func.func @main(%x: tensor<4096x1024xf32>) -> tensor<4096x1024xf32> {
  %e = tensor.empty() : tensor<4096x1024xf32>
  %0 = linalg.exp ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %1 = fuse.boundary %0 : tensor<4096x1024xf32>
  %2 = linalg.abs ins(%1 : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %3 = fuse.boundary %2 : tensor<4096x1024xf32>
  %4 = linalg.exp ins(%3 : tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  return %4 : tensor<4096x1024xf32>
}
