#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d1, 0, 0)>
module {
  func.func @main(%arg0: tensor<8x256x56x56xf32>, %arg1: tensor<64x256x1x1xf32>, %arg2: tensor<64xf32>, %arg3: tensor<64xf32>, %arg4: tensor<64x64x3x3xf32>, %arg5: tensor<64xf32>, %arg6: tensor<64xf32>, %arg7: tensor<256x64x1x1xf32>, %arg8: tensor<256xf32>, %arg9: tensor<256xf32>, %arg10: tensor<64xf32>, %arg11: tensor<64xf32>, %arg12: tensor<64xf32>, %arg13: tensor<64xf32>, %arg14: tensor<256xf32>, %arg15: tensor<256xf32>) -> tensor<8x256x56x56xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-05 : f64
    %0 = tensor.empty() : tensor<8x64x56x56xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xf32>
    %2 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%arg0, %arg1 : tensor<8x256x56x56xf32>, tensor<64x256x1x1xf32>) outs(%1 : tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xf32>
    %3 = tensor.empty() : tensor<64xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg11 : tensor<64xf32>) outs(%3 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.truncf %cst_0 : f64 to f32
      %32 = arith.addf %in, %31 : f32
      linalg.yield %32 : f32
    } -> tensor<64xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%4 : tensor<64xf32>) outs(%3 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.rsqrt %in : f32
      linalg.yield %31 : f32
    } -> tensor<64xf32>
    %expanded = tensor.expand_shape %arg10 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %expanded_1 = tensor.expand_shape %5 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %expanded : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.subf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %expanded_1 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.mulf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %expanded_2 = tensor.expand_shape %arg2 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%7, %expanded_2 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.mulf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %expanded_3 = tensor.expand_shape %arg3 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%8, %expanded_3 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.addf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%9 : tensor<8x64x56x56xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.cmpf ugt, %in, %cst : f32
      %32 = arith.select %31, %in, %cst : f32
      linalg.yield %32 : f32
    } -> tensor<8x64x56x56xf32>
    %padded = tensor.pad %10 low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%arg16: index, %arg17: index, %arg18: index, %arg19: index):
      tensor.yield %cst : f32
    } : tensor<8x64x56x56xf32> to tensor<8x64x58x58xf32>
    %11 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%padded, %arg4 : tensor<8x64x58x58xf32>, tensor<64x64x3x3xf32>) outs(%1 : tensor<8x64x56x56xf32>) -> tensor<8x64x56x56xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg13 : tensor<64xf32>) outs(%3 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.truncf %cst_0 : f64 to f32
      %32 = arith.addf %in, %31 : f32
      linalg.yield %32 : f32
    } -> tensor<64xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%12 : tensor<64xf32>) outs(%3 : tensor<64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.rsqrt %in : f32
      linalg.yield %31 : f32
    } -> tensor<64xf32>
    %expanded_4 = tensor.expand_shape %arg12 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %expanded_5 = tensor.expand_shape %13 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%11, %expanded_4 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.subf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %expanded_5 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.mulf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %expanded_6 = tensor.expand_shape %arg5 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%15, %expanded_6 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.mulf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %expanded_7 = tensor.expand_shape %arg6 [[0, 1, 2]] output_shape [64, 1, 1] : tensor<64xf32> into tensor<64x1x1xf32>
    %17 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%16, %expanded_7 : tensor<8x64x56x56xf32>, tensor<64x1x1xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.addf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x64x56x56xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%17 : tensor<8x64x56x56xf32>) outs(%0 : tensor<8x64x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.cmpf ugt, %in, %cst : f32
      %32 = arith.select %31, %in, %cst : f32
      linalg.yield %32 : f32
    } -> tensor<8x64x56x56xf32>
    %19 = tensor.empty() : tensor<8x256x56x56xf32>
    %20 = linalg.fill ins(%cst : f32) outs(%19 : tensor<8x256x56x56xf32>) -> tensor<8x256x56x56xf32>
    %21 = linalg.conv_2d_nchw_fchw {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%18, %arg7 : tensor<8x64x56x56xf32>, tensor<256x64x1x1xf32>) outs(%20 : tensor<8x256x56x56xf32>) -> tensor<8x256x56x56xf32>
    %22 = tensor.empty() : tensor<256xf32>
    %23 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg15 : tensor<256xf32>) outs(%22 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.truncf %cst_0 : f64 to f32
      %32 = arith.addf %in, %31 : f32
      linalg.yield %32 : f32
    } -> tensor<256xf32>
    %24 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%23 : tensor<256xf32>) outs(%22 : tensor<256xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = math.rsqrt %in : f32
      linalg.yield %31 : f32
    } -> tensor<256xf32>
    %expanded_8 = tensor.expand_shape %arg14 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %expanded_9 = tensor.expand_shape %24 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %25 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%21, %expanded_8 : tensor<8x256x56x56xf32>, tensor<256x1x1xf32>) outs(%19 : tensor<8x256x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.subf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x256x56x56xf32>
    %26 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%25, %expanded_9 : tensor<8x256x56x56xf32>, tensor<256x1x1xf32>) outs(%19 : tensor<8x256x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.mulf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x256x56x56xf32>
    %expanded_10 = tensor.expand_shape %arg8 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %27 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26, %expanded_10 : tensor<8x256x56x56xf32>, tensor<256x1x1xf32>) outs(%19 : tensor<8x256x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.mulf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x256x56x56xf32>
    %expanded_11 = tensor.expand_shape %arg9 [[0, 1, 2]] output_shape [256, 1, 1] : tensor<256xf32> into tensor<256x1x1xf32>
    %28 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%27, %expanded_11 : tensor<8x256x56x56xf32>, tensor<256x1x1xf32>) outs(%19 : tensor<8x256x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.addf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x256x56x56xf32>
    %29 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %28 : tensor<8x256x56x56xf32>, tensor<8x256x56x56xf32>) outs(%19 : tensor<8x256x56x56xf32>) {
    ^bb0(%in: f32, %in_12: f32, %out: f32):
      %31 = arith.addf %in, %in_12 : f32
      linalg.yield %31 : f32
    } -> tensor<8x256x56x56xf32>
    %30 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29 : tensor<8x256x56x56xf32>) outs(%19 : tensor<8x256x56x56xf32>) {
    ^bb0(%in: f32, %out: f32):
      %31 = arith.cmpf ugt, %in, %cst : f32
      %32 = arith.select %31, %in, %cst : f32
      linalg.yield %32 : f32
    } -> tensor<8x256x56x56xf32>
    return %30 : tensor<8x256x56x56xf32>
  }
}
