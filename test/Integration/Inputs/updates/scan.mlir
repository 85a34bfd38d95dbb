// Running sums along the first axis: the loop carries the sum and the result.
func.func @main(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x64xf32>
  %e = tensor.empty(%n) : tensor<?x64xf32>
  %se = tensor.empty() : tensor<64xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%se : tensor<64xf32>)
      -> tensor<64xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %e, %sum = %s0)
      -> (tensor<?x64xf32>, tensor<64xf32>) {
    %s = tensor.extract_slice %x[%i, 0] [1, 64] [1, 1]
        : tensor<?x64xf32> to tensor<64xf32>
    %t = arith.addf %s, %sum : tensor<64xf32>
    %u = tensor.insert_slice %t into %acc[%i, 0] [1, 64] [1, 1]
        : tensor<64xf32> into tensor<?x64xf32>
    scf.yield %u, %t : tensor<?x64xf32>, tensor<64xf32>
  }
  return %r#0 : tensor<?x64xf32>
}
