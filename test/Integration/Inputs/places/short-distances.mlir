// Distances of all pairs of short vectors.
func.func @main(%a0: tensor<40x3xf32>, %a1: tensor<30x3xf32>) -> (tensor<40x30xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<40x30xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<40x30xf32>) -> tensor<40x30xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<40x3xf32>, tensor<30x3xf32>) outs(%v3 : tensor<40x30xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.absf %d : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<40x30xf32>
  return %v4 : tensor<40x30xf32>
}
