// A mark that does not hold: the loop's start is needed after it, and so copied once.
func.func @main(%x: tensor<16x64xf32>, %row: tensor<64xf32>)
    -> (tensor<16x64xf32>, tensor<16x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %y = math.exp %x : tensor<16x64xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %y)
      -> tensor<16x64xf32> {
    %n = tensor.insert_slice %row into %acc[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<16x64xf32>
    scf.yield %n : tensor<16x64xf32>
  }
  %s = math.absf %r : tensor<16x64xf32>
  return %s, %y : tensor<16x64xf32>, tensor<16x64xf32>
}
