// Row i from row i - 1 of the tensor that it is inserted into.
func.func @main(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %r = scf.for %i = %c1 to %c16 step %c1 iter_args(%acc = %x)
      -> tensor<16x64xf32> {
    %j = arith.subi %i, %c1 : index
    %a = tensor.extract_slice %acc[%j, 0] [1, 64] [1, 1]
        : tensor<16x64xf32> to tensor<1x64xf32>
    %b = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
        : tensor<16x64xf32> to tensor<1x64xf32>
    %t = arith.addf %a, %b : tensor<1x64xf32>
    %n = tensor.insert_slice %t into %acc[%i, 0] [1, 64] [1, 1]
        : tensor<1x64xf32> into tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}
