// Rows of an embedding, and positions added to them.
func.func @main(%table: tensor<1000x256xf32>, %ids: tensor<2x512xi64>, %p: tensor<512x256xf32>) -> tensor<2x512x256xf32> {
  %e = tensor.empty() : tensor<2x512x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (i, j)>, affine_map<(b, i, j) -> (b, i, j)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%ids, %p : tensor<2x512xi64>, tensor<512x256xf32>) outs(%e : tensor<2x512x256xf32>) {
  ^bb0(%id: i64, %q: f32, %o: f32):
    %k = arith.index_cast %id : i64 to index
    %j = linalg.index 2 : index
    %v = tensor.extract %table[%k, %j] : tensor<1000x256xf32>
    %s = arith.addf %v, %q : f32
    linalg.yield %s : f32
  } -> tensor<2x512x256xf32>
  return %r : tensor<2x512x256xf32>
}
