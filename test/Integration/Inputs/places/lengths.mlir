// Total variation: two reductions of different lengths over one tensor.
func.func @main(%a0: tensor<40x3x7x9xf32>) -> (tensor<40xf32>) {
  %v1 = tensor.extract_slice %a0[0, 0, 1, 0] [40, 3, 6, 9] [1, 1, 1, 1] : tensor<40x3x7x9xf32> to tensor<40x3x6x9xf32>
  %v2 = tensor.extract_slice %a0[0, 0, 0, 0] [40, 3, 6, 9] [1, 1, 1, 1] : tensor<40x3x7x9xf32> to tensor<40x3x6x9xf32>
  %v3 = tensor.extract_slice %a0[0, 0, 0, 1] [40, 3, 7, 8] [1, 1, 1, 1] : tensor<40x3x7x9xf32> to tensor<40x3x7x8xf32>
  %v4 = tensor.extract_slice %a0[0, 0, 0, 0] [40, 3, 7, 8] [1, 1, 1, 1] : tensor<40x3x7x9xf32> to tensor<40x3x7x8xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<40xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<40xf32>) -> tensor<40xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%v1, %v2 : tensor<40x3x6x9xf32>, tensor<40x3x6x9xf32>) outs(%v7 : tensor<40xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.absf %d : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<40xf32>
  %v9 = arith.constant 0.0 : f32
  %v10 = tensor.empty() : tensor<40xf32>
  %v11 = linalg.fill ins(%v9 : f32) outs(%v10 : tensor<40xf32>) -> tensor<40xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction", "reduction"]} ins(%v3, %v4 : tensor<40x3x7x8xf32>, tensor<40x3x7x8xf32>) outs(%v11 : tensor<40xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.absf %d : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<40xf32>
  %v13 = tensor.empty() : tensor<40xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%v8, %v12 : tensor<40xf32>, tensor<40xf32>) outs(%v13 : tensor<40xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %r = arith.addf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<40xf32>
  return %v14 : tensor<40xf32>
}
