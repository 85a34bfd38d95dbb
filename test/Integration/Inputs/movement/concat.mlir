// Nine operands of different sizes beside each other, then a square root.
func.func @main(%a: tensor<256x8xf32>, %b: tensor<256x16xf32>, %c: tensor<256x24xf32>,
                %d: tensor<256x32xf32>, %e: tensor<256x40xf32>, %f: tensor<256x8xf32>,
                %g: tensor<256x64xf32>, %h: tensor<256x48xf32>, %i: tensor<256x16xf32>) -> tensor<256x256xf32> {
  %x = tensor.concat dim(1) %a, %b, %c, %d, %e, %f, %g, %h, %i : (tensor<256x8xf32>, tensor<256x16xf32>, tensor<256x24xf32>, tensor<256x32xf32>, tensor<256x40xf32>, tensor<256x8xf32>, tensor<256x64xf32>, tensor<256x48xf32>, tensor<256x16xf32>) -> tensor<256x256xf32>
  %o = tensor.empty() : tensor<256x256xf32>
  %r = linalg.abs ins(%x : tensor<256x256xf32>) outs(%o : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
