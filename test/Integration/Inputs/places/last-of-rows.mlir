// Of the elements whose condition holds the last one of a row is kept, by blocks that
// share it.
func.func @main(%a0: tensor<3x100000xf32>, %a1: tensor<3x100000xf32>, %a2: tensor<3xf32>) -> (tensor<3xf32>) {
  %v1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0, %a1 : tensor<3x100000xf32>, tensor<3x100000xf32>) outs(%a2 : tensor<3xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %z = arith.constant 1.0 : f32
    %c = arith.cmpf ogt, %i0, %z : f32
    %r = arith.select %c, %i1, %o0 : f32
    linalg.yield %r : f32
  } -> tensor<3xf32>
  return %v1 : tensor<3xf32>
}
