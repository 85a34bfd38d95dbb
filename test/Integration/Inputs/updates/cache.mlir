// Decoding with a cache of keys and values: each trip adds a token's, by heads, so
// that the parts are not neighbours in memory, and reads all of the cache.
func.func @main(%keys: tensor<2x4x32x16xf32>, %values: tensor<2x4x32x16xf32>,
                %x: tensor<2x4x16xf32>)
    -> (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f32
  %r:3 = scf.for %i = %c3 to %c9 step %c1
      iter_args(%k = %keys, %v = %values, %h = %x)
      -> (tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x16xf32>) {
    %a = math.tanh %h : tensor<2x4x16xf32>
    %b = math.sin %h : tensor<2x4x16xf32>
    %kn = tensor.insert_slice %a into %k[0, 0, %i, 0] [2, 4, 1, 16] [1, 1, 1, 1]
        : tensor<2x4x16xf32> into tensor<2x4x32x16xf32>
    %vn = tensor.insert_slice %b into %v[0, 0, %i, 0] [2, 4, 1, 16] [1, 1, 1, 1]
        : tensor<2x4x16xf32> into tensor<2x4x32x16xf32>
    %p = arith.mulf %kn, %vn : tensor<2x4x32x16xf32>
    %e = tensor.empty() : tensor<2x4x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x4x16xf32>)
        -> tensor<2x4x16xf32>
    %s = linalg.reduce { arith.addf } ins(%p : tensor<2x4x32x16xf32>)
        outs(%f : tensor<2x4x16xf32>) dimensions = [2]
    scf.yield %kn, %vn, %s
        : tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x16xf32>
  }
  return %r#0, %r#1, %r#2
      : tensor<2x4x32x16xf32>, tensor<2x4x32x16xf32>, tensor<2x4x16xf32>
}
