#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, 0, 0, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map6 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map7 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map8 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<2x19x36xf32>, %arg1: tensor<2x1x1x19xf32>, %arg2: tensor<36x36xf32>, %arg3: tensor<36xf32>, %arg4: tensor<36x36xf32>, %arg5: tensor<36xf32>, %arg6: tensor<36x36xf32>, %arg7: tensor<36xf32>, %arg8: tensor<36x36xf32>, %arg9: tensor<36xf32>, %arg10: tensor<36xf32>, %arg11: tensor<36xf32>, %arg12: tensor<100x36xf32>, %arg13: tensor<100xf32>, %arg14: tensor<36x100xf32>, %arg15: tensor<36xf32>, %arg16: tensor<36xf32>, %arg17: tensor<36xf32>) -> tensor<2x19x36xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %c0_i64 = arith.constant 0 : i64
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 5.000000e-01 : f32
    %cst_3 = arith.constant 9.9999999999999998E-13 : f64
    %cst_4 = arith.constant 3.4641016151377544 : f64
    %cst_5 = arith.constant 3.600000e+01 : f32
    %cst_6 = arith.constant 1.41421354 : f32
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x19x36xf32> into tensor<38x36xf32>
    %0 = tensor.empty() : tensor<36x36xf32>
    %transposed = linalg.transpose ins(%arg2 : tensor<36x36xf32>) outs(%0 : tensor<36x36xf32>) permutation = [1, 0]
    %1 = tensor.empty() : tensor<38x36xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%1 : tensor<38x36xf32>) -> tensor<38x36xf32>
    %3 = linalg.matmul ins(%collapsed, %transposed : tensor<38x36xf32>, tensor<36x36xf32>) outs(%2 : tensor<38x36xf32>) -> tensor<38x36xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg3, %3 : tensor<36xf32>, tensor<38x36xf32>) outs(%1 : tensor<38x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<38x36xf32>
    %expanded = tensor.expand_shape %4 [[0, 1], [2, 3]] output_shape [2, 19, 3, 12] : tensor<38x36xf32> into tensor<2x19x3x12xf32>
    %5 = tensor.empty() : tensor<2x3x19x12xf32>
    %transposed_7 = linalg.transpose ins(%expanded : tensor<2x19x3x12xf32>) outs(%5 : tensor<2x3x19x12xf32>) permutation = [0, 2, 1, 3]
    %transposed_8 = linalg.transpose ins(%arg4 : tensor<36x36xf32>) outs(%0 : tensor<36x36xf32>) permutation = [1, 0]
    %6 = linalg.matmul ins(%collapsed, %transposed_8 : tensor<38x36xf32>, tensor<36x36xf32>) outs(%2 : tensor<38x36xf32>) -> tensor<38x36xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg5, %6 : tensor<36xf32>, tensor<38x36xf32>) outs(%1 : tensor<38x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<38x36xf32>
    %expanded_9 = tensor.expand_shape %7 [[0, 1], [2, 3]] output_shape [2, 19, 3, 12] : tensor<38x36xf32> into tensor<2x19x3x12xf32>
    %transposed_10 = linalg.transpose ins(%arg6 : tensor<36x36xf32>) outs(%0 : tensor<36x36xf32>) permutation = [1, 0]
    %8 = linalg.matmul ins(%collapsed, %transposed_10 : tensor<38x36xf32>, tensor<36x36xf32>) outs(%2 : tensor<38x36xf32>) -> tensor<38x36xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7, %8 : tensor<36xf32>, tensor<38x36xf32>) outs(%1 : tensor<38x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<38x36xf32>
    %expanded_11 = tensor.expand_shape %9 [[0, 1], [2, 3]] output_shape [2, 19, 3, 12] : tensor<38x36xf32> into tensor<2x19x3x12xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<2x19x3x12xf32>) outs(%5 : tensor<2x3x19x12xf32>) permutation = [0, 2, 1, 3]
    %10 = tensor.empty() : tensor<2x3x12x19xf32>
    %transposed_13 = linalg.transpose ins(%expanded_9 : tensor<2x19x3x12xf32>) outs(%10 : tensor<2x3x12x19xf32>) permutation = [0, 2, 3, 1]
    %collapsed_14 = tensor.collapse_shape %transposed_7 [[0, 1], [2], [3]] : tensor<2x3x19x12xf32> into tensor<6x19x12xf32>
    %collapsed_15 = tensor.collapse_shape %transposed_13 [[0, 1], [2], [3]] : tensor<2x3x12x19xf32> into tensor<6x12x19xf32>
    %11 = tensor.empty() : tensor<6x19x19xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<6x19x19xf32>) -> tensor<6x19x19xf32>
    %13 = linalg.batch_matmul ins(%collapsed_14, %collapsed_15 : tensor<6x19x12xf32>, tensor<6x12x19xf32>) outs(%12 : tensor<6x19x19xf32>) -> tensor<6x19x19xf32>
    %expanded_16 = tensor.expand_shape %13 [[0, 1], [2], [3]] output_shape [2, 3, 19, 19] : tensor<6x19x19xf32> into tensor<2x3x19x19xf32>
    %14 = tensor.empty() : tensor<2x3x19x19xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_16 : tensor<2x3x19x19xf32>) outs(%14 : tensor<2x3x19x19xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.truncf %cst_4 : f64 to f32
      %72 = arith.divf %in, %71 : f32
      linalg.yield %72 : f32
    } -> tensor<2x3x19x19xf32>
    %16 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %arg1 : tensor<2x3x19x19xf32>, tensor<2x1x1x19xf32>) outs(%14 : tensor<2x3x19x19xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x3x19x19xf32>
    %17 = tensor.empty() : tensor<2x3x19xi64>
    %18 = linalg.fill ins(%c0_i64 : i64) outs(%17 : tensor<2x3x19xi64>) -> tensor<2x3x19xi64>
    %19 = tensor.empty() : tensor<2x3x19xf32>
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<2x3x19xf32>) -> tensor<2x3x19xf32>
    %21:2 = linalg.generic {indexing_maps = [#map2, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%16 : tensor<2x3x19x19xf32>) outs(%20, %18 : tensor<2x3x19xf32>, tensor<2x3x19xi64>) {
    ^bb0(%in: f32, %out: f32, %out_31: i64):
      %71 = linalg.index 3 : index
      %72 = arith.index_cast %71 : index to i64
      %73 = arith.maximumf %in, %out : f32
      %74 = arith.cmpf ogt, %in, %out : f32
      %75 = arith.select %74, %72, %out_31 : i64
      linalg.yield %73, %75 : f32, i64
    } -> (tensor<2x3x19xf32>, tensor<2x3x19xi64>)
    %expanded_17 = tensor.expand_shape %21#0 [[0], [1], [2, 3]] output_shape [2, 3, 19, 1] : tensor<2x3x19xf32> into tensor<2x3x19x1xf32>
    %22 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_17 : tensor<2x3x19x19xf32>, tensor<2x3x19x1xf32>) outs(%14 : tensor<2x3x19x19xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.subf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x3x19x19xf32>
    %23 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%22 : tensor<2x3x19x19xf32>) outs(%14 : tensor<2x3x19x19xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = math.exp %in : f32
      linalg.yield %71 : f32
    } -> tensor<2x3x19x19xf32>
    %24 = tensor.empty() : tensor<2x3x19x1xf32>
    %25 = linalg.fill ins(%cst : f32) outs(%24 : tensor<2x3x19x1xf32>) -> tensor<2x3x19x1xf32>
    %26 = linalg.generic {indexing_maps = [#map2, #map5], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%23 : tensor<2x3x19x19xf32>) outs(%25 : tensor<2x3x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %out : f32
      linalg.yield %71 : f32
    } -> tensor<2x3x19x1xf32>
    %27 = linalg.generic {indexing_maps = [#map2, #map5, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %26 : tensor<2x3x19x19xf32>, tensor<2x3x19x1xf32>) outs(%14 : tensor<2x3x19x19xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.divf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x3x19x19xf32>
    %collapsed_18 = tensor.collapse_shape %27 [[0, 1], [2], [3]] : tensor<2x3x19x19xf32> into tensor<6x19x19xf32>
    %collapsed_19 = tensor.collapse_shape %transposed_12 [[0, 1], [2], [3]] : tensor<2x3x19x12xf32> into tensor<6x19x12xf32>
    %28 = tensor.empty() : tensor<6x19x12xf32>
    %29 = linalg.fill ins(%cst : f32) outs(%28 : tensor<6x19x12xf32>) -> tensor<6x19x12xf32>
    %30 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<6x19x19xf32>, tensor<6x19x12xf32>) outs(%29 : tensor<6x19x12xf32>) -> tensor<6x19x12xf32>
    %expanded_20 = tensor.expand_shape %30 [[0, 1], [2], [3]] output_shape [2, 3, 19, 12] : tensor<6x19x12xf32> into tensor<2x3x19x12xf32>
    %31 = tensor.empty() : tensor<2x19x3x12xf32>
    %transposed_21 = linalg.transpose ins(%expanded_20 : tensor<2x3x19x12xf32>) outs(%31 : tensor<2x19x3x12xf32>) permutation = [0, 2, 1, 3]
    %collapsed_22 = tensor.collapse_shape %transposed_21 [[0, 1], [2, 3]] : tensor<2x19x3x12xf32> into tensor<38x36xf32>
    %transposed_23 = linalg.transpose ins(%arg8 : tensor<36x36xf32>) outs(%0 : tensor<36x36xf32>) permutation = [1, 0]
    %32 = linalg.matmul ins(%collapsed_22, %transposed_23 : tensor<38x36xf32>, tensor<36x36xf32>) outs(%2 : tensor<38x36xf32>) -> tensor<38x36xf32>
    %33 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg9, %32 : tensor<36xf32>, tensor<38x36xf32>) outs(%1 : tensor<38x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<38x36xf32>
    %expanded_24 = tensor.expand_shape %33 [[0, 1], [2]] output_shape [2, 19, 36] : tensor<38x36xf32> into tensor<2x19x36xf32>
    %34 = tensor.empty() : tensor<2x19x36xf32>
    %35 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_24 : tensor<2x19x36xf32>, tensor<2x19x36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %36 = tensor.empty() : tensor<2x19x1xf32>
    %37 = linalg.fill ins(%cst : f32) outs(%36 : tensor<2x19x1xf32>) -> tensor<2x19x1xf32>
    %38 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%35 : tensor<2x19x36xf32>) outs(%37 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %out : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %39 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%38 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_5 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %40 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %39 : tensor<2x19x36xf32>, tensor<2x19x1xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.subf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %41 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %40 : tensor<2x19x36xf32>, tensor<2x19x36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.mulf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %42 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%41 : tensor<2x19x36xf32>) outs(%37 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %out : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %43 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_5 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %44 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%43 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.truncf %cst_3 : f64 to f32
      %72 = arith.addf %in, %71 : f32
      linalg.yield %72 : f32
    } -> tensor<2x19x1xf32>
    %45 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = math.rsqrt %in : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %46 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %45 : tensor<2x19x36xf32>, tensor<2x19x1xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.mulf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %47 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%46, %arg10 : tensor<2x19x36xf32>, tensor<36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.mulf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %48 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %arg11 : tensor<2x19x36xf32>, tensor<36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %collapsed_25 = tensor.collapse_shape %48 [[0, 1], [2]] : tensor<2x19x36xf32> into tensor<38x36xf32>
    %49 = tensor.empty() : tensor<36x100xf32>
    %transposed_26 = linalg.transpose ins(%arg12 : tensor<100x36xf32>) outs(%49 : tensor<36x100xf32>) permutation = [1, 0]
    %50 = tensor.empty() : tensor<38x100xf32>
    %51 = linalg.fill ins(%cst : f32) outs(%50 : tensor<38x100xf32>) -> tensor<38x100xf32>
    %52 = linalg.matmul ins(%collapsed_25, %transposed_26 : tensor<38x36xf32>, tensor<36x100xf32>) outs(%51 : tensor<38x100xf32>) -> tensor<38x100xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg13, %52 : tensor<100xf32>, tensor<38x100xf32>) outs(%50 : tensor<38x100xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<38x100xf32>
    %expanded_27 = tensor.expand_shape %53 [[0, 1], [2]] output_shape [2, 19, 100] : tensor<38x100xf32> into tensor<2x19x100xf32>
    %54 = tensor.empty() : tensor<2x19x100xf32>
    %55 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_27 : tensor<2x19x100xf32>) outs(%54 : tensor<2x19x100xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_6 : f32
      %72 = math.erf %71 : f32
      %73 = arith.addf %72, %cst_1 : f32
      %74 = arith.mulf %73, %cst_2 : f32
      %75 = arith.mulf %in, %74 : f32
      linalg.yield %75 : f32
    } -> tensor<2x19x100xf32>
    %collapsed_28 = tensor.collapse_shape %55 [[0, 1], [2]] : tensor<2x19x100xf32> into tensor<38x100xf32>
    %56 = tensor.empty() : tensor<100x36xf32>
    %transposed_29 = linalg.transpose ins(%arg14 : tensor<36x100xf32>) outs(%56 : tensor<100x36xf32>) permutation = [1, 0]
    %57 = linalg.matmul ins(%collapsed_28, %transposed_29 : tensor<38x100xf32>, tensor<100x36xf32>) outs(%2 : tensor<38x36xf32>) -> tensor<38x36xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg15, %57 : tensor<36xf32>, tensor<38x36xf32>) outs(%1 : tensor<38x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<38x36xf32>
    %expanded_30 = tensor.expand_shape %58 [[0, 1], [2]] output_shape [2, 19, 36] : tensor<38x36xf32> into tensor<2x19x36xf32>
    %59 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %expanded_30 : tensor<2x19x36xf32>, tensor<2x19x36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %60 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%59 : tensor<2x19x36xf32>) outs(%37 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %out : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %61 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_5 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %62 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59, %61 : tensor<2x19x36xf32>, tensor<2x19x1xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.subf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %63 = linalg.generic {indexing_maps = [#map6, #map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %62 : tensor<2x19x36xf32>, tensor<2x19x36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.mulf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %64 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<2x19x36xf32>) outs(%37 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.addf %in, %out : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %65 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.divf %in, %cst_5 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %66 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%65 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = arith.truncf %cst_3 : f64 to f32
      %72 = arith.addf %in, %71 : f32
      linalg.yield %72 : f32
    } -> tensor<2x19x1xf32>
    %67 = linalg.generic {indexing_maps = [#map6, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<2x19x1xf32>) outs(%36 : tensor<2x19x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %71 = math.rsqrt %in : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x1xf32>
    %68 = linalg.generic {indexing_maps = [#map6, #map7, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %67 : tensor<2x19x36xf32>, tensor<2x19x1xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.mulf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %69 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %arg16 : tensor<2x19x36xf32>, tensor<36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.mulf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    %70 = linalg.generic {indexing_maps = [#map6, #map8, #map6], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %arg17 : tensor<2x19x36xf32>, tensor<36xf32>) outs(%34 : tensor<2x19x36xf32>) {
    ^bb0(%in: f32, %in_31: f32, %out: f32):
      %71 = arith.addf %in, %in_31 : f32
      linalg.yield %71 : f32
    } -> tensor<2x19x36xf32>
    return %70 : tensor<2x19x36xf32>
  }
}
