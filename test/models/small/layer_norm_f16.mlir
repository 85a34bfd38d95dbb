#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<3x13x75xf16>, %arg1: tensor<75xf16>, %arg2: tensor<75xf16>) -> tensor<3x13x75xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-05 : f64
    %cst_1 = arith.constant 7.500000e+01 : f32
    %0 = tensor.empty() : tensor<3x13x75xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<3x13x75xf16>) outs(%0 : tensor<3x13x75xf32>) {
    ^bb0(%in: f16, %out: f32):
      %17 = arith.extf %in : f16 to f32
      linalg.yield %17 : f32
    } -> tensor<3x13x75xf32>
    %2 = tensor.empty() : tensor<3x13x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<3x13x1xf32>) -> tensor<3x13x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<3x13x75xf32>) outs(%3 : tensor<3x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.addf %in, %out : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<3x13x1xf32>) outs(%2 : tensor<3x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.divf %in, %cst_1 : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %5 : tensor<3x13x75xf32>, tensor<3x13x1xf32>) outs(%0 : tensor<3x13x75xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.subf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x75xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<3x13x75xf32>, tensor<3x13x75xf32>) outs(%0 : tensor<3x13x75xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.mulf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x75xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<3x13x75xf32>) outs(%3 : tensor<3x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.addf %in, %out : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<3x13x1xf32>) outs(%2 : tensor<3x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.divf %in, %cst_1 : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<3x13x1xf32>) outs(%2 : tensor<3x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = arith.truncf %cst_0 : f64 to f32
      %18 = arith.addf %in, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<3x13x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10 : tensor<3x13x1xf32>) outs(%2 : tensor<3x13x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %17 = math.rsqrt %in : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x1xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %11 : tensor<3x13x75xf32>, tensor<3x13x1xf32>) outs(%0 : tensor<3x13x75xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %17 = arith.mulf %in, %in_2 : f32
      linalg.yield %17 : f32
    } -> tensor<3x13x75xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %arg1 : tensor<3x13x75xf32>, tensor<75xf16>) outs(%0 : tensor<3x13x75xf32>) {
    ^bb0(%in: f32, %in_2: f16, %out: f32):
      %17 = arith.extf %in_2 : f16 to f32
      %18 = arith.mulf %in, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<3x13x75xf32>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %arg2 : tensor<3x13x75xf32>, tensor<75xf16>) outs(%0 : tensor<3x13x75xf32>) {
    ^bb0(%in: f32, %in_2: f16, %out: f32):
      %17 = arith.extf %in_2 : f16 to f32
      %18 = arith.addf %in, %17 : f32
      linalg.yield %18 : f32
    } -> tensor<3x13x75xf32>
    %15 = tensor.empty() : tensor<3x13x75xf16>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<3x13x75xf32>) outs(%15 : tensor<3x13x75xf16>) {
    ^bb0(%in: f32, %out: f16):
      %17 = arith.truncf %in : f32 to f16
      linalg.yield %17 : f16
    } -> tensor<3x13x75xf16>
    return %16 : tensor<3x13x75xf16>
  }
}
