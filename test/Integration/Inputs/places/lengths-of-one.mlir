// The same of all elements.
func.func @main(%a0: tensor<2x3x17x19xf32>) -> (tensor<f32>) {
  %v1 = tensor.extract_slice %a0[0, 0, 1, 0] [2, 3, 16, 19] [1, 1, 1, 1] : tensor<2x3x17x19xf32> to tensor<2x3x16x19xf32>
  %v2 = tensor.extract_slice %a0[0, 0, 0, 0] [2, 3, 16, 19] [1, 1, 1, 1] : tensor<2x3x17x19xf32> to tensor<2x3x16x19xf32>
  %v3 = tensor.extract_slice %a0[0, 0, 0, 1] [2, 3, 17, 18] [1, 1, 1, 1] : tensor<2x3x17x19xf32> to tensor<2x3x17x18xf32>
  %v4 = tensor.extract_slice %a0[0, 0, 0, 0] [2, 3, 17, 18] [1, 1, 1, 1] : tensor<2x3x17x19xf32> to tensor<2x3x17x18xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<f32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<f32>) -> tensor<f32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%v1, %v2 : tensor<2x3x16x19xf32>, tensor<2x3x16x19xf32>) outs(%v7 : tensor<f32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.absf %d : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  %v9 = arith.constant 0.0 : f32
  %v10 = tensor.empty() : tensor<f32>
  %v11 = linalg.fill ins(%v9 : f32) outs(%v10 : tensor<f32>) -> tensor<f32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> ()>], iterator_types = ["reduction", "reduction", "reduction", "reduction"]} ins(%v3, %v4 : tensor<2x3x17x18xf32>, tensor<2x3x17x18xf32>) outs(%v11 : tensor<f32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %d = arith.subf %i0, %i1 : f32
    %r = math.absf %d : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<f32>
  %v13 = tensor.empty() : tensor<f32>
  %v14 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%v8, %v12 : tensor<f32>, tensor<f32>) outs(%v13 : tensor<f32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %r = arith.addf %i0, %i1 : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  return %v14 : tensor<f32>
}
