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
  func.func @main(%arg0: tensor<2x15x44xf32>, %arg1: tensor<15x6xf32>, %arg2: tensor<15x6xf32>, %arg3: tensor<1x1x15x15xf32>, %arg4: tensor<44xf32>, %arg5: tensor<36x44xf32>, %arg6: tensor<12x44xf32>, %arg7: tensor<12x44xf32>, %arg8: tensor<44x36xf32>, %arg9: tensor<44xf32>, %arg10: tensor<76x44xf32>, %arg11: tensor<76x44xf32>, %arg12: tensor<44x76xf32>) -> tensor<2x15x44xf32> {
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 2.4494897427831779 : f64
    %cst_3 = arith.constant 9.9999999999999995E-7 : f64
    %cst_4 = arith.constant 4.400000e+01 : f32
    %0 = tensor.empty() : tensor<2x15x44xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<2x15x44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %2 = tensor.empty() : tensor<2x15x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<2x15x1xf32>) -> tensor<2x15x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%1 : tensor<2x15x44xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<2x15x1xf32>) outs(%2 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_4 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x15x1xf32>) outs(%2 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<2x15x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6 : tensor<2x15x1xf32>) outs(%2 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.rsqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %7 : tensor<2x15x44xf32>, tensor<2x15x1xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %9 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg4, %8 : tensor<44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %10 = tensor.empty() : tensor<44x36xf32>
    %transposed = linalg.transpose ins(%arg5 : tensor<36x44xf32>) outs(%10 : tensor<44x36xf32>) permutation = [1, 0]
    %collapsed = tensor.collapse_shape %9 [[0, 1], [2]] : tensor<2x15x44xf32> into tensor<30x44xf32>
    %11 = tensor.empty() : tensor<30x36xf32>
    %12 = linalg.fill ins(%cst : f32) outs(%11 : tensor<30x36xf32>) -> tensor<30x36xf32>
    %13 = linalg.matmul ins(%collapsed, %transposed : tensor<30x44xf32>, tensor<44x36xf32>) outs(%12 : tensor<30x36xf32>) -> tensor<30x36xf32>
    %expanded = tensor.expand_shape %13 [[0, 1], [2, 3]] output_shape [2, 15, 6, 6] : tensor<30x36xf32> into tensor<2x15x6x6xf32>
    %14 = tensor.empty() : tensor<2x6x15x6xf32>
    %transposed_5 = linalg.transpose ins(%expanded : tensor<2x15x6x6xf32>) outs(%14 : tensor<2x6x15x6xf32>) permutation = [0, 2, 1, 3]
    %extracted_slice = tensor.extract_slice %transposed_5[0, 0, 0, 0] [2, 6, 15, 3] [1, 1, 1, 1] : tensor<2x6x15x6xf32> to tensor<2x6x15x3xf32>
    %extracted_slice_6 = tensor.extract_slice %transposed_5[0, 0, 0, 3] [2, 6, 15, 3] [1, 1, 1, 1] : tensor<2x6x15x6xf32> to tensor<2x6x15x3xf32>
    %15 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_5, %arg1 : tensor<2x6x15x6xf32>, tensor<15x6xf32>) outs(%14 : tensor<2x6x15x6xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x6xf32>
    %16 = tensor.empty() : tensor<2x6x15x3xf32>
    %17 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_6 : tensor<2x6x15x3xf32>) outs(%16 : tensor<2x6x15x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.negf %in : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x3xf32>
    %concat = tensor.concat dim(3) %17, %extracted_slice : (tensor<2x6x15x3xf32>, tensor<2x6x15x3xf32>) -> tensor<2x6x15x6xf32>
    %18 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat, %arg2 : tensor<2x6x15x6xf32>, tensor<15x6xf32>) outs(%14 : tensor<2x6x15x6xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x6xf32>
    %19 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %18 : tensor<2x6x15x6xf32>, tensor<2x6x15x6xf32>) outs(%14 : tensor<2x6x15x6xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.addf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x6xf32>
    %20 = tensor.empty() : tensor<44x12xf32>
    %transposed_7 = linalg.transpose ins(%arg6 : tensor<12x44xf32>) outs(%20 : tensor<44x12xf32>) permutation = [1, 0]
    %21 = tensor.empty() : tensor<30x12xf32>
    %22 = linalg.fill ins(%cst : f32) outs(%21 : tensor<30x12xf32>) -> tensor<30x12xf32>
    %23 = linalg.matmul ins(%collapsed, %transposed_7 : tensor<30x44xf32>, tensor<44x12xf32>) outs(%22 : tensor<30x12xf32>) -> tensor<30x12xf32>
    %expanded_8 = tensor.expand_shape %23 [[0, 1], [2, 3]] output_shape [2, 15, 2, 6] : tensor<30x12xf32> into tensor<2x15x2x6xf32>
    %24 = tensor.empty() : tensor<2x2x15x6xf32>
    %transposed_9 = linalg.transpose ins(%expanded_8 : tensor<2x15x2x6xf32>) outs(%24 : tensor<2x2x15x6xf32>) permutation = [0, 2, 1, 3]
    %extracted_slice_10 = tensor.extract_slice %transposed_9[0, 0, 0, 0] [2, 2, 15, 3] [1, 1, 1, 1] : tensor<2x2x15x6xf32> to tensor<2x2x15x3xf32>
    %extracted_slice_11 = tensor.extract_slice %transposed_9[0, 0, 0, 3] [2, 2, 15, 3] [1, 1, 1, 1] : tensor<2x2x15x6xf32> to tensor<2x2x15x3xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%transposed_9, %arg1 : tensor<2x2x15x6xf32>, tensor<15x6xf32>) outs(%24 : tensor<2x2x15x6xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x2x15x6xf32>
    %26 = tensor.empty() : tensor<2x2x15x3xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%extracted_slice_11 : tensor<2x2x15x3xf32>) outs(%26 : tensor<2x2x15x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.negf %in : f32
      linalg.yield %80 : f32
    } -> tensor<2x2x15x3xf32>
    %concat_12 = tensor.concat dim(3) %27, %extracted_slice_10 : (tensor<2x2x15x3xf32>, tensor<2x2x15x3xf32>) -> tensor<2x2x15x6xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%concat_12, %arg2 : tensor<2x2x15x6xf32>, tensor<15x6xf32>) outs(%24 : tensor<2x2x15x6xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x2x15x6xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %28 : tensor<2x2x15x6xf32>, tensor<2x2x15x6xf32>) outs(%24 : tensor<2x2x15x6xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.addf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x2x15x6xf32>
    %transposed_13 = linalg.transpose ins(%arg7 : tensor<12x44xf32>) outs(%20 : tensor<44x12xf32>) permutation = [1, 0]
    %30 = linalg.matmul ins(%collapsed, %transposed_13 : tensor<30x44xf32>, tensor<44x12xf32>) outs(%22 : tensor<30x12xf32>) -> tensor<30x12xf32>
    %expanded_14 = tensor.expand_shape %30 [[0, 1], [2, 3]] output_shape [2, 15, 2, 6] : tensor<30x12xf32> into tensor<2x15x2x6xf32>
    %transposed_15 = linalg.transpose ins(%expanded_14 : tensor<2x15x2x6xf32>) outs(%24 : tensor<2x2x15x6xf32>) permutation = [0, 2, 1, 3]
    %31 = tensor.empty() : tensor<2x2x3x15x6xf32>
    %32 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<2x2x15x6xf32>) outs(%31 : tensor<2x2x3x15x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x3x15x6xf32>
    %collapsed_16 = tensor.collapse_shape %32 [[0], [1, 2], [3], [4]] : tensor<2x2x3x15x6xf32> into tensor<2x6x15x6xf32>
    %33 = linalg.generic {indexing_maps = [#map5, #map6], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%transposed_15 : tensor<2x2x15x6xf32>) outs(%31 : tensor<2x2x3x15x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x2x3x15x6xf32>
    %34 = tensor.empty() : tensor<2x6x6x15xf32>
    %transposed_17 = linalg.transpose ins(%collapsed_16 : tensor<2x6x15x6xf32>) outs(%34 : tensor<2x6x6x15xf32>) permutation = [0, 1, 3, 2]
    %collapsed_18 = tensor.collapse_shape %19 [[0, 1], [2], [3]] : tensor<2x6x15x6xf32> into tensor<12x15x6xf32>
    %collapsed_19 = tensor.collapse_shape %transposed_17 [[0, 1], [2], [3]] : tensor<2x6x6x15xf32> into tensor<12x6x15xf32>
    %35 = tensor.empty() : tensor<12x15x15xf32>
    %36 = linalg.fill ins(%cst : f32) outs(%35 : tensor<12x15x15xf32>) -> tensor<12x15x15xf32>
    %37 = linalg.batch_matmul ins(%collapsed_18, %collapsed_19 : tensor<12x15x6xf32>, tensor<12x6x15xf32>) outs(%36 : tensor<12x15x15xf32>) -> tensor<12x15x15xf32>
    %expanded_20 = tensor.expand_shape %37 [[0, 1], [2], [3]] output_shape [2, 6, 15, 15] : tensor<12x15x15xf32> into tensor<2x6x15x15xf32>
    %38 = tensor.empty() : tensor<2x6x15x15xf32>
    %39 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_20 : tensor<2x6x15x15xf32>) outs(%38 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = arith.divf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<2x6x15x15xf32>
    %40 = linalg.generic {indexing_maps = [#map3, #map7, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%39, %arg3 : tensor<2x6x15x15xf32>, tensor<1x1x15x15xf32>) outs(%38 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.addf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x15xf32>
    %41 = tensor.empty() : tensor<2x6x15xi64>
    %42 = linalg.fill ins(%c0_i64 : i64) outs(%41 : tensor<2x6x15xi64>) -> tensor<2x6x15xi64>
    %43 = tensor.empty() : tensor<2x6x15xf32>
    %44 = linalg.fill ins(%cst_0 : f32) outs(%43 : tensor<2x6x15xf32>) -> tensor<2x6x15xf32>
    %45:2 = linalg.generic {indexing_maps = [#map3, #map8, #map8], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%40 : tensor<2x6x15x15xf32>) outs(%44, %42 : tensor<2x6x15xf32>, tensor<2x6x15xi64>) {
    ^bb0(%in: f32, %out: f32, %out_37: i64):
      %80 = linalg.index 3 : index
      %81 = arith.index_cast %80 : index to i64
      %82 = arith.maximumf %in, %out : f32
      %83 = arith.cmpf ogt, %in, %out : f32
      %84 = arith.select %83, %81, %out_37 : i64
      linalg.yield %82, %84 : f32, i64
    } -> (tensor<2x6x15xf32>, tensor<2x6x15xi64>)
    %expanded_21 = tensor.expand_shape %45#0 [[0], [1], [2, 3]] output_shape [2, 6, 15, 1] : tensor<2x6x15xf32> into tensor<2x6x15x1xf32>
    %46 = linalg.generic {indexing_maps = [#map3, #map9, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %expanded_21 : tensor<2x6x15x15xf32>, tensor<2x6x15x1xf32>) outs(%38 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.subf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x15xf32>
    %47 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%46 : tensor<2x6x15x15xf32>) outs(%38 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.exp %in : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x15xf32>
    %48 = tensor.empty() : tensor<2x6x15x1xf32>
    %49 = linalg.fill ins(%cst : f32) outs(%48 : tensor<2x6x15x1xf32>) -> tensor<2x6x15x1xf32>
    %50 = linalg.generic {indexing_maps = [#map3, #map9], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%47 : tensor<2x6x15x15xf32>) outs(%49 : tensor<2x6x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x1xf32>
    %51 = linalg.generic {indexing_maps = [#map3, #map9, #map3], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%47, %50 : tensor<2x6x15x15xf32>, tensor<2x6x15x1xf32>) outs(%38 : tensor<2x6x15x15xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.divf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x6x15x15xf32>
    %collapsed_22 = tensor.collapse_shape %51 [[0, 1], [2], [3]] : tensor<2x6x15x15xf32> into tensor<12x15x15xf32>
    %collapsed_23 = tensor.collapse_shape %33 [[0, 1, 2], [3], [4]] : tensor<2x2x3x15x6xf32> into tensor<12x15x6xf32>
    %52 = tensor.empty() : tensor<12x15x6xf32>
    %53 = linalg.fill ins(%cst : f32) outs(%52 : tensor<12x15x6xf32>) -> tensor<12x15x6xf32>
    %54 = linalg.batch_matmul ins(%collapsed_22, %collapsed_23 : tensor<12x15x15xf32>, tensor<12x15x6xf32>) outs(%53 : tensor<12x15x6xf32>) -> tensor<12x15x6xf32>
    %expanded_24 = tensor.expand_shape %54 [[0, 1], [2], [3]] output_shape [2, 6, 15, 6] : tensor<12x15x6xf32> into tensor<2x6x15x6xf32>
    %55 = tensor.empty() : tensor<2x15x6x6xf32>
    %transposed_25 = linalg.transpose ins(%expanded_24 : tensor<2x6x15x6xf32>) outs(%55 : tensor<2x15x6x6xf32>) permutation = [0, 2, 1, 3]
    %56 = tensor.empty() : tensor<36x44xf32>
    %transposed_26 = linalg.transpose ins(%arg8 : tensor<44x36xf32>) outs(%56 : tensor<36x44xf32>) permutation = [1, 0]
    %collapsed_27 = tensor.collapse_shape %transposed_25 [[0, 1], [2, 3]] : tensor<2x15x6x6xf32> into tensor<30x36xf32>
    %57 = tensor.empty() : tensor<30x44xf32>
    %58 = linalg.fill ins(%cst : f32) outs(%57 : tensor<30x44xf32>) -> tensor<30x44xf32>
    %59 = linalg.matmul ins(%collapsed_27, %transposed_26 : tensor<30x36xf32>, tensor<36x44xf32>) outs(%58 : tensor<30x44xf32>) -> tensor<30x44xf32>
    %expanded_28 = tensor.expand_shape %59 [[0, 1], [2]] output_shape [2, 15, 44] : tensor<30x44xf32> into tensor<2x15x44xf32>
    %60 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %expanded_28 : tensor<2x15x44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.addf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %61 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %60 : tensor<2x15x44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %62 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%61 : tensor<2x15x44xf32>) outs(%3 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.addf %in, %out : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x1xf32>
    %63 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62 : tensor<2x15x1xf32>) outs(%2 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.divf %in, %cst_4 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x1xf32>
    %64 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%63 : tensor<2x15x1xf32>) outs(%2 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<2x15x1xf32>
    %65 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%64 : tensor<2x15x1xf32>) outs(%2 : tensor<2x15x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.rsqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x1xf32>
    %66 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %65 : tensor<2x15x44xf32>, tensor<2x15x1xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %67 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg9, %66 : tensor<44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    %68 = tensor.empty() : tensor<44x76xf32>
    %transposed_29 = linalg.transpose ins(%arg10 : tensor<76x44xf32>) outs(%68 : tensor<44x76xf32>) permutation = [1, 0]
    %collapsed_30 = tensor.collapse_shape %67 [[0, 1], [2]] : tensor<2x15x44xf32> into tensor<30x44xf32>
    %69 = tensor.empty() : tensor<30x76xf32>
    %70 = linalg.fill ins(%cst : f32) outs(%69 : tensor<30x76xf32>) -> tensor<30x76xf32>
    %71 = linalg.matmul ins(%collapsed_30, %transposed_29 : tensor<30x44xf32>, tensor<44x76xf32>) outs(%70 : tensor<30x76xf32>) -> tensor<30x76xf32>
    %expanded_31 = tensor.expand_shape %71 [[0, 1], [2]] output_shape [2, 15, 76] : tensor<30x76xf32> into tensor<2x15x76xf32>
    %72 = tensor.empty() : tensor<2x15x76xf32>
    %73 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31 : tensor<2x15x76xf32>) outs(%72 : tensor<2x15x76xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.negf %in : f32
      %81 = math.exp %80 : f32
      %82 = arith.addf %81, %cst_1 : f32
      %83 = arith.divf %cst_1, %82 : f32
      linalg.yield %83 : f32
    } -> tensor<2x15x76xf32>
    %74 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_31, %73 : tensor<2x15x76xf32>, tensor<2x15x76xf32>) outs(%72 : tensor<2x15x76xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x76xf32>
    %transposed_32 = linalg.transpose ins(%arg11 : tensor<76x44xf32>) outs(%68 : tensor<44x76xf32>) permutation = [1, 0]
    %75 = linalg.matmul ins(%collapsed_30, %transposed_32 : tensor<30x44xf32>, tensor<44x76xf32>) outs(%70 : tensor<30x76xf32>) -> tensor<30x76xf32>
    %expanded_33 = tensor.expand_shape %75 [[0, 1], [2]] output_shape [2, 15, 76] : tensor<30x76xf32> into tensor<2x15x76xf32>
    %76 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %expanded_33 : tensor<2x15x76xf32>, tensor<2x15x76xf32>) outs(%72 : tensor<2x15x76xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.mulf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x76xf32>
    %77 = tensor.empty() : tensor<76x44xf32>
    %transposed_34 = linalg.transpose ins(%arg12 : tensor<44x76xf32>) outs(%77 : tensor<76x44xf32>) permutation = [1, 0]
    %collapsed_35 = tensor.collapse_shape %76 [[0, 1], [2]] : tensor<2x15x76xf32> into tensor<30x76xf32>
    %78 = linalg.matmul ins(%collapsed_35, %transposed_34 : tensor<30x76xf32>, tensor<76x44xf32>) outs(%58 : tensor<30x44xf32>) -> tensor<30x44xf32>
    %expanded_36 = tensor.expand_shape %78 [[0, 1], [2]] output_shape [2, 15, 44] : tensor<30x44xf32> into tensor<2x15x44xf32>
    %79 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%60, %expanded_36 : tensor<2x15x44xf32>, tensor<2x15x44xf32>) outs(%0 : tensor<2x15x44xf32>) {
    ^bb0(%in: f32, %in_37: f32, %out: f32):
      %80 = arith.addf %in, %in_37 : f32
      linalg.yield %80 : f32
    } -> tensor<2x15x44xf32>
    return %79 : tensor<2x15x44xf32>
  }
}
