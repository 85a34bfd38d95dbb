// Sums of the diagonals of matrices.
func.func @main(%a0: tensor<40x9x9xf32>) -> (tensor<40xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<40xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<40xf32>) -> tensor<40xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<40x9x9xf32>) outs(%v3 : tensor<40xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %z = arith.addf %o0, %i0 : f32
    linalg.yield %z : f32
  } -> tensor<40xf32>
  return %v4 : tensor<40xf32>
}
