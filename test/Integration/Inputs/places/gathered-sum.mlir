// Sums of rows of a table that the data choose.
func.func @main(%a0: tensor<40x7xi32>, %a1: tensor<100x24xf32>) -> (tensor<40x24xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<40x24xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<40x24xf32>) -> tensor<40x24xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a0 : tensor<40x7xi32>) outs(%v3 : tensor<40x24xf32>) {
  ^bb0(%i0: i32, %o0: f32):
    %n = arith.constant 100 : i32
    %ri = arith.remui %i0, %n : i32
    %ii = arith.index_cast %ri : i32 to index
    %j = linalg.index 1 : index
    %r = tensor.extract %a1[%ii, %j] : tensor<100x24xf32>
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<40x24xf32>
  return %v4 : tensor<40x24xf32>
}
