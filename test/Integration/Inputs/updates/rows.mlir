// A loop that computes a row of the result in each trip.
func.func @main(%x: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %e = tensor.empty() : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%acc = %e)
      -> tensor<16x64xf32> {
    %s = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
        : tensor<16x64xf32> to tensor<1x64xf32>
    %t = math.exp %s : tensor<1x64xf32>
    %n = tensor.insert_slice %t into %acc[%i, 0] [1, 64] [1, 1]
        : tensor<1x64xf32> into tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}
