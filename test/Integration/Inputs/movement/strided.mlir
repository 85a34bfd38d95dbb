// Even and odd columns: a sector is asked for by both, and no oftener.
func.func @main(%x: tensor<512x512xf32>) -> tensor<512x256xf32> {
  %a = tensor.extract_slice %x[0, 0] [512, 256] [1, 2] : tensor<512x512xf32> to tensor<512x256xf32>
  %b = tensor.extract_slice %x[0, 1] [512, 256] [1, 2] : tensor<512x512xf32> to tensor<512x256xf32>
  %e = tensor.empty() : tensor<512x256xf32>
  %r = linalg.mul ins(%a, %b : tensor<512x256xf32>, tensor<512x256xf32>) outs(%e : tensor<512x256xf32>) -> tensor<512x256xf32>
  return %r : tensor<512x256xf32>
}
