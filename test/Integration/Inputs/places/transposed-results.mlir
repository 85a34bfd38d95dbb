// Sums over the middle dimension; what is made of them is stored transposed.
func.func @main(%a0: tensor<6x9x40xf32>, %a1: tensor<40xf32>) -> (tensor<40x6xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<6x40xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<6x40xf32>) -> tensor<6x40xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%a0 : tensor<6x9x40xf32>) outs(%v3 : tensor<6x40xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %z = arith.addf %o0, %i0 : f32
    linalg.yield %z : f32
  } -> tensor<6x40xf32>
  %v5 = tensor.empty() : tensor<40x6xf32>
  %v6 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} ins(%v4, %a1 : tensor<6x40xf32>, tensor<40xf32>) outs(%v5 : tensor<40x6xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %r = arith.mulf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<40x6xf32>
  return %v6 : tensor<40x6xf32>
}
