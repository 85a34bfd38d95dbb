#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<8x128x768xf32>, %arg1: tensor<128x64xf32>, %arg2: tensor<128x64xf32>, %arg3: tensor<1x1x128x128xf32>, %arg4: tensor<768xf32>, %arg5: tensor<768x768xf32>, %arg6: tensor<256x768xf32>, %arg7: tensor<256x768xf32>, %arg8: tensor<768x768xf32>, %arg9: tensor<768xf32>, %arg10: tensor<2048x768xf32>, %arg11: tensor<2048x768xf32>, %arg12: tensor<768x2048xf32>) -> tensor<8x128x768xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 9.9999999999999995E-7 : f64
    %cst_3 = arith.constant 7.680000e+02 : f32
    %cst_4 = arith.constant 8.000000e+00 : f32
    %0 = tensor.empty() : tensor<8x128x768xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %2 = tensor.empty() : tensor<8x128x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<8x128x1xf32>) -> tensor<8x128x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<8x128x768xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %out : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<8x128x1xf32>) outs(%2 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.divf %in, %cst_3 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<8x128x1xf32>) outs(%2 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.truncf %cst_2 : f64 to f32
      %78 = arith.addf %in, %77 : f32
      linalg.yield %78 : f32
    } -> tensor<8x128x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x128x1xf32>) outs(%2 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = math.rsqrt %in : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %7 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4, %8 : tensor<768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %10 = tensor.empty() : tensor<768x768xf32>
    %transposed = linalg.transpose ins(%arg5 : tensor<768x768xf32>) outs(%10 : tensor<768x768xf32>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %9 [[0, 1], [2]] : tensor<8x128x768xf32> into tensor<1024x768xf32>
    %11 = tensor.empty() : tensor<1024x768xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %13 = linalg.matmul ins(%collapsed, %transposed : tensor<1024x768xf32>, tensor<768x768xf32>) outs(%12 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %expanded = tensor.expand_shape %13 [[0, 1], [2, 3]] output_shape [8, 128, 12, 64] : tensor<1024x768xf32> into tensor<8x128x12x64xf32>
    %14 = tensor.empty() : tensor<8x12x128x64xf32>
    %transposed_5 = linalg.transpose ins(%expanded : tensor<8x128x12x64xf32>) outs(%14 : tensor<8x12x128x64xf32>) permutation = [0, 2, 1, 3]
    %extracted_slice = tensor.extract_slice %transposed_5[0, 0, 0, 0] [8, 12, 128, 32] [1, 1, 1, 1] : tensor<8x12x128x64xf32> to tensor<8x12x128x32xf32>
    %extracted_slice_6 = tensor.extract_slice %transposed_5[0, 0, 0, 32] [8, 12, 128, 32] [1, 1, 1, 1] : tensor<8x12x128x64xf32> to tensor<8x12x128x32xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_5, %arg1 : tensor<8x12x128x64xf32>, tensor<128x64xf32>) outs(%14 : tensor<8x12x128x64xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x64xf32>
    %16 = tensor.empty() : tensor<8x12x128x32xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_6 : tensor<8x12x128x32xf32>) outs(%16 : tensor<8x12x128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.negf %in : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x32xf32>
    %concat = tensor.concat dim(3) %17, %extracted_slice : (tensor<8x12x128x32xf32>, tensor<8x12x128x32xf32>) -> tensor<8x12x128x64xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg2 : tensor<8x12x128x64xf32>, tensor<128x64xf32>) outs(%14 : tensor<8x12x128x64xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x64xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<8x12x128x64xf32>, tensor<8x12x128x64xf32>) outs(%14 : tensor<8x12x128x64xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.addf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x64xf32>
    %20 = tensor.empty() : tensor<768x256xf32>
    %transposed_7 = linalg.transpose ins(%arg6 : tensor<256x768xf32>) outs(%20 : tensor<768x256xf32>) permutation = [1, 0]
    %21 = tensor.empty() : tensor<1024x256xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<1024x256xf32>) -> tensor<1024x256xf32>
    %23 = linalg.matmul ins(%collapsed, %transposed_7 : tensor<1024x768xf32>, tensor<768x256xf32>) outs(%22 : tensor<1024x256xf32>) -> tensor<1024x256xf32>
    %expanded_8 = tensor.expand_shape %23 [[0, 1], [2, 3]] output_shape [8, 128, 4, 64] : tensor<1024x256xf32> into tensor<8x128x4x64xf32>
    %24 = tensor.empty() : tensor<8x4x128x64xf32>
    %transposed_9 = linalg.transpose ins(%expanded_8 : tensor<8x128x4x64xf32>) outs(%24 : tensor<8x4x128x64xf32>) permutation = [0, 2, 1, 3]
    %extracted_slice_10 = tensor.extract_slice %transposed_9[0, 0, 0, 0] [8, 4, 128, 32] [1, 1, 1, 1] : tensor<8x4x128x64xf32> to tensor<8x4x128x32xf32>
    %extracted_slice_11 = tensor.extract_slice %transposed_9[0, 0, 0, 32] [8, 4, 128, 32] [1, 1, 1, 1] : tensor<8x4x128x64xf32> to tensor<8x4x128x32xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_9, %arg1 : tensor<8x4x128x64xf32>, tensor<128x64xf32>) outs(%24 : tensor<8x4x128x64xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x4x128x64xf32>
    %26 = tensor.empty() : tensor<8x4x128x32xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_11 : tensor<8x4x128x32xf32>) outs(%26 : tensor<8x4x128x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.negf %in : f32
      linalg.yield %77 : f32
    } -> tensor<8x4x128x32xf32>
    %concat_12 = tensor.concat dim(3) %27, %extracted_slice_10 : (tensor<8x4x128x32xf32>, tensor<8x4x128x32xf32>) -> tensor<8x4x128x64xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_12, %arg2 : tensor<8x4x128x64xf32>, tensor<128x64xf32>) outs(%24 : tensor<8x4x128x64xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x4x128x64xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<8x4x128x64xf32>, tensor<8x4x128x64xf32>) outs(%24 : tensor<8x4x128x64xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.addf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x4x128x64xf32>
    %transposed_13 = linalg.transpose ins(%arg7 : tensor<256x768xf32>) outs(%20 : tensor<768x256xf32>) permutation = [1, 0]
    %30 = linalg.matmul ins(%collapsed, %transposed_13 : tensor<1024x768xf32>, tensor<768x256xf32>) outs(%22 : tensor<1024x256xf32>) -> tensor<1024x256xf32>
    %expanded_14 = tensor.expand_shape %30 [[0, 1], [2, 3]] output_shape [8, 128, 4, 64] : tensor<1024x256xf32> into tensor<8x128x4x64xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<8x128x4x64xf32>) outs(%24 : tensor<8x4x128x64xf32>) permutation = [0, 2, 1, 3]
    %31 = tensor.empty() : tensor<8x4x3x128x64xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<8x4x128x64xf32>) outs(%31 : tensor<8x4x3x128x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x4x3x128x64xf32>
    %collapsed_16 = tensor.collapse_shape %32 [[0], [1, 2], [3], [4]] : tensor<8x4x3x128x64xf32> into tensor<8x12x128x64xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15 : tensor<8x4x128x64xf32>) outs(%31 : tensor<8x4x3x128x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<8x4x3x128x64xf32>
    %34 = tensor.empty() : tensor<8x12x64x128xf32>
    %transposed_17 = linalg.transpose ins(%collapsed_16 : tensor<8x12x128x64xf32>) outs(%34 : tensor<8x12x64x128xf32>) permutation = [0, 1, 3, 2]
    %collapsed_18 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<8x12x128x64xf32> into tensor<96x128x64xf32>
    %collapsed_19 = tensor.collapse_shape %transposed_17 [[0, 1], [2], [3]] : tensor<8x12x64x128xf32> into tensor<96x64x128xf32>
    %35 = tensor.empty() : tensor<96x128x128xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
    %37 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<96x128x64xf32>, tensor<96x64x128xf32>) outs(%36 : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
    %expanded_20 = tensor.expand_shape %37 [[0, 1], [2], [3]] output_shape [8, 12, 128, 128] : tensor<96x128x128xf32> into tensor<8x12x128x128xf32>
    %38 = tensor.empty() : tensor<8x12x128x128xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20 : tensor<8x12x128x128xf32>) outs(%38 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.divf %in, %cst_4 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x128xf32>
    %40 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %arg3 : tensor<8x12x128x128xf32>, tensor<1x1x128x128xf32>) outs(%38 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.addf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x128xf32>
    %41 = tensor.empty() : tensor<8x12x128xi64>
    %42 = linalg.fill ins(%c0_i64 : i64) outs(%41 : tensor<8x12x128xi64>) -> tensor<8x12x128xi64>
    %43 = tensor.empty() : tensor<8x12x128xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%43 : tensor<8x12x128xf32>) -> tensor<8x12x128xf32>
    %45:2 = linalg.generic {indexing_maps = [#map3, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<8x12x128x128xf32>) outs(%44, %42 : tensor<8x12x128xf32>, tensor<8x12x128xi64>) {
    ^bb0(%in: f32, %out: f32, %out_37: i64):
      %77 = linalg.index 3 : index
      %78 = arith.index_cast %77 : index to i64
      %79 = arith.maximumf %in, %out : f32
      %80 = arith.cmpf ogt, %in, %out : f32
      %81 = arith.select %80, %78, %out_37 : i64
      linalg.yield %79, %81 : f32, i64
    } -> (tensor<8x12x128xf32>, tensor<8x12x128xi64>)
    %expanded_21 = tensor.expand_shape %45#0 [[0], [1], [2, 3]] output_shape [8, 12, 128, 1] : tensor<8x12x128xf32> into tensor<8x12x128x1xf32>
    %46 = linalg.generic {indexing_maps = [#map3, #map9, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %expanded_21 : tensor<8x12x128x128xf32>, tensor<8x12x128x1xf32>) outs(%38 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.subf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x128xf32>
    %47 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<8x12x128x128xf32>) outs(%38 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = math.exp %in : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x128xf32>
    %48 = tensor.empty() : tensor<8x12x128x1xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<8x12x128x1xf32>) -> tensor<8x12x128x1xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<8x12x128x128xf32>) outs(%49 : tensor<8x12x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %out : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x1xf32>
    %51 = linalg.generic {indexing_maps = [#map3, #map9, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %50 : tensor<8x12x128x128xf32>, tensor<8x12x128x1xf32>) outs(%38 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.divf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x12x128x128xf32>
    %collapsed_22 = tensor.collapse_shape %51 [[0, 1], [2], [3]] : tensor<8x12x128x128xf32> into tensor<96x128x128xf32>
    %collapsed_23 = tensor.collapse_shape %33 [[0, 1, 2], [3], [4]] : tensor<8x4x3x128x64xf32> into tensor<96x128x64xf32>
    %52 = tensor.empty() : tensor<96x128x64xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
    %54 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<96x128x128xf32>, tensor<96x128x64xf32>) outs(%53 : tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
    %expanded_24 = tensor.expand_shape %54 [[0, 1], [2], [3]] output_shape [8, 12, 128, 64] : tensor<96x128x64xf32> into tensor<8x12x128x64xf32>
    %55 = tensor.empty() : tensor<8x128x12x64xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<8x12x128x64xf32>) outs(%55 : tensor<8x128x12x64xf32>) permutation = [0, 2, 1, 3]
    %transposed_26 = linalg.transpose ins(%arg8 : tensor<768x768xf32>) outs(%10 : tensor<768x768xf32>) permutation = [1, 0]
    %collapsed_27 = tensor.collapse_shape %transposed_25 [[0, 1], [2, 3]] : tensor<8x128x12x64xf32> into tensor<1024x768xf32>
    %56 = linalg.matmul ins(%collapsed_27, %transposed_26 : tensor<1024x768xf32>, tensor<768x768xf32>) outs(%12 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %expanded_28 = tensor.expand_shape %56 [[0, 1], [2]] output_shape [8, 128, 768] : tensor<1024x768xf32> into tensor<8x128x768xf32>
    %57 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_28 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.addf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %58 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %57 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %59 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%58 : tensor<8x128x768xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.addf %in, %out : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x1xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<8x128x1xf32>) outs(%2 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.divf %in, %cst_3 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x1xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60 : tensor<8x128x1xf32>) outs(%2 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.truncf %cst_2 : f64 to f32
      %78 = arith.addf %in, %77 : f32
      linalg.yield %78 : f32
    } -> tensor<8x128x1xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%61 : tensor<8x128x1xf32>) outs(%2 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = math.rsqrt %in : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x1xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %62 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %64 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %63 : tensor<768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    %65 = tensor.empty() : tensor<768x2048xf32>
    %transposed_29 = linalg.transpose ins(%arg10 : tensor<2048x768xf32>) outs(%65 : tensor<768x2048xf32>) permutation = [1, 0]
    %collapsed_30 = tensor.collapse_shape %64 [[0, 1], [2]] : tensor<8x128x768xf32> into tensor<1024x768xf32>
    %66 = tensor.empty() : tensor<1024x2048xf32>
    %67 = linalg.fill ins(%cst : f32) outs(%66 : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
    %68 = linalg.matmul ins(%collapsed_30, %transposed_29 : tensor<1024x768xf32>, tensor<768x2048xf32>) outs(%67 : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
    %expanded_31 = tensor.expand_shape %68 [[0, 1], [2]] output_shape [8, 128, 2048] : tensor<1024x2048xf32> into tensor<8x128x2048xf32>
    %69 = tensor.empty() : tensor<8x128x2048xf32>
    %70 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<8x128x2048xf32>) outs(%69 : tensor<8x128x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %77 = arith.negf %in : f32
      %78 = math.exp %77 : f32
      %79 = arith.addf %78, %cst_1 : f32
      %80 = arith.divf %cst_1, %79 : f32
      linalg.yield %80 : f32
    } -> tensor<8x128x2048xf32>
    %71 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31, %70 : tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) outs(%69 : tensor<8x128x2048xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x2048xf32>
    %transposed_32 = linalg.transpose ins(%arg11 : tensor<2048x768xf32>) outs(%65 : tensor<768x2048xf32>) permutation = [1, 0]
    %72 = linalg.matmul ins(%collapsed_30, %transposed_32 : tensor<1024x768xf32>, tensor<768x2048xf32>) outs(%67 : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
    %expanded_33 = tensor.expand_shape %72 [[0, 1], [2]] output_shape [8, 128, 2048] : tensor<1024x2048xf32> into tensor<8x128x2048xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%71, %expanded_33 : tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) outs(%69 : tensor<8x128x2048xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.mulf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x2048xf32>
    %74 = tensor.empty() : tensor<2048x768xf32>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<768x2048xf32>) outs(%74 : tensor<2048x768xf32>) permutation = [1, 0]
    %collapsed_35 = tensor.collapse_shape %73 [[0, 1], [2]] : tensor<8x128x2048xf32> into tensor<1024x2048xf32>
    %75 = linalg.matmul ins(%collapsed_35, %transposed_34 : tensor<1024x2048xf32>, tensor<2048x768xf32>) outs(%12 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %expanded_36 = tensor.expand_shape %75 [[0, 1], [2]] output_shape [8, 128, 768] : tensor<1024x768xf32> into tensor<8x128x768xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%57, %expanded_36 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %77 = arith.addf %in, %in_37 : f32
      linalg.yield %77 : f32
    } -> tensor<8x128x768xf32>
    return %76 : tensor<8x128x768xf32>
  }
}
