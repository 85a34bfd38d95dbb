// Every fourth element of each row.
func.func @main(%a0: tensor<40x64xf32>) -> (tensor<40xf32>) {
  %v1 = tensor.extract_slice %a0[0, 1] [40, 16] [1, 4] : tensor<40x64xf32> to tensor<40x16xf32>
  %v2 = arith.constant 0.0 : f32
  %v3 = tensor.empty() : tensor<40xf32>
  %v4 = linalg.fill ins(%v2 : f32) outs(%v3 : tensor<40xf32>) -> tensor<40xf32>
  %v5 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v1 : tensor<40x16xf32>) outs(%v4 : tensor<40xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %z = arith.addf %o0, %i0 : f32
    linalg.yield %z : f32
  } -> tensor<40xf32>
  return %v5 : tensor<40xf32>
}
