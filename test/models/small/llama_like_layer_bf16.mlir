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
  func.func @main(%arg0: tensor<2x15x44xbf16>, %arg1: tensor<15x6xbf16>, %arg2: tensor<15x6xbf16>, %arg3: tensor<1x1x15x15xbf16>, %arg4: tensor<44xbf16>, %arg5: tensor<36x44xbf16>, %arg6: tensor<12x44xbf16>, %arg7: tensor<12x44xbf16>, %arg8: tensor<44x36xbf16>, %arg9: tensor<44xbf16>, %arg10: tensor<76x44xbf16>, %arg11: tensor<76x44xbf16>, %arg12: tensor<44x76xbf16>) -> tensor<2x15x44xbf16> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 2.4494897427831779 : f64
    %cst_3 = arith.constant 9.9999999999999995E-7 : f64
    %cst_4 = arith.constant 4.400000e+01 : f32
    %0 = tensor.empty() : tensor<2x15x44xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x15x44xbf16>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %106 = arith.extf %in : bf16 to f32
      linalg.yield %106 : f32
    } -> tensor<2x15x44xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %1 : tensor<2x15x44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.mulf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x44xf32>
    %3 = tensor.empty() : tensor<2x15x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x15x1xf32>) -> tensor<2x15x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x15x44xf32>) outs(%4 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.addf %in, %out : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x15x1xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.divf %in, %cst_4 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x15x1xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.truncf %cst_3 : f64 to f32
      %107 = arith.addf %in, %106 : f32
      linalg.yield %107 : f32
    } -> tensor<2x15x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7 : tensor<2x15x1xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = math.rsqrt %in : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %8 : tensor<2x15x44xf32>, tensor<2x15x1xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.mulf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x44xf32>
    %10 = tensor.empty() : tensor<2x15x44xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x15x44xf32>) outs(%10 : tensor<2x15x44xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x44xbf16>
    %12 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4, %11 : tensor<44xbf16>, tensor<2x15x44xbf16>) outs(%10 : tensor<2x15x44xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x44xbf16>
    %13 = tensor.empty() : tensor<44x36xbf16>
    %transposed = linalg.transpose ins(%arg5 : tensor<36x44xbf16>) outs(%13 : tensor<44x36xbf16>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %12 [[0, 1], [2]] : tensor<2x15x44xbf16> into tensor<30x44xbf16>
    %14 = tensor.empty() : tensor<30x36xf32>
    %15 = linalg.fill ins(%cst : f32) outs(%14 : tensor<30x36xf32>) -> tensor<30x36xf32>
    %16 = linalg.matmul ins(%collapsed, %transposed : tensor<30x44xbf16>, tensor<44x36xbf16>) outs(%15 : tensor<30x36xf32>) -> tensor<30x36xf32>
    %17 = tensor.empty() : tensor<30x36xbf16>
    %18 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<30x36xf32>) outs(%17 : tensor<30x36xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x36xbf16>
    %expanded = tensor.expand_shape %18 [[0, 1], [2, 3]] output_shape [2, 15, 6, 6] : tensor<30x36xbf16> into tensor<2x15x6x6xbf16>
    %19 = tensor.empty() : tensor<2x6x15x6xbf16>
    %transposed_5 = linalg.transpose ins(%expanded : tensor<2x15x6x6xbf16>) outs(%19 : tensor<2x6x15x6xbf16>) permutation = [0, 2, 1, 3]
    %extracted_slice = tensor.extract_slice %transposed_5[0, 0, 0, 0] [2, 6, 15, 3] [1, 1, 1, 1] : tensor<2x6x15x6xbf16> to tensor<2x6x15x3xbf16>
    %extracted_slice_6 = tensor.extract_slice %transposed_5[0, 0, 0, 3] [2, 6, 15, 3] [1, 1, 1, 1] : tensor<2x6x15x6xbf16> to tensor<2x6x15x3xbf16>
    %20 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_5, %arg1 : tensor<2x6x15x6xbf16>, tensor<15x6xbf16>) outs(%19 : tensor<2x6x15x6xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x6x15x6xbf16>
    %21 = tensor.empty() : tensor<2x6x15x3xbf16>
    %22 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_6 : tensor<2x6x15x3xbf16>) outs(%21 : tensor<2x6x15x3xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %106 = arith.negf %in : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x6x15x3xbf16>
    %concat = tensor.concat dim(3) %22, %extracted_slice : (tensor<2x6x15x3xbf16>, tensor<2x6x15x3xbf16>) -> tensor<2x6x15x6xbf16>
    %23 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg2 : tensor<2x6x15x6xbf16>, tensor<15x6xbf16>) outs(%19 : tensor<2x6x15x6xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x6x15x6xbf16>
    %24 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20, %23 : tensor<2x6x15x6xbf16>, tensor<2x6x15x6xbf16>) outs(%19 : tensor<2x6x15x6xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.addf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x6x15x6xbf16>
    %25 = tensor.empty() : tensor<44x12xbf16>
    %transposed_7 = linalg.transpose ins(%arg6 : tensor<12x44xbf16>) outs(%25 : tensor<44x12xbf16>) permutation = [1, 0]
    %26 = tensor.empty() : tensor<30x12xf32>
    %27 = linalg.fill ins(%cst : f32) outs(%26 : tensor<30x12xf32>) -> tensor<30x12xf32>
    %28 = linalg.matmul ins(%collapsed, %transposed_7 : tensor<30x44xbf16>, tensor<44x12xbf16>) outs(%27 : tensor<30x12xf32>) -> tensor<30x12xf32>
    %29 = tensor.empty() : tensor<30x12xbf16>
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%28 : tensor<30x12xf32>) outs(%29 : tensor<30x12xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x12xbf16>
    %expanded_8 = tensor.expand_shape %30 [[0, 1], [2, 3]] output_shape [2, 15, 2, 6] : tensor<30x12xbf16> into tensor<2x15x2x6xbf16>
    %31 = tensor.empty() : tensor<2x2x15x6xbf16>
    %transposed_9 = linalg.transpose ins(%expanded_8 : tensor<2x15x2x6xbf16>) outs(%31 : tensor<2x2x15x6xbf16>) permutation = [0, 2, 1, 3]
    %extracted_slice_10 = tensor.extract_slice %transposed_9[0, 0, 0, 0] [2, 2, 15, 3] [1, 1, 1, 1] : tensor<2x2x15x6xbf16> to tensor<2x2x15x3xbf16>
    %extracted_slice_11 = tensor.extract_slice %transposed_9[0, 0, 0, 3] [2, 2, 15, 3] [1, 1, 1, 1] : tensor<2x2x15x6xbf16> to tensor<2x2x15x3xbf16>
    %32 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_9, %arg1 : tensor<2x2x15x6xbf16>, tensor<15x6xbf16>) outs(%31 : tensor<2x2x15x6xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x2x15x6xbf16>
    %33 = tensor.empty() : tensor<2x2x15x3xbf16>
    %34 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_11 : tensor<2x2x15x3xbf16>) outs(%33 : tensor<2x2x15x3xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %106 = arith.negf %in : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x2x15x3xbf16>
    %concat_12 = tensor.concat dim(3) %34, %extracted_slice_10 : (tensor<2x2x15x3xbf16>, tensor<2x2x15x3xbf16>) -> tensor<2x2x15x6xbf16>
    %35 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_12, %arg2 : tensor<2x2x15x6xbf16>, tensor<15x6xbf16>) outs(%31 : tensor<2x2x15x6xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x2x15x6xbf16>
    %36 = linalg.generic {indexing_maps = [#map4, #map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%32, %35 : tensor<2x2x15x6xbf16>, tensor<2x2x15x6xbf16>) outs(%31 : tensor<2x2x15x6xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.addf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x2x15x6xbf16>
    %transposed_13 = linalg.transpose ins(%arg7 : tensor<12x44xbf16>) outs(%25 : tensor<44x12xbf16>) permutation = [1, 0]
    %37 = linalg.matmul ins(%collapsed, %transposed_13 : tensor<30x44xbf16>, tensor<44x12xbf16>) outs(%27 : tensor<30x12xf32>) -> tensor<30x12xf32>
    %38 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%37 : tensor<30x12xf32>) outs(%29 : tensor<30x12xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x12xbf16>
    %expanded_14 = tensor.expand_shape %38 [[0, 1], [2, 3]] output_shape [2, 15, 2, 6] : tensor<30x12xbf16> into tensor<2x15x2x6xbf16>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x15x2x6xbf16>) outs(%31 : tensor<2x2x15x6xbf16>) permutation = [0, 2, 1, 3]
    %39 = tensor.empty() : tensor<2x2x3x15x6xbf16>
    %40 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%36 : tensor<2x2x15x6xbf16>) outs(%39 : tensor<2x2x3x15x6xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x3x15x6xbf16>
    %collapsed_16 = tensor.collapse_shape %40 [[0], [1, 2], [3], [4]] : tensor<2x2x3x15x6xbf16> into tensor<2x6x15x6xbf16>
    %41 = linalg.generic {indexing_maps = [#map6, #map7], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15 : tensor<2x2x15x6xbf16>) outs(%39 : tensor<2x2x3x15x6xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<2x2x3x15x6xbf16>
    %42 = tensor.empty() : tensor<2x6x6x15xbf16>
    %transposed_17 = linalg.transpose ins(%collapsed_16 : tensor<2x6x15x6xbf16>) outs(%42 : tensor<2x6x6x15xbf16>) permutation = [0, 1, 3, 2]
    %collapsed_18 = tensor.collapse_shape %24 [[0, 1], [2], [3]] : tensor<2x6x15x6xbf16> into tensor<12x15x6xbf16>
    %collapsed_19 = tensor.collapse_shape %transposed_17 [[0, 1], [2], [3]] : tensor<2x6x6x15xbf16> into tensor<12x6x15xbf16>
    %43 = tensor.empty() : tensor<12x15x15xf32>
    %44 = linalg.fill ins(%cst : f32) outs(%43 : tensor<12x15x15xf32>) -> tensor<12x15x15xf32>
    %45 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<12x15x6xbf16>, tensor<12x6x15xbf16>) outs(%44 : tensor<12x15x15xf32>) -> tensor<12x15x15xf32>
    %46 = tensor.empty() : tensor<12x15x15xbf16>
    %47 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%45 : tensor<12x15x15xf32>) outs(%46 : tensor<12x15x15xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<12x15x15xbf16>
    %expanded_20 = tensor.expand_shape %47 [[0, 1], [2], [3]] output_shape [2, 6, 15, 15] : tensor<12x15x15xbf16> into tensor<2x6x15x15xbf16>
    %48 = tensor.empty() : tensor<2x6x15x15xbf16>
    %49 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20 : tensor<2x6x15x15xbf16>) outs(%48 : tensor<2x6x15x15xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %106 = arith.truncf %cst_2 : f64 to bf16
      %107 = arith.divf %in, %106 : bf16
      linalg.yield %107 : bf16
    } -> tensor<2x6x15x15xbf16>
    %50 = linalg.generic {indexing_maps = [#map4, #map8, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%49, %arg3 : tensor<2x6x15x15xbf16>, tensor<1x1x15x15xbf16>) outs(%48 : tensor<2x6x15x15xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.addf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x6x15x15xbf16>
    %51 = tensor.empty() : tensor<2x6x15x15xf32>
    %52 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%50 : tensor<2x6x15x15xbf16>) outs(%51 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %106 = arith.extf %in : bf16 to f32
      linalg.yield %106 : f32
    } -> tensor<2x6x15x15xf32>
    %53 = tensor.empty() : tensor<2x6x15xi64>
    %54 = linalg.fill ins(%c0_i64 : i64) outs(%53 : tensor<2x6x15xi64>) -> tensor<2x6x15xi64>
    %55 = tensor.empty() : tensor<2x6x15xf32>
    %56 = linalg.fill ins(%cst_0 : f32) outs(%55 : tensor<2x6x15xf32>) -> tensor<2x6x15xf32>
    %57:2 = linalg.generic {indexing_maps = [#map4, #map9, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%52 : tensor<2x6x15x15xf32>) outs(%56, %54 : tensor<2x6x15xf32>, tensor<2x6x15xi64>) {
    ^bb0(%in: f32, %out: f32, %out_37: i64):
      %106 = linalg.index 3 : index
      %107 = arith.index_cast %106 : index to i64
      %108 = arith.maximumf %in, %out : f32
      %109 = arith.cmpf ogt, %in, %out : f32
      %110 = arith.select %109, %107, %out_37 : i64
      linalg.yield %108, %110 : f32, i64
    } -> (tensor<2x6x15xf32>, tensor<2x6x15xi64>)
    %expanded_21 = tensor.expand_shape %57#0 [[0], [1], [2, 3]] output_shape [2, 6, 15, 1] : tensor<2x6x15xf32> into tensor<2x6x15x1xf32>
    %58 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%52, %expanded_21 : tensor<2x6x15x15xf32>, tensor<2x6x15x1xf32>) outs(%51 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.subf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x6x15x15xf32>
    %59 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%58 : tensor<2x6x15x15xf32>) outs(%51 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = math.exp %in : f32
      linalg.yield %106 : f32
    } -> tensor<2x6x15x15xf32>
    %60 = tensor.empty() : tensor<2x6x15x1xf32>
    %61 = linalg.fill ins(%cst : f32) outs(%60 : tensor<2x6x15x1xf32>) -> tensor<2x6x15x1xf32>
    %62 = linalg.generic {indexing_maps = [#map4, #map10], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%59 : tensor<2x6x15x15xf32>) outs(%61 : tensor<2x6x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.addf %in, %out : f32
      linalg.yield %106 : f32
    } -> tensor<2x6x15x1xf32>
    %63 = linalg.generic {indexing_maps = [#map4, #map10, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%59, %62 : tensor<2x6x15x15xf32>, tensor<2x6x15x1xf32>) outs(%51 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.divf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x6x15x15xf32>
    %64 = linalg.generic {indexing_maps = [#map4, #map4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63 : tensor<2x6x15x15xf32>) outs(%48 : tensor<2x6x15x15xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<2x6x15x15xbf16>
    %collapsed_22 = tensor.collapse_shape %64 [[0, 1], [2], [3]] : tensor<2x6x15x15xbf16> into tensor<12x15x15xbf16>
    %collapsed_23 = tensor.collapse_shape %41 [[0, 1, 2], [3], [4]] : tensor<2x2x3x15x6xbf16> into tensor<12x15x6xbf16>
    %65 = tensor.empty() : tensor<12x15x6xf32>
    %66 = linalg.fill ins(%cst : f32) outs(%65 : tensor<12x15x6xf32>) -> tensor<12x15x6xf32>
    %67 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<12x15x15xbf16>, tensor<12x15x6xbf16>) outs(%66 : tensor<12x15x6xf32>) -> tensor<12x15x6xf32>
    %68 = tensor.empty() : tensor<12x15x6xbf16>
    %69 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%67 : tensor<12x15x6xf32>) outs(%68 : tensor<12x15x6xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<12x15x6xbf16>
    %expanded_24 = tensor.expand_shape %69 [[0, 1], [2], [3]] output_shape [2, 6, 15, 6] : tensor<12x15x6xbf16> into tensor<2x6x15x6xbf16>
    %70 = tensor.empty() : tensor<2x15x6x6xbf16>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<2x6x15x6xbf16>) outs(%70 : tensor<2x15x6x6xbf16>) permutation = [0, 2, 1, 3]
    %71 = tensor.empty() : tensor<36x44xbf16>
    %transposed_26 = linalg.transpose ins(%arg8 : tensor<44x36xbf16>) outs(%71 : tensor<36x44xbf16>) permutation = [1, 0]
    %collapsed_27 = tensor.collapse_shape %transposed_25 [[0, 1], [2, 3]] : tensor<2x15x6x6xbf16> into tensor<30x36xbf16>
    %72 = tensor.empty() : tensor<30x44xf32>
    %73 = linalg.fill ins(%cst : f32) outs(%72 : tensor<30x44xf32>) -> tensor<30x44xf32>
    %74 = linalg.matmul ins(%collapsed_27, %transposed_26 : tensor<30x36xbf16>, tensor<36x44xbf16>) outs(%73 : tensor<30x44xf32>) -> tensor<30x44xf32>
    %75 = tensor.empty() : tensor<30x44xbf16>
    %76 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%74 : tensor<30x44xf32>) outs(%75 : tensor<30x44xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x44xbf16>
    %expanded_28 = tensor.expand_shape %76 [[0, 1], [2]] output_shape [2, 15, 44] : tensor<30x44xbf16> into tensor<2x15x44xbf16>
    %77 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_28 : tensor<2x15x44xbf16>, tensor<2x15x44xbf16>) outs(%10 : tensor<2x15x44xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.addf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x44xbf16>
    %78 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77 : tensor<2x15x44xbf16>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %106 = arith.extf %in : bf16 to f32
      linalg.yield %106 : f32
    } -> tensor<2x15x44xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %78 : tensor<2x15x44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.mulf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x44xf32>
    %80 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%79 : tensor<2x15x44xf32>) outs(%4 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.addf %in, %out : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x1xf32>
    %81 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<2x15x1xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.divf %in, %cst_4 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x1xf32>
    %82 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%81 : tensor<2x15x1xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.truncf %cst_3 : f64 to f32
      %107 = arith.addf %in, %106 : f32
      linalg.yield %107 : f32
    } -> tensor<2x15x1xf32>
    %83 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<2x15x1xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = math.rsqrt %in : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x1xf32>
    %84 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78, %83 : tensor<2x15x44xf32>, tensor<2x15x1xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.mulf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x44xf32>
    %85 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%84 : tensor<2x15x44xf32>) outs(%10 : tensor<2x15x44xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x44xbf16>
    %86 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %85 : tensor<44xbf16>, tensor<2x15x44xbf16>) outs(%10 : tensor<2x15x44xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x44xbf16>
    %87 = tensor.empty() : tensor<44x76xbf16>
    %transposed_29 = linalg.transpose ins(%arg10 : tensor<76x44xbf16>) outs(%87 : tensor<44x76xbf16>) permutation = [1, 0]
    %collapsed_30 = tensor.collapse_shape %86 [[0, 1], [2]] : tensor<2x15x44xbf16> into tensor<30x44xbf16>
    %88 = tensor.empty() : tensor<30x76xf32>
    %89 = linalg.fill ins(%cst : f32) outs(%88 : tensor<30x76xf32>) -> tensor<30x76xf32>
    %90 = linalg.matmul ins(%collapsed_30, %transposed_29 : tensor<30x44xbf16>, tensor<44x76xbf16>) outs(%89 : tensor<30x76xf32>) -> tensor<30x76xf32>
    %91 = tensor.empty() : tensor<30x76xbf16>
    %92 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%90 : tensor<30x76xf32>) outs(%91 : tensor<30x76xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x76xbf16>
    %expanded_31 = tensor.expand_shape %92 [[0, 1], [2]] output_shape [2, 15, 76] : tensor<30x76xbf16> into tensor<2x15x76xbf16>
    %93 = tensor.empty() : tensor<2x15x76xf32>
    %94 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<2x15x76xbf16>) outs(%93 : tensor<2x15x76xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %106 = arith.extf %in : bf16 to f32
      linalg.yield %106 : f32
    } -> tensor<2x15x76xf32>
    %95 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94 : tensor<2x15x76xf32>) outs(%93 : tensor<2x15x76xf32>) {
    ^bb0(%in: f32, %out: f32):
      %106 = arith.negf %in : f32
      %107 = math.exp %106 : f32
      %108 = arith.addf %107, %cst_1 : f32
      %109 = arith.divf %cst_1, %108 : f32
      linalg.yield %109 : f32
    } -> tensor<2x15x76xf32>
    %96 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%94, %95 : tensor<2x15x76xf32>, tensor<2x15x76xf32>) outs(%93 : tensor<2x15x76xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %106 = arith.mulf %in, %in_37 : f32
      linalg.yield %106 : f32
    } -> tensor<2x15x76xf32>
    %97 = tensor.empty() : tensor<2x15x76xbf16>
    %98 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%96 : tensor<2x15x76xf32>) outs(%97 : tensor<2x15x76xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x76xbf16>
    %transposed_32 = linalg.transpose ins(%arg11 : tensor<76x44xbf16>) outs(%87 : tensor<44x76xbf16>) permutation = [1, 0]
    %99 = linalg.matmul ins(%collapsed_30, %transposed_32 : tensor<30x44xbf16>, tensor<44x76xbf16>) outs(%89 : tensor<30x76xf32>) -> tensor<30x76xf32>
    %100 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%99 : tensor<30x76xf32>) outs(%91 : tensor<30x76xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x76xbf16>
    %expanded_33 = tensor.expand_shape %100 [[0, 1], [2]] output_shape [2, 15, 76] : tensor<30x76xbf16> into tensor<2x15x76xbf16>
    %101 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%98, %expanded_33 : tensor<2x15x76xbf16>, tensor<2x15x76xbf16>) outs(%97 : tensor<2x15x76xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.mulf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x76xbf16>
    %102 = tensor.empty() : tensor<76x44xbf16>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<44x76xbf16>) outs(%102 : tensor<76x44xbf16>) permutation = [1, 0]
    %collapsed_35 = tensor.collapse_shape %101 [[0, 1], [2]] : tensor<2x15x76xbf16> into tensor<30x76xbf16>
    %103 = linalg.matmul ins(%collapsed_35, %transposed_34 : tensor<30x76xbf16>, tensor<76x44xbf16>) outs(%73 : tensor<30x44xf32>) -> tensor<30x44xf32>
    %104 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel"]} ins(%103 : tensor<30x44xf32>) outs(%75 : tensor<30x44xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %106 = arith.truncf %in : f32 to bf16
      linalg.yield %106 : bf16
    } -> tensor<30x44xbf16>
    %expanded_36 = tensor.expand_shape %104 [[0, 1], [2]] output_shape [2, 15, 44] : tensor<30x44xbf16> into tensor<2x15x44xbf16>
    %105 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %expanded_36 : tensor<2x15x44xbf16>, tensor<2x15x44xbf16>) outs(%10 : tensor<2x15x44xbf16>) {
    ^bb0(%in: bf16, %in_37: bf16, %out: bf16):
      %106 = arith.addf %in, %in_37 : bf16
      linalg.yield %106 : bf16
    } -> tensor<2x15x44xbf16>
    return %105 : tensor<2x15x44xbf16>
  }
}
