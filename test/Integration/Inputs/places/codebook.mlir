// The nearest of some vectors: sums of squares, products, and the place of the
// least distance.
func.func @main(%a0: tensor<60x8xf32>, %a1: tensor<24x8xf32>) -> (tensor<60xi32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<60xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<60xf32>) -> tensor<60xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<60x8xf32>) outs(%v3 : tensor<60xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %r = arith.mulf %i0, %i0 : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<60xf32>
  %v5 = arith.constant 0.0 : f32
  %v6 = tensor.empty() : tensor<24xf32>
  %v7 = linalg.fill ins(%v5 : f32) outs(%v6 : tensor<24xf32>) -> tensor<24xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%a1 : tensor<24x8xf32>) outs(%v7 : tensor<24xf32>) {
  ^bb0(%i0: f32, %o0: f32):
    %r = arith.mulf %i0, %i0 : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<24xf32>
  %v9 = arith.constant 0.0 : f32
  %v10 = tensor.empty() : tensor<60x24xf32>
  %v11 = linalg.fill ins(%v9 : f32) outs(%v10 : tensor<60x24xf32>) -> tensor<60x24xf32>
  %v12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<60x8xf32>, tensor<24x8xf32>) outs(%v11 : tensor<60x24xf32>) {
  ^bb0(%i0: f32, %i1: f32, %o0: f32):
    %r = arith.mulf %i0, %i1 : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<60x24xf32>
  %v13 = tensor.empty() : tensor<60x24xf32>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v4, %v8, %v12 : tensor<60xf32>, tensor<24xf32>, tensor<60x24xf32>) outs(%v13 : tensor<60x24xf32>) {
  ^bb0(%i0: f32, %i1: f32, %i2: f32, %o0: f32):
    %t = arith.constant 2.0 : f32
    %s = arith.addf %i0, %i1 : f32
    %m = arith.mulf %t, %i2 : f32
    %r = arith.subf %s, %m : f32
    linalg.yield %r : f32
  } -> tensor<60x24xf32>
  %v15 = arith.constant 0x7F800000 : f32
  %v16 = tensor.empty() : tensor<60xf32>
  %v17 = linalg.fill ins(%v15 : f32) outs(%v16 : tensor<60xf32>) -> tensor<60xf32>
  %v18 = arith.constant 0 : i32
  %v19 = tensor.empty() : tensor<60xi32>
  %v20 = linalg.fill ins(%v18 : i32) outs(%v19 : tensor<60xi32>) -> tensor<60xi32>
  %v21:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%v14 : tensor<60x24xf32>) outs(%v17, %v20 : tensor<60xf32>, tensor<60xi32>) {
  ^bb0(%i0: f32, %o0: f32, %o1: i32):
    %x = linalg.index 1 : index
    %ix = arith.index_cast %x : index to i32
    %c = arith.cmpf olt, %i0, %o0 : f32
    %m = arith.select %c, %i0, %o0 : f32
    %k = arith.select %c, %ix, %o1 : i32
    linalg.yield %m, %k : f32, i32
  } -> (tensor<60xf32>, tensor<60xi32>)
  return %v21#1 : tensor<60xi32>
}
