#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<8x128x768xf16>, %arg1: tensor<8x1x1x128xf16>, %arg2: tensor<768x768xf16>, %arg3: tensor<768xf16>, %arg4: tensor<768x768xf16>, %arg5: tensor<768xf16>, %arg6: tensor<768x768xf16>, %arg7: tensor<768xf16>, %arg8: tensor<768x768xf16>, %arg9: tensor<768xf16>, %arg10: tensor<768xf16>, %arg11: tensor<768xf16>, %arg12: tensor<3072x768xf16>, %arg13: tensor<3072xf16>, %arg14: tensor<768x3072xf16>, %arg15: tensor<768xf16>, %arg16: tensor<768xf16>, %arg17: tensor<768xf16>) -> tensor<8x128x768xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f16
    %cst_2 = arith.constant 2.000000e+00 : f16
    %cst_3 = arith.constant 5.000000e-01 : f16
    %cst_4 = arith.constant 9.9999999999999998E-13 : f64
    %cst_5 = arith.constant 8.000000e+00 : f16
    %cst_6 = arith.constant 7.680000e+02 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<8x128x768xf16> into tensor<1024x768xf16>
    %0 = tensor.empty() : tensor<768x768xf16>
    %transposed = linalg.transpose ins(%arg2 : tensor<768x768xf16>) outs(%0 : tensor<768x768xf16>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<1024x768xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<1024x768xf16>, tensor<768x768xf16>) outs(%2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %4 = tensor.empty() : tensor<1024x768xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<1024x768xf32>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg3, %5 : tensor<768xf16>, tensor<1024x768xf16>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %expanded = tensor.expand_shape %6 [[0, 1], [2, 3]] output_shape [8, 128, 12, 64] : tensor<1024x768xf16> into tensor<8x128x12x64xf16>
    %7 = tensor.empty() : tensor<8x12x128x64xf16>
    %transposed_7 = linalg.transpose ins(%expanded : tensor<8x128x12x64xf16>) outs(%7 : tensor<8x12x128x64xf16>) permutation = [0, 2, 1, 3]
    %transposed_8 = linalg.transpose ins(%arg4 : tensor<768x768xf16>) outs(%0 : tensor<768x768xf16>) permutation = [1, 0]
    %8 = linalg.matmul ins(%collapsed, %transposed_8 : tensor<1024x768xf16>, tensor<768x768xf16>) outs(%2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<1024x768xf32>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %10 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg5, %9 : tensor<768xf16>, tensor<1024x768xf16>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %expanded_9 = tensor.expand_shape %10 [[0, 1], [2, 3]] output_shape [8, 128, 12, 64] : tensor<1024x768xf16> into tensor<8x128x12x64xf16>
    %transposed_10 = linalg.transpose ins(%arg6 : tensor<768x768xf16>) outs(%0 : tensor<768x768xf16>) permutation = [1, 0]
    %11 = linalg.matmul ins(%collapsed, %transposed_10 : tensor<1024x768xf16>, tensor<768x768xf16>) outs(%2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%11 : tensor<1024x768xf32>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %13 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg7, %12 : tensor<768xf16>, tensor<1024x768xf16>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %expanded_11 = tensor.expand_shape %13 [[0, 1], [2, 3]] output_shape [8, 128, 12, 64] : tensor<1024x768xf16> into tensor<8x128x12x64xf16>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<8x128x12x64xf16>) outs(%7 : tensor<8x12x128x64xf16>) permutation = [0, 2, 1, 3]
    %14 = tensor.empty() : tensor<8x12x64x128xf16>
    %transposed_13 = linalg.transpose ins(%expanded_9 : tensor<8x128x12x64xf16>) outs(%14 : tensor<8x12x64x128xf16>) permutation = [0, 2, 3, 1]
    %collapsed_14 = tensor.collapse_shape %transposed_7 [[0, 1], [2], [3]] : tensor<8x12x128x64xf16> into tensor<96x128x64xf16>
    %collapsed_15 = tensor.collapse_shape %transposed_13 [[0, 1], [2], [3]] : tensor<8x12x64x128xf16> into tensor<96x64x128xf16>
    %15 = tensor.empty() : tensor<96x128x128xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
    %17 = linalg.batch_matmul ins(%collapsed_14, %collapsed_15 : tensor<96x128x64xf16>, tensor<96x64x128xf16>) outs(%16 : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
    %18 = tensor.empty() : tensor<96x128x128xf16>
    %19 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<96x128x128xf32>) outs(%18 : tensor<96x128x128xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<96x128x128xf16>
    %expanded_16 = tensor.expand_shape %19 [[0, 1], [2], [3]] output_shape [8, 12, 128, 128] : tensor<96x128x128xf16> into tensor<8x12x128x128xf16>
    %20 = tensor.empty() : tensor<8x12x128x128xf16>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16 : tensor<8x12x128x128xf16>) outs(%20 : tensor<8x12x128x128xf16>) {
    ^bb0(%in: f16, %out: f16):
      %91 = arith.divf %in, %cst_5 : f16
      linalg.yield %91 : f16
    } -> tensor<8x12x128x128xf16>
    %22 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %arg1 : tensor<8x12x128x128xf16>, tensor<8x1x1x128xf16>) outs(%20 : tensor<8x12x128x128xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<8x12x128x128xf16>
    %23 = tensor.empty() : tensor<8x12x128x128xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<8x12x128x128xf16>) outs(%23 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f16, %out: f32):
      %91 = arith.extf %in : f16 to f32
      linalg.yield %91 : f32
    } -> tensor<8x12x128x128xf32>
    %25 = tensor.empty() : tensor<8x12x128xi64>
    %26 = linalg.fill ins(%c0_i64 : i64) outs(%25 : tensor<8x12x128xi64>) -> tensor<8x12x128xi64>
    %27 = tensor.empty() : tensor<8x12x128xf32>
    %28 = linalg.fill ins(%cst_0 : f32) outs(%27 : tensor<8x12x128xf32>) -> tensor<8x12x128xf32>
    %29:2 = linalg.generic {indexing_maps = [#map3, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%24 : tensor<8x12x128x128xf32>) outs(%28, %26 : tensor<8x12x128xf32>, tensor<8x12x128xi64>) {
    ^bb0(%in: f32, %out: f32, %out_31: i64):
      %91 = linalg.index 3 : index
      %92 = arith.index_cast %91 : index to i64
      %93 = arith.maximumf %in, %out : f32
      %94 = arith.cmpf ogt, %in, %out : f32
      %95 = arith.select %94, %92, %out_31 : i64
      linalg.yield %93, %95 : f32, i64
    } -> (tensor<8x12x128xf32>, tensor<8x12x128xi64>)
    %expanded_17 = tensor.expand_shape %29#0 [[0], [1], [2, 3]] output_shape [8, 12, 128, 1] : tensor<8x12x128xf32> into tensor<8x12x128x1xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %expanded_17 : tensor<8x12x128x128xf32>, tensor<8x12x128x1xf32>) outs(%23 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.subf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x12x128x128xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30 : tensor<8x12x128x128xf32>) outs(%23 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.exp %in : f32
      linalg.yield %91 : f32
    } -> tensor<8x12x128x128xf32>
    %32 = tensor.empty() : tensor<8x12x128x1xf32>
    %33 = linalg.fill ins(%cst : f32) outs(%32 : tensor<8x12x128x1xf32>) -> tensor<8x12x128x1xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map6], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%31 : tensor<8x12x128x128xf32>) outs(%33 : tensor<8x12x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x12x128x1xf32>
    %35 = linalg.generic {indexing_maps = [#map3, #map6, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%31, %34 : tensor<8x12x128x128xf32>, tensor<8x12x128x1xf32>) outs(%23 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.divf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x12x128x128xf32>
    %36 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%35 : tensor<8x12x128x128xf32>) outs(%20 : tensor<8x12x128x128xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<8x12x128x128xf16>
    %collapsed_18 = tensor.collapse_shape %36 [[0, 1], [2], [3]] : tensor<8x12x128x128xf16> into tensor<96x128x128xf16>
    %collapsed_19 = tensor.collapse_shape %transposed_12 [[0, 1], [2], [3]] : tensor<8x12x128x64xf16> into tensor<96x128x64xf16>
    %37 = tensor.empty() : tensor<96x128x64xf32>
    %38 = linalg.fill ins(%cst : f32) outs(%37 : tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
    %39 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<96x128x128xf16>, tensor<96x128x64xf16>) outs(%38 : tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
    %40 = tensor.empty() : tensor<96x128x64xf16>
    %41 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%39 : tensor<96x128x64xf32>) outs(%40 : tensor<96x128x64xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<96x128x64xf16>
    %expanded_20 = tensor.expand_shape %41 [[0, 1], [2], [3]] output_shape [8, 12, 128, 64] : tensor<96x128x64xf16> into tensor<8x12x128x64xf16>
    %42 = tensor.empty() : tensor<8x128x12x64xf16>
    %transposed_21 = linalg.transpose ins(%expanded_20 : tensor<8x12x128x64xf16>) outs(%42 : tensor<8x128x12x64xf16>) permutation = [0, 2, 1, 3]
    %collapsed_22 = tensor.collapse_shape %transposed_21 [[0, 1], [2, 3]] : tensor<8x128x12x64xf16> into tensor<1024x768xf16>
    %transposed_23 = linalg.transpose ins(%arg8 : tensor<768x768xf16>) outs(%0 : tensor<768x768xf16>) permutation = [1, 0]
    %43 = linalg.matmul ins(%collapsed_22, %transposed_23 : tensor<1024x768xf16>, tensor<768x768xf16>) outs(%2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %44 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<1024x768xf32>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %45 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg9, %44 : tensor<768xf16>, tensor<1024x768xf16>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %expanded_24 = tensor.expand_shape %45 [[0, 1], [2]] output_shape [8, 128, 768] : tensor<1024x768xf16> into tensor<8x128x768xf16>
    %46 = tensor.empty() : tensor<8x128x768xf16>
    %47 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_24 : tensor<8x128x768xf16>, tensor<8x128x768xf16>) outs(%46 : tensor<8x128x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<8x128x768xf16>
    %48 = tensor.empty() : tensor<8x128x768xf32>
    %49 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47 : tensor<8x128x768xf16>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f16, %out: f32):
      %91 = arith.extf %in : f16 to f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %50 = tensor.empty() : tensor<8x128x1xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<8x128x1xf32>) -> tensor<8x128x1xf32>
    %52 = linalg.generic {indexing_maps = [#map2, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%49 : tensor<8x128x768xf32>) outs(%51 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %53 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_6 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %54 = linalg.generic {indexing_maps = [#map2, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49, %53 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.subf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %55 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %54 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.mulf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %56 = linalg.generic {indexing_maps = [#map2, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<8x128x768xf32>) outs(%51 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %57 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_6 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %58 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.truncf %cst_4 : f64 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x128x1xf32>
    %59 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.rsqrt %in : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %60 = linalg.generic {indexing_maps = [#map2, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %59 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.mulf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %61 = linalg.generic {indexing_maps = [#map2, #map8, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %arg10 : tensor<8x128x768xf32>, tensor<768xf16>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f16, %out: f32):
      %91 = arith.extf %in_31 : f16 to f32
      %92 = arith.mulf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x128x768xf32>
    %62 = linalg.generic {indexing_maps = [#map2, #map8, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %arg11 : tensor<8x128x768xf32>, tensor<768xf16>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f16, %out: f32):
      %91 = arith.extf %in_31 : f16 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x128x768xf32>
    %63 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<8x128x768xf32>) outs(%46 : tensor<8x128x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<8x128x768xf16>
    %collapsed_25 = tensor.collapse_shape %63 [[0, 1], [2]] : tensor<8x128x768xf16> into tensor<1024x768xf16>
    %64 = tensor.empty() : tensor<768x3072xf16>
    %transposed_26 = linalg.transpose ins(%arg12 : tensor<3072x768xf16>) outs(%64 : tensor<768x3072xf16>) permutation = [1, 0]
    %65 = tensor.empty() : tensor<1024x3072xf32>
    %66 = linalg.fill ins(%cst : f32) outs(%65 : tensor<1024x3072xf32>) -> tensor<1024x3072xf32>
    %67 = linalg.matmul ins(%collapsed_25, %transposed_26 : tensor<1024x768xf16>, tensor<768x3072xf16>) outs(%66 : tensor<1024x3072xf32>) -> tensor<1024x3072xf32>
    %68 = tensor.empty() : tensor<1024x3072xf16>
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<1024x3072xf32>) outs(%68 : tensor<1024x3072xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<1024x3072xf16>
    %70 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg13, %69 : tensor<3072xf16>, tensor<1024x3072xf16>) outs(%68 : tensor<1024x3072xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<1024x3072xf16>
    %expanded_27 = tensor.expand_shape %70 [[0, 1], [2]] output_shape [8, 128, 3072] : tensor<1024x3072xf16> into tensor<8x128x3072xf16>
    %71 = tensor.empty() : tensor<8x128x3072xf16>
    %72 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_27 : tensor<8x128x3072xf16>) outs(%71 : tensor<8x128x3072xf16>) {
    ^bb0(%in: f16, %out: f16):
      %91 = math.sqrt %cst_2 : f16
      %92 = arith.divf %in, %91 : f16
      %93 = math.erf %92 : f16
      %94 = arith.addf %93, %cst_1 : f16
      %95 = arith.mulf %94, %cst_3 : f16
      %96 = arith.mulf %in, %95 : f16
      linalg.yield %96 : f16
    } -> tensor<8x128x3072xf16>
    %collapsed_28 = tensor.collapse_shape %72 [[0, 1], [2]] : tensor<8x128x3072xf16> into tensor<1024x3072xf16>
    %73 = tensor.empty() : tensor<3072x768xf16>
    %transposed_29 = linalg.transpose ins(%arg14 : tensor<768x3072xf16>) outs(%73 : tensor<3072x768xf16>) permutation = [1, 0]
    %74 = linalg.matmul ins(%collapsed_28, %transposed_29 : tensor<1024x3072xf16>, tensor<3072x768xf16>) outs(%2 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%74 : tensor<1024x768xf32>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %76 = linalg.generic {indexing_maps = [#map1, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg15, %75 : tensor<768xf16>, tensor<1024x768xf16>) outs(%4 : tensor<1024x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<1024x768xf16>
    %expanded_30 = tensor.expand_shape %76 [[0, 1], [2]] output_shape [8, 128, 768] : tensor<1024x768xf16> into tensor<8x128x768xf16>
    %77 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63, %expanded_30 : tensor<8x128x768xf16>, tensor<8x128x768xf16>) outs(%46 : tensor<8x128x768xf16>) {
    ^bb0(%in: f16, %in_31: f16, %out: f16):
      %91 = arith.addf %in, %in_31 : f16
      linalg.yield %91 : f16
    } -> tensor<8x128x768xf16>
    %78 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<8x128x768xf16>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f16, %out: f32):
      %91 = arith.extf %in : f16 to f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %79 = linalg.generic {indexing_maps = [#map2, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%78 : tensor<8x128x768xf32>) outs(%51 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %80 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%79 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_6 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %81 = linalg.generic {indexing_maps = [#map2, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %80 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.subf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %82 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81, %81 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.mulf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %83 = linalg.generic {indexing_maps = [#map2, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%82 : tensor<8x128x768xf32>) outs(%51 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.addf %in, %out : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %84 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%83 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.divf %in, %cst_6 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %85 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = arith.truncf %cst_4 : f64 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x128x1xf32>
    %86 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<8x128x1xf32>) outs(%50 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %91 = math.rsqrt %in : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x1xf32>
    %87 = linalg.generic {indexing_maps = [#map2, #map7, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81, %86 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %91 = arith.mulf %in, %in_31 : f32
      linalg.yield %91 : f32
    } -> tensor<8x128x768xf32>
    %88 = linalg.generic {indexing_maps = [#map2, #map8, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87, %arg16 : tensor<8x128x768xf32>, tensor<768xf16>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f16, %out: f32):
      %91 = arith.extf %in_31 : f16 to f32
      %92 = arith.mulf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x128x768xf32>
    %89 = linalg.generic {indexing_maps = [#map2, #map8, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88, %arg17 : tensor<8x128x768xf32>, tensor<768xf16>) outs(%48 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_31: f16, %out: f32):
      %91 = arith.extf %in_31 : f16 to f32
      %92 = arith.addf %in, %91 : f32
      linalg.yield %92 : f32
    } -> tensor<8x128x768xf32>
    %90 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<8x128x768xf32>) outs(%46 : tensor<8x128x768xf16>) {
    ^bb0(%in: f32, %out: f16):
      %91 = arith.truncf %in : f32 to f16
      linalg.yield %91 : f16
    } -> tensor<8x128x768xf16>
    return %90 : tensor<8x128x768xf16>
  }
}
