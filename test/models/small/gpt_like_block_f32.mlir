#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<(d0, d1) -> (0, d1)>
#map7 = affine_map<(d0, d1) -> (d0, 0)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map10 = affine_map<(d0, d1, d2, d3) -> ()>
#map11 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map12 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<2x17x40xf32>, %arg1: tensor<40xf32>, %arg2: tensor<40xf32>, %arg3: tensor<120x40xf32>, %arg4: tensor<120xf32>, %arg5: tensor<40x40xf32>, %arg6: tensor<40xf32>, %arg7: tensor<40xf32>, %arg8: tensor<40xf32>, %arg9: tensor<90x40xf32>, %arg10: tensor<90xf32>, %arg11: tensor<40x90xf32>, %arg12: tensor<40xf32>) -> tensor<2x17x40xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant dense<0xFF800000> : tensor<f32>
    %cst_2 = arith.constant 0.79788456080286541 : f64
    %cst_3 = arith.constant 4.471500e-02 : f64
    %cst_4 = arith.constant 2.8284271247461903 : f64
    %cst_5 = arith.constant 1.000000e-05 : f64
    %cst_6 = arith.constant 4.000000e+01 : f32
    %cst_7 = arith.constant 5.000000e-01 : f32
    %cst_8 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x17x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x17x1xf32>) -> tensor<2x17x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x17x40xf32>) outs(%1 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_6 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %4 = tensor.empty() : tensor<2x17x40xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %3 : tensor<2x17x40xf32>, tensor<2x17x1xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.subf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %5 : tensor<2x17x40xf32>, tensor<2x17x40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<2x17x40xf32>) outs(%1 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_6 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_5 : f64 to f32
      %83 = arith.addf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<2x17x1xf32>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.rsqrt %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %10 : tensor<2x17x40xf32>, tensor<2x17x1xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %arg1 : tensor<2x17x40xf32>, tensor<40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %arg2 : tensor<2x17x40xf32>, tensor<40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %collapsed = tensor.collapse_shape %13 [[0, 1], [2]] : tensor<2x17x40xf32> into tensor<34x40xf32>
    %14 = tensor.empty() : tensor<40x120xf32>
    %transposed = linalg.transpose ins(%arg3 : tensor<120x40xf32>) outs(%14 : tensor<40x120xf32>) permutation = [1, 0]
    %15 = tensor.empty() : tensor<34x120xf32>
    %16 = linalg.fill ins(%cst : f32) outs(%15 : tensor<34x120xf32>) -> tensor<34x120xf32>
    %17 = linalg.matmul ins(%collapsed, %transposed : tensor<34x40xf32>, tensor<40x120xf32>) outs(%16 : tensor<34x120xf32>) -> tensor<34x120xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg4, %17 : tensor<120xf32>, tensor<34x120xf32>) outs(%15 : tensor<34x120xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<34x120xf32>
    %expanded = tensor.expand_shape %18 [[0, 1], [2]] output_shape [2, 17, 120] : tensor<34x120xf32> into tensor<2x17x120xf32>
    %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [2, 17, 40] [1, 1, 1] : tensor<2x17x120xf32> to tensor<2x17x40xf32>
    %extracted_slice_9 = tensor.extract_slice %expanded[0, 0, 40] [2, 17, 40] [1, 1, 1] : tensor<2x17x120xf32> to tensor<2x17x40xf32>
    %extracted_slice_10 = tensor.extract_slice %expanded[0, 0, 80] [2, 17, 40] [1, 1, 1] : tensor<2x17x120xf32> to tensor<2x17x40xf32>
    %expanded_11 = tensor.expand_shape %extracted_slice [[0], [1], [2, 3]] output_shape [2, 17, 5, 8] : tensor<2x17x40xf32> into tensor<2x17x5x8xf32>
    %19 = tensor.empty() : tensor<2x5x17x8xf32>
    %transposed_12 = linalg.transpose ins(%expanded_11 : tensor<2x17x5x8xf32>) outs(%19 : tensor<2x5x17x8xf32>) permutation = [0, 2, 1, 3]
    %expanded_13 = tensor.expand_shape %extracted_slice_9 [[0], [1], [2, 3]] output_shape [2, 17, 5, 8] : tensor<2x17x40xf32> into tensor<2x17x5x8xf32>
    %expanded_14 = tensor.expand_shape %extracted_slice_10 [[0], [1], [2, 3]] output_shape [2, 17, 5, 8] : tensor<2x17x40xf32> into tensor<2x17x5x8xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x17x5x8xf32>) outs(%19 : tensor<2x5x17x8xf32>) permutation = [0, 2, 1, 3]
    %20 = tensor.empty() : tensor<17xi64>
    %21 = linalg.generic {indexing_maps = [#map5], iterator_types = ["parallel"]} outs(%20 : tensor<17xi64>) {
    ^bb0(%out: i64):
      %82 = linalg.index 0 : index
      %83 = arith.index_cast %82 : index to i64
      linalg.yield %83 : i64
    } -> tensor<17xi64>
    %expanded_16 = tensor.expand_shape %21 [[0, 1]] output_shape [1, 17] : tensor<17xi64> into tensor<1x17xi64>
    %expanded_17 = tensor.expand_shape %21 [[0, 1]] output_shape [17, 1] : tensor<17xi64> into tensor<17x1xi64>
    %22 = tensor.empty() : tensor<17x17xi1>
    %23 = linalg.generic {indexing_maps = [#map6, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%expanded_16, %expanded_17 : tensor<1x17xi64>, tensor<17x1xi64>) outs(%22 : tensor<17x17xi1>) {
    ^bb0(%in: i64, %in_36: i64, %out: i1):
      %82 = arith.cmpi sgt, %in, %in_36 : i64
      linalg.yield %82 : i1
    } -> tensor<17x17xi1>
    %24 = tensor.empty() : tensor<2x5x8x17xf32>
    %transposed_18 = linalg.transpose ins(%expanded_13 : tensor<2x17x5x8xf32>) outs(%24 : tensor<2x5x8x17xf32>) permutation = [0, 2, 3, 1]
    %collapsed_19 = tensor.collapse_shape %transposed_12 [[0, 1], [2], [3]] : tensor<2x5x17x8xf32> into tensor<10x17x8xf32>
    %collapsed_20 = tensor.collapse_shape %transposed_18 [[0, 1], [2], [3]] : tensor<2x5x8x17xf32> into tensor<10x8x17xf32>
    %25 = tensor.empty() : tensor<10x17x17xf32>
    %26 = linalg.fill ins(%cst : f32) outs(%25 : tensor<10x17x17xf32>) -> tensor<10x17x17xf32>
    %27 = linalg.batch_matmul ins(%collapsed_19, %collapsed_20 : tensor<10x17x8xf32>, tensor<10x8x17xf32>) outs(%26 : tensor<10x17x17xf32>) -> tensor<10x17x17xf32>
    %expanded_21 = tensor.expand_shape %27 [[0, 1], [2], [3]] output_shape [2, 5, 17, 17] : tensor<10x17x17xf32> into tensor<2x5x17x17xf32>
    %28 = tensor.empty() : tensor<2x5x17x17xf32>
    %29 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_21 : tensor<2x5x17x17xf32>) outs(%28 : tensor<2x5x17x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_4 : f64 to f32
      %83 = arith.divf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<2x5x17x17xf32>
    %30 = linalg.generic {indexing_maps = [#map9, #map10, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%23, %cst_1, %29 : tensor<17x17xi1>, tensor<f32>, tensor<2x5x17x17xf32>) outs(%28 : tensor<2x5x17x17xf32>) {
    ^bb0(%in: i1, %in_36: f32, %in_37: f32, %out: f32):
      %82 = arith.select %in, %in_36, %in_37 : f32
      linalg.yield %82 : f32
    } -> tensor<2x5x17x17xf32>
    %31 = tensor.empty() : tensor<2x5x17xi64>
    %32 = linalg.fill ins(%c0_i64 : i64) outs(%31 : tensor<2x5x17xi64>) -> tensor<2x5x17xi64>
    %33 = tensor.empty() : tensor<2x5x17xf32>
    %34 = linalg.fill ins(%cst_0 : f32) outs(%33 : tensor<2x5x17xf32>) -> tensor<2x5x17xf32>
    %35:2 = linalg.generic {indexing_maps = [#map8, #map11, #map11], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%30 : tensor<2x5x17x17xf32>) outs(%34, %32 : tensor<2x5x17xf32>, tensor<2x5x17xi64>) {
    ^bb0(%in: f32, %out: f32, %out_36: i64):
      %82 = linalg.index 3 : index
      %83 = arith.index_cast %82 : index to i64
      %84 = arith.maximumf %in, %out : f32
      %85 = arith.cmpf ogt, %in, %out : f32
      %86 = arith.select %85, %83, %out_36 : i64
      linalg.yield %84, %86 : f32, i64
    } -> (tensor<2x5x17xf32>, tensor<2x5x17xi64>)
    %expanded_22 = tensor.expand_shape %35#0 [[0], [1], [2, 3]] output_shape [2, 5, 17, 1] : tensor<2x5x17xf32> into tensor<2x5x17x1xf32>
    %36 = linalg.generic {indexing_maps = [#map8, #map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%30, %expanded_22 : tensor<2x5x17x17xf32>, tensor<2x5x17x1xf32>) outs(%28 : tensor<2x5x17x17xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.subf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x5x17x17xf32>
    %37 = linalg.generic {indexing_maps = [#map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x5x17x17xf32>) outs(%28 : tensor<2x5x17x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.exp %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x5x17x17xf32>
    %38 = tensor.empty() : tensor<2x5x17x1xf32>
    %39 = linalg.fill ins(%cst : f32) outs(%38 : tensor<2x5x17x1xf32>) -> tensor<2x5x17x1xf32>
    %40 = linalg.generic {indexing_maps = [#map8, #map12], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%37 : tensor<2x5x17x17xf32>) outs(%39 : tensor<2x5x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<2x5x17x1xf32>
    %41 = linalg.generic {indexing_maps = [#map8, #map12, #map8], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%37, %40 : tensor<2x5x17x17xf32>, tensor<2x5x17x1xf32>) outs(%28 : tensor<2x5x17x17xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.divf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x5x17x17xf32>
    %collapsed_23 = tensor.collapse_shape %41 [[0, 1], [2], [3]] : tensor<2x5x17x17xf32> into tensor<10x17x17xf32>
    %collapsed_24 = tensor.collapse_shape %transposed_15 [[0, 1], [2], [3]] : tensor<2x5x17x8xf32> into tensor<10x17x8xf32>
    %42 = tensor.empty() : tensor<10x17x8xf32>
    %43 = linalg.fill ins(%cst : f32) outs(%42 : tensor<10x17x8xf32>) -> tensor<10x17x8xf32>
    %44 = linalg.batch_matmul ins(%collapsed_23, %collapsed_24 : tensor<10x17x17xf32>, tensor<10x17x8xf32>) outs(%43 : tensor<10x17x8xf32>) -> tensor<10x17x8xf32>
    %expanded_25 = tensor.expand_shape %44 [[0, 1], [2], [3]] output_shape [2, 5, 17, 8] : tensor<10x17x8xf32> into tensor<2x5x17x8xf32>
    %45 = tensor.empty() : tensor<2x17x5x8xf32>
    %transposed_26 = linalg.transpose ins(%expanded_25 : tensor<2x5x17x8xf32>) outs(%45 : tensor<2x17x5x8xf32>) permutation = [0, 2, 1, 3]
    %collapsed_27 = tensor.collapse_shape %transposed_26 [[0, 1], [2, 3]] : tensor<2x17x5x8xf32> into tensor<34x40xf32>
    %46 = tensor.empty() : tensor<40x40xf32>
    %transposed_28 = linalg.transpose ins(%arg5 : tensor<40x40xf32>) outs(%46 : tensor<40x40xf32>) permutation = [1, 0]
    %47 = tensor.empty() : tensor<34x40xf32>
    %48 = linalg.fill ins(%cst : f32) outs(%47 : tensor<34x40xf32>) -> tensor<34x40xf32>
    %49 = linalg.matmul ins(%collapsed_27, %transposed_28 : tensor<34x40xf32>, tensor<40x40xf32>) outs(%48 : tensor<34x40xf32>) -> tensor<34x40xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg6, %49 : tensor<40xf32>, tensor<34x40xf32>) outs(%47 : tensor<34x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<34x40xf32>
    %expanded_29 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [2, 17, 40] : tensor<34x40xf32> into tensor<2x17x40xf32>
    %51 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_29 : tensor<2x17x40xf32>, tensor<2x17x40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %52 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%51 : tensor<2x17x40xf32>) outs(%1 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %53 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%52 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_6 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %54 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %53 : tensor<2x17x40xf32>, tensor<2x17x1xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.subf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %55 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %54 : tensor<2x17x40xf32>, tensor<2x17x40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %56 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<2x17x40xf32>) outs(%1 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %out : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.divf %in, %cst_6 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_5 : f64 to f32
      %83 = arith.addf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<2x17x1xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58 : tensor<2x17x1xf32>) outs(%0 : tensor<2x17x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.rsqrt %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x1xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%54, %59 : tensor<2x17x40xf32>, tensor<2x17x1xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %arg7 : tensor<2x17x40xf32>, tensor<40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61, %arg8 : tensor<2x17x40xf32>, tensor<40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    %collapsed_30 = tensor.collapse_shape %62 [[0, 1], [2]] : tensor<2x17x40xf32> into tensor<34x40xf32>
    %63 = tensor.empty() : tensor<40x90xf32>
    %transposed_31 = linalg.transpose ins(%arg9 : tensor<90x40xf32>) outs(%63 : tensor<40x90xf32>) permutation = [1, 0]
    %64 = tensor.empty() : tensor<34x90xf32>
    %65 = linalg.fill ins(%cst : f32) outs(%64 : tensor<34x90xf32>) -> tensor<34x90xf32>
    %66 = linalg.matmul ins(%collapsed_30, %transposed_31 : tensor<34x40xf32>, tensor<40x90xf32>) outs(%65 : tensor<34x90xf32>) -> tensor<34x90xf32>
    %67 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg10, %66 : tensor<90xf32>, tensor<34x90xf32>) outs(%64 : tensor<34x90xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<34x90xf32>
    %expanded_32 = tensor.expand_shape %67 [[0, 1], [2]] output_shape [2, 17, 90] : tensor<34x90xf32> into tensor<2x17x90xf32>
    %68 = tensor.empty() : tensor<2x17x90xf32>
    %69 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %expanded_32 : tensor<2x17x90xf32>, tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%69, %expanded_32 : tensor<2x17x90xf32>, tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70 : tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_3 : f64 to f32
      %83 = arith.mulf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<2x17x90xf32>
    %72 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32, %71 : tensor<2x17x90xf32>, tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72 : tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.truncf %cst_2 : f64 to f32
      %83 = arith.mulf %in, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<2x17x90xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_32 : tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.mulf %in, %cst_7 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = math.tanh %in : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75 : tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %out: f32):
      %82 = arith.addf %in, %cst_8 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %77 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %76 : tensor<2x17x90xf32>, tensor<2x17x90xf32>) outs(%68 : tensor<2x17x90xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.mulf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x90xf32>
    %collapsed_33 = tensor.collapse_shape %77 [[0, 1], [2]] : tensor<2x17x90xf32> into tensor<34x90xf32>
    %78 = tensor.empty() : tensor<90x40xf32>
    %transposed_34 = linalg.transpose ins(%arg11 : tensor<40x90xf32>) outs(%78 : tensor<90x40xf32>) permutation = [1, 0]
    %79 = linalg.matmul ins(%collapsed_33, %transposed_34 : tensor<34x90xf32>, tensor<90x40xf32>) outs(%48 : tensor<34x40xf32>) -> tensor<34x40xf32>
    %80 = linalg.generic {indexing_maps = [#map3, #map4, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg12, %79 : tensor<40xf32>, tensor<34x40xf32>) outs(%47 : tensor<34x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<34x40xf32>
    %expanded_35 = tensor.expand_shape %80 [[0, 1], [2]] output_shape [2, 17, 40] : tensor<34x40xf32> into tensor<2x17x40xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %expanded_35 : tensor<2x17x40xf32>, tensor<2x17x40xf32>) outs(%4 : tensor<2x17x40xf32>) {
    ^bb0(%in: f32, %in_36: f32, %out: f32):
      %82 = arith.addf %in, %in_36 : f32
      linalg.yield %82 : f32
    } -> tensor<2x17x40xf32>
    return %81 : tensor<2x17x40xf32>
  }
}
