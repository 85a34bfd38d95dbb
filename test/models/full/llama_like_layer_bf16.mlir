#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map7 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map8 = affine_map<(d0, d1, d2, d3) -> (0, 0, d2, d3)>
#map9 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map10 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
module {
  func.func @main(%arg0: tensor<8x128x768xbf16>, %arg1: tensor<128x64xbf16>, %arg2: tensor<128x64xbf16>, %arg3: tensor<1x1x128x128xbf16>, %arg4: tensor<768xbf16>, %arg5: tensor<768x768xbf16>, %arg6: tensor<256x768xbf16>, %arg7: tensor<256x768xbf16>, %arg8: tensor<768x768xbf16>, %arg9: tensor<768xbf16>, %arg10: tensor<2048x768xbf16>, %arg11: tensor<2048x768xbf16>, %arg12: tensor<768x2048xbf16>) -> tensor<8x128x768xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 9.9999999999999995E-7 : f64
    %cst_3 = arith.constant 7.680000e+02 : f32
    %cst_4 = arith.constant 8.000000e+00 : bf16
    %0 = tensor.empty() : tensor<8x128x768xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<8x128x768xbf16>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %102 = arith.extf %in : bf16 to f32
      linalg.yield %102 : f32
    } -> tensor<8x128x768xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %1 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.mulf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x768xf32>
    %3 = tensor.empty() : tensor<8x128x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<8x128x1xf32>) -> tensor<8x128x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<8x128x768xf32>) outs(%4 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.addf %in, %out : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<8x128x1xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.divf %in, %cst_3 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<8x128x1xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.truncf %cst_2 : f64 to f32
      %103 = arith.addf %in, %102 : f32
      linalg.yield %103 : f32
    } -> tensor<8x128x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<8x128x1xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = math.rsqrt %in : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.mulf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x768xf32>
    %10 = tensor.empty() : tensor<8x128x768xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<8x128x768xf32>) outs(%10 : tensor<8x128x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x768xbf16>
    %12 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4, %11 : tensor<768xbf16>, tensor<8x128x768xbf16>) outs(%10 : tensor<8x128x768xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x768xbf16>
    %13 = tensor.empty() : tensor<768x768xbf16>
    %transposed = linalg.transpose ins(%arg5 : tensor<768x768xbf16>) outs(%13 : tensor<768x768xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %12 [[0, 1], [2]] : tensor<8x128x768xbf16> into tensor<1024x768xbf16>
    %14 = tensor.empty() : tensor<1024x768xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %16 = linalg.matmul ins(%collapsed, %transposed : tensor<1024x768xbf16>, tensor<768x768xbf16>) outs(%15 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %17 = tensor.empty() : tensor<1024x768xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<1024x768xf32>) outs(%17 : tensor<1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x768xbf16>
    %expanded = tensor.expand_shape %18 [[0, 1], [2, 3]] output_shape [8, 128, 12, 64] : tensor<1024x768xbf16> into tensor<8x128x12x64xbf16>
    %19 = tensor.empty() : tensor<8x12x128x64xbf16>
    %transposed_5 = linalg.transpose ins(%expanded : tensor<8x128x12x64xbf16>) outs(%19 : tensor<8x12x128x64xbf16>) permutation = [0, 2, 1, 3]
    %extracted_slice = tensor.extract_slice %transposed_5[0, 0, 0, 0] [8, 12, 128, 32] [1, 1, 1, 1] : tensor<8x12x128x64xbf16> to tensor<8x12x128x32xbf16>
    %extracted_slice_6 = tensor.extract_slice %transposed_5[0, 0, 0, 32] [8, 12, 128, 32] [1, 1, 1, 1] : tensor<8x12x128x64xbf16> to tensor<8x12x128x32xbf16>
    %20 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_5, %arg1 : tensor<8x12x128x64xbf16>, tensor<128x64xbf16>) outs(%19 : tensor<8x12x128x64xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x64xbf16>
    %21 = tensor.empty() : tensor<8x12x128x32xbf16>
    %22 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_6 : tensor<8x12x128x32xbf16>) outs(%21 : tensor<8x12x128x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %102 = arith.negf %in : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x32xbf16>
    %concat = tensor.concat dim(3) %22, %extracted_slice : (tensor<8x12x128x32xbf16>, tensor<8x12x128x32xbf16>) -> tensor<8x12x128x64xbf16>
    %23 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg2 : tensor<8x12x128x64xbf16>, tensor<128x64xbf16>) outs(%19 : tensor<8x12x128x64xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x64xbf16>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %23 : tensor<8x12x128x64xbf16>, tensor<8x12x128x64xbf16>) outs(%19 : tensor<8x12x128x64xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.addf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x64xbf16>
    %25 = tensor.empty() : tensor<768x256xbf16>
    %transposed_7 = linalg.transpose ins(%arg6 : tensor<256x768xbf16>) outs(%25 : tensor<768x256xbf16>) permutation = [1, 0]
    %26 = tensor.empty() : tensor<1024x256xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<1024x256xf32>) -> tensor<1024x256xf32>
    %28 = linalg.matmul ins(%collapsed, %transposed_7 : tensor<1024x768xbf16>, tensor<768x256xbf16>) outs(%27 : tensor<1024x256xf32>) -> tensor<1024x256xf32>
    %29 = tensor.empty() : tensor<1024x256xbf16>
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<1024x256xf32>) outs(%29 : tensor<1024x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x256xbf16>
    %expanded_8 = tensor.expand_shape %30 [[0, 1], [2, 3]] output_shape [8, 128, 4, 64] : tensor<1024x256xbf16> into tensor<8x128x4x64xbf16>
    %31 = tensor.empty() : tensor<8x4x128x64xbf16>
    %transposed_9 = linalg.transpose ins(%expanded_8 : tensor<8x128x4x64xbf16>) outs(%31 : tensor<8x4x128x64xbf16>) permutation = [0, 2, 1, 3]
    %extracted_slice_10 = tensor.extract_slice %transposed_9[0, 0, 0, 0] [8, 4, 128, 32] [1, 1, 1, 1] : tensor<8x4x128x64xbf16> to tensor<8x4x128x32xbf16>
    %extracted_slice_11 = tensor.extract_slice %transposed_9[0, 0, 0, 32] [8, 4, 128, 32] [1, 1, 1, 1] : tensor<8x4x128x64xbf16> to tensor<8x4x128x32xbf16>
    %32 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_9, %arg1 : tensor<8x4x128x64xbf16>, tensor<128x64xbf16>) outs(%31 : tensor<8x4x128x64xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x4x128x64xbf16>
    %33 = tensor.empty() : tensor<8x4x128x32xbf16>
    %34 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_11 : tensor<8x4x128x32xbf16>) outs(%33 : tensor<8x4x128x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %102 = arith.negf %in : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x4x128x32xbf16>
    %concat_12 = tensor.concat dim(3) %34, %extracted_slice_10 : (tensor<8x4x128x32xbf16>, tensor<8x4x128x32xbf16>) -> tensor<8x4x128x64xbf16>
    %35 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_12, %arg2 : tensor<8x4x128x64xbf16>, tensor<128x64xbf16>) outs(%31 : tensor<8x4x128x64xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x4x128x64xbf16>
    %36 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %35 : tensor<8x4x128x64xbf16>, tensor<8x4x128x64xbf16>) outs(%31 : tensor<8x4x128x64xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.addf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x4x128x64xbf16>
    %transposed_13 = linalg.transpose ins(%arg7 : tensor<256x768xbf16>) outs(%25 : tensor<768x256xbf16>) permutation = [1, 0]
    %37 = linalg.matmul ins(%collapsed, %transposed_13 : tensor<1024x768xbf16>, tensor<768x256xbf16>) outs(%27 : tensor<1024x256xf32>) -> tensor<1024x256xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<1024x256xf32>) outs(%29 : tensor<1024x256xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x256xbf16>
    %expanded_14 = tensor.expand_shape %38 [[0, 1], [2, 3]] output_shape [8, 128, 4, 64] : tensor<1024x256xbf16> into tensor<8x128x4x64xbf16>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<8x128x4x64xbf16>) outs(%31 : tensor<8x4x128x64xbf16>) permutation = [0, 2, 1, 3]
    %39 = tensor.empty() : tensor<8x4x3x128x64xbf16>
    %40 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<8x4x128x64xbf16>) outs(%39 : tensor<8x4x3x128x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x4x3x128x64xbf16>
    %collapsed_16 = tensor.collapse_shape %40 [[0], [1, 2], [3], [4]] : tensor<8x4x3x128x64xbf16> into tensor<8x12x128x64xbf16>
    %41 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15 : tensor<8x4x128x64xbf16>) outs(%39 : tensor<8x4x3x128x64xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<8x4x3x128x64xbf16>
    %42 = tensor.empty() : tensor<8x12x64x128xbf16>
    %transposed_17 = linalg.transpose ins(%collapsed_16 : tensor<8x12x128x64xbf16>) outs(%42 : tensor<8x12x64x128xbf16>) permutation = [0, 1, 3, 2]
    %collapsed_18 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<8x12x128x64xbf16> into tensor<96x128x64xbf16>
    %collapsed_19 = tensor.collapse_shape %transposed_17 [[0, 1], [2], [3]] : tensor<8x12x64x128xbf16> into tensor<96x64x128xbf16>
    %43 = tensor.empty() : tensor<96x128x128xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
    %45 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<96x128x64xbf16>, tensor<96x64x128xbf16>) outs(%44 : tensor<96x128x128xf32>) -> tensor<96x128x128xf32>
    %46 = tensor.empty() : tensor<96x128x128xbf16>
    %47 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<96x128x128xf32>) outs(%46 : tensor<96x128x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<96x128x128xbf16>
    %expanded_20 = tensor.expand_shape %47 [[0, 1], [2], [3]] output_shape [8, 12, 128, 128] : tensor<96x128x128xbf16> into tensor<8x12x128x128xbf16>
    %48 = tensor.empty() : tensor<8x12x128x128xbf16>
    %49 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20 : tensor<8x12x128x128xbf16>) outs(%48 : tensor<8x12x128x128xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %102 = arith.divf %in, %cst_4 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x128xbf16>
    %50 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %arg3 : tensor<8x12x128x128xbf16>, tensor<1x1x128x128xbf16>) outs(%48 : tensor<8x12x128x128xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.addf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x128xbf16>
    %51 = tensor.empty() : tensor<8x12x128x128xf32>
    %52 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<8x12x128x128xbf16>) outs(%51 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %102 = arith.extf %in : bf16 to f32
      linalg.yield %102 : f32
    } -> tensor<8x12x128x128xf32>
    %53 = tensor.empty() : tensor<8x12x128xi64>
    %54 = linalg.fill ins(%c0_i64 : i64) outs(%53 : tensor<8x12x128xi64>) -> tensor<8x12x128xi64>
    %55 = tensor.empty() : tensor<8x12x128xf32>
    %56 = linalg.fill ins(%cst_0 : f32) outs(%55 : tensor<8x12x128xf32>) -> tensor<8x12x128xf32>
    %57:2 = linalg.generic {indexing_maps = [#map4, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%52 : tensor<8x12x128x128xf32>) outs(%56, %54 : tensor<8x12x128xf32>, tensor<8x12x128xi64>) {
    ^bb0(%in: f32, %out: f32, %out_37: i64):
      %102 = linalg.index 3 : index
      %103 = arith.index_cast %102 : index to i64
      %104 = arith.maximumf %in, %out : f32
      %105 = arith.cmpf ogt, %in, %out : f32
      %106 = arith.select %105, %103, %out_37 : i64
      linalg.yield %104, %106 : f32, i64
    } -> (tensor<8x12x128xf32>, tensor<8x12x128xi64>)
    %expanded_21 = tensor.expand_shape %57#0 [[0], [1], [2, 3]] output_shape [8, 12, 128, 1] : tensor<8x12x128xf32> into tensor<8x12x128x1xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %expanded_21 : tensor<8x12x128x128xf32>, tensor<8x12x128x1xf32>) outs(%51 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.subf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x12x128x128xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<8x12x128x128xf32>) outs(%51 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = math.exp %in : f32
      linalg.yield %102 : f32
    } -> tensor<8x12x128x128xf32>
    %60 = tensor.empty() : tensor<8x12x128x1xf32>
    %61 = linalg.fill ins(%cst : f32) outs(%60 : tensor<8x12x128x1xf32>) -> tensor<8x12x128x1xf32>
    %62 = linalg.generic {indexing_maps = [#map4, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%59 : tensor<8x12x128x128xf32>) outs(%61 : tensor<8x12x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.addf %in, %out : f32
      linalg.yield %102 : f32
    } -> tensor<8x12x128x1xf32>
    %63 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %62 : tensor<8x12x128x128xf32>, tensor<8x12x128x1xf32>) outs(%51 : tensor<8x12x128x128xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.divf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x12x128x128xf32>
    %64 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63 : tensor<8x12x128x128xf32>) outs(%48 : tensor<8x12x128x128xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<8x12x128x128xbf16>
    %collapsed_22 = tensor.collapse_shape %64 [[0, 1], [2], [3]] : tensor<8x12x128x128xbf16> into tensor<96x128x128xbf16>
    %collapsed_23 = tensor.collapse_shape %41 [[0, 1, 2], [3], [4]] : tensor<8x4x3x128x64xbf16> into tensor<96x128x64xbf16>
    %65 = tensor.empty() : tensor<96x128x64xf32>
    %66 = linalg.fill ins(%cst : f32) outs(%65 : tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
    %67 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<96x128x128xbf16>, tensor<96x128x64xbf16>) outs(%66 : tensor<96x128x64xf32>) -> tensor<96x128x64xf32>
    %68 = tensor.empty() : tensor<96x128x64xbf16>
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<96x128x64xf32>) outs(%68 : tensor<96x128x64xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<96x128x64xbf16>
    %expanded_24 = tensor.expand_shape %69 [[0, 1], [2], [3]] output_shape [8, 12, 128, 64] : tensor<96x128x64xbf16> into tensor<8x12x128x64xbf16>
    %70 = tensor.empty() : tensor<8x128x12x64xbf16>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<8x12x128x64xbf16>) outs(%70 : tensor<8x128x12x64xbf16>) permutation = [0, 2, 1, 3]
    %transposed_26 = linalg.transpose ins(%arg8 : tensor<768x768xbf16>) outs(%13 : tensor<768x768xbf16>) permutation = [1, 0]
    %collapsed_27 = tensor.collapse_shape %transposed_25 [[0, 1], [2, 3]] : tensor<8x128x12x64xbf16> into tensor<1024x768xbf16>
    %71 = linalg.matmul ins(%collapsed_27, %transposed_26 : tensor<1024x768xbf16>, tensor<768x768xbf16>) outs(%15 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %72 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%71 : tensor<1024x768xf32>) outs(%17 : tensor<1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x768xbf16>
    %expanded_28 = tensor.expand_shape %72 [[0, 1], [2]] output_shape [8, 128, 768] : tensor<1024x768xbf16> into tensor<8x128x768xbf16>
    %73 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_28 : tensor<8x128x768xbf16>, tensor<8x128x768xbf16>) outs(%10 : tensor<8x128x768xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.addf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x768xbf16>
    %74 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73 : tensor<8x128x768xbf16>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %102 = arith.extf %in : bf16 to f32
      linalg.yield %102 : f32
    } -> tensor<8x128x768xf32>
    %75 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %74 : tensor<8x128x768xf32>, tensor<8x128x768xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.mulf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x768xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%75 : tensor<8x128x768xf32>) outs(%4 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.addf %in, %out : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x1xf32>
    %77 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%76 : tensor<8x128x1xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.divf %in, %cst_3 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x1xf32>
    %78 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<8x128x1xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.truncf %cst_2 : f64 to f32
      %103 = arith.addf %in, %102 : f32
      linalg.yield %103 : f32
    } -> tensor<8x128x1xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78 : tensor<8x128x1xf32>) outs(%3 : tensor<8x128x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = math.rsqrt %in : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x1xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %79 : tensor<8x128x768xf32>, tensor<8x128x1xf32>) outs(%0 : tensor<8x128x768xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.mulf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x768xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<8x128x768xf32>) outs(%10 : tensor<8x128x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x768xbf16>
    %82 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %81 : tensor<768xbf16>, tensor<8x128x768xbf16>) outs(%10 : tensor<8x128x768xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x768xbf16>
    %83 = tensor.empty() : tensor<768x2048xbf16>
    %transposed_29 = linalg.transpose ins(%arg10 : tensor<2048x768xbf16>) outs(%83 : tensor<768x2048xbf16>) permutation = [1, 0]
    %collapsed_30 = tensor.collapse_shape %82 [[0, 1], [2]] : tensor<8x128x768xbf16> into tensor<1024x768xbf16>
    %84 = tensor.empty() : tensor<1024x2048xf32>
    %85 = linalg.fill ins(%cst : f32) outs(%84 : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
    %86 = linalg.matmul ins(%collapsed_30, %transposed_29 : tensor<1024x768xbf16>, tensor<768x2048xbf16>) outs(%85 : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
    %87 = tensor.empty() : tensor<1024x2048xbf16>
    %88 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%86 : tensor<1024x2048xf32>) outs(%87 : tensor<1024x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x2048xbf16>
    %expanded_31 = tensor.expand_shape %88 [[0, 1], [2]] output_shape [8, 128, 2048] : tensor<1024x2048xbf16> into tensor<8x128x2048xbf16>
    %89 = tensor.empty() : tensor<8x128x2048xf32>
    %90 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<8x128x2048xbf16>) outs(%89 : tensor<8x128x2048xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %102 = arith.extf %in : bf16 to f32
      linalg.yield %102 : f32
    } -> tensor<8x128x2048xf32>
    %91 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90 : tensor<8x128x2048xf32>) outs(%89 : tensor<8x128x2048xf32>) {
    ^bb0(%in: f32, %out: f32):
      %102 = arith.negf %in : f32
      %103 = math.exp %102 : f32
      %104 = arith.addf %103, %cst_1 : f32
      %105 = arith.divf %cst_1, %104 : f32
      linalg.yield %105 : f32
    } -> tensor<8x128x2048xf32>
    %92 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %91 : tensor<8x128x2048xf32>, tensor<8x128x2048xf32>) outs(%89 : tensor<8x128x2048xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %102 = arith.mulf %in, %in_37 : f32
      linalg.yield %102 : f32
    } -> tensor<8x128x2048xf32>
    %93 = tensor.empty() : tensor<8x128x2048xbf16>
    %94 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92 : tensor<8x128x2048xf32>) outs(%93 : tensor<8x128x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x2048xbf16>
    %transposed_32 = linalg.transpose ins(%arg11 : tensor<2048x768xbf16>) outs(%83 : tensor<768x2048xbf16>) permutation = [1, 0]
    %95 = linalg.matmul ins(%collapsed_30, %transposed_32 : tensor<1024x768xbf16>, tensor<768x2048xbf16>) outs(%85 : tensor<1024x2048xf32>) -> tensor<1024x2048xf32>
    %96 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%95 : tensor<1024x2048xf32>) outs(%87 : tensor<1024x2048xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x2048xbf16>
    %expanded_33 = tensor.expand_shape %96 [[0, 1], [2]] output_shape [8, 128, 2048] : tensor<1024x2048xbf16> into tensor<8x128x2048xbf16>
    %97 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %expanded_33 : tensor<8x128x2048xbf16>, tensor<8x128x2048xbf16>) outs(%93 : tensor<8x128x2048xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.mulf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x2048xbf16>
    %98 = tensor.empty() : tensor<2048x768xbf16>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<768x2048xbf16>) outs(%98 : tensor<2048x768xbf16>) permutation = [1, 0]
    %collapsed_35 = tensor.collapse_shape %97 [[0, 1], [2]] : tensor<8x128x2048xbf16> into tensor<1024x2048xbf16>
    %99 = linalg.matmul ins(%collapsed_35, %transposed_34 : tensor<1024x2048xbf16>, tensor<2048x768xbf16>) outs(%15 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
    %100 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%99 : tensor<1024x768xf32>) outs(%17 : tensor<1024x768xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %102 = arith.truncf %in : f32 to bf16
      linalg.yield %102 : bf16
    } -> tensor<1024x768xbf16>
    %expanded_36 = tensor.expand_shape %100 [[0, 1], [2]] output_shape [8, 128, 768] : tensor<1024x768xbf16> into tensor<8x128x768xbf16>
    %101 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%73, %expanded_36 : tensor<8x128x768xbf16>, tensor<8x128x768xbf16>) outs(%10 : tensor<8x128x768xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %102 = arith.addf %in, %in_37 : bf16
      linalg.yield %102 : bf16
    } -> tensor<8x128x768xbf16>
    return %101 : tensor<8x128x768xbf16>
  }
}
