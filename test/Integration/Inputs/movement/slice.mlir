// Two slices of rows, the one of the first columns, are multiplied.
func.func @main(%x: tensor<512x512xf16>) -> tensor<512x256xf16> {
  %a = tensor.extract_slice %x[0, 0] [512, 256] [1, 1] : tensor<512x512xf16> to tensor<512x256xf16>
  %b = tensor.extract_slice %x[0, 256] [512, 256] [1, 1] : tensor<512x512xf16> to tensor<512x256xf16>
  %e = tensor.empty() : tensor<512x256xf16>
  %r = linalg.mul ins(%a, %b : tensor<512x256xf16>, tensor<512x256xf16>) outs(%e : tensor<512x256xf16>) -> tensor<512x256xf16>
  return %r : tensor<512x256xf16>
}
