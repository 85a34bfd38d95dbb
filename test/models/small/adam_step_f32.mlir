#map = affine_map<() -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> ()>
#map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map6 = affine_map<(d0, d1, d2, d3) -> ()>
module {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>, %arg2: tensor<19x23xf32>, %arg3: tensor<23xf32>, %arg4: tensor<31x17xf32>, %arg5: tensor<1xf32>, %arg6: tensor<5x3x3x3xf32>, %arg7: tensor<19x23xf32>, %arg8: tensor<23xf32>, %arg9: tensor<31x17xf32>, %arg10: tensor<1xf32>, %arg11: tensor<5x3x3x3xf32>, %arg12: tensor<19x23xf32>, %arg13: tensor<23xf32>, %arg14: tensor<31x17xf32>, %arg15: tensor<1xf32>, %arg16: tensor<5x3x3x3xf32>, %arg17: tensor<19x23xf32>, %arg18: tensor<23xf32>, %arg19: tensor<31x17xf32>, %arg20: tensor<1xf32>, %arg21: tensor<5x3x3x3xf32>) -> (tensor<19x23xf32>, tensor<23xf32>, tensor<31x17xf32>, tensor<1xf32>, tensor<5x3x3x3xf32>, tensor<19x23xf32>, tensor<23xf32>, tensor<31x17xf32>, tensor<1xf32>, tensor<5x3x3x3xf32>, tensor<19x23xf32>, tensor<23xf32>, tensor<31x17xf32>, tensor<1xf32>, tensor<5x3x3x3xf32>) {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 1.000000e-08 : f64
    %cst_0 = arith.constant 0.0010000000000000009 : f64
    %cst_1 = arith.constant 0.099999999999999978 : f64
    %cst_2 = arith.constant 0.99899999999999999 : f64
    %cst_3 = arith.constant 9.000000e-01 : f64
    %cst_4 = arith.constant dense<1> : tensor<i64>
    %0 = tensor.empty() : tensor<f32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg0 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = math.powf %80, %in : f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%cst_4, %1 : tensor<i64>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i64, %in_5: f32, %out: f32):
      %80 = arith.sitofp %in : i64 to f32
      %81 = arith.subf %80, %in_5 : f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = []} ins(%arg0 : tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = math.powf %80, %in : f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%cst_4, %3 : tensor<i64>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: i64, %in_5: f32, %out: f32):
      %80 = arith.sitofp %in : i64 to f32
      %81 = arith.subf %80, %in_5 : f32
      linalg.yield %81 : f32
    } -> tensor<f32>
    %5 = tensor.empty() : tensor<19x23xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg12 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<19x23xf32>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_1 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<19x23xf32>
    %8 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%6, %7 : tensor<19x23xf32>, tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg17 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<19x23xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg7 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %11 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%10 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_0 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<19x23xf32>
    %12 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%9, %11 : tensor<19x23xf32>, tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %13 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%12, %4 : tensor<19x23xf32>, tensor<f32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %14 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.sqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %15 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<19x23xf32>
    %16 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%8, %2 : tensor<19x23xf32>, tensor<f32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %17 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1, %16 : tensor<f32>, tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.mulf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %18 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%17, %15 : tensor<19x23xf32>, tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %19 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2, %18 : tensor<19x23xf32>, tensor<19x23xf32>) outs(%5 : tensor<19x23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.subf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<19x23xf32>
    %20 = tensor.empty() : tensor<23xf32>
    %21 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg13 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<23xf32>
    %22 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg8 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_1 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<23xf32>
    %23 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%21, %22 : tensor<23xf32>, tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %24 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg18 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<23xf32>
    %25 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg8 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %26 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%25 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_0 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<23xf32>
    %27 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%24, %26 : tensor<23xf32>, tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %28 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%27, %4 : tensor<23xf32>, tensor<f32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %29 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%28 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.sqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %30 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%29 : tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<23xf32>
    %31 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%23, %2 : tensor<23xf32>, tensor<f32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %32 = linalg.generic {indexing_maps = [#map4, #map3, #map3], iterator_types = ["parallel"]} ins(%arg1, %31 : tensor<f32>, tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.mulf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %33 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%32, %30 : tensor<23xf32>, tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %34 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg3, %33 : tensor<23xf32>, tensor<23xf32>) outs(%20 : tensor<23xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.subf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<23xf32>
    %35 = tensor.empty() : tensor<31x17xf32>
    %36 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg14 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<31x17xf32>
    %37 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg9 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_1 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<31x17xf32>
    %38 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%36, %37 : tensor<31x17xf32>, tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %39 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg19 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<31x17xf32>
    %40 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg9 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %41 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%40 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_0 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<31x17xf32>
    %42 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%39, %41 : tensor<31x17xf32>, tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %43 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%42, %4 : tensor<31x17xf32>, tensor<f32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %44 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%43 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.sqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %45 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%44 : tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<31x17xf32>
    %46 = linalg.generic {indexing_maps = [#map1, #map2, #map1], iterator_types = ["parallel", "parallel"]} ins(%38, %2 : tensor<31x17xf32>, tensor<f32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %47 = linalg.generic {indexing_maps = [#map2, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg1, %46 : tensor<f32>, tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.mulf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %48 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%47, %45 : tensor<31x17xf32>, tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %49 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg4, %48 : tensor<31x17xf32>, tensor<31x17xf32>) outs(%35 : tensor<31x17xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.subf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<31x17xf32>
    %50 = tensor.empty() : tensor<1xf32>
    %51 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg15 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1xf32>
    %52 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg10 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_1 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1xf32>
    %53 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%51, %52 : tensor<1xf32>, tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %54 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg20 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1xf32>
    %55 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%arg10 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %56 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%55 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_0 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1xf32>
    %57 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%54, %56 : tensor<1xf32>, tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %58 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%57, %4 : tensor<1xf32>, tensor<f32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %59 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%58 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.sqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %60 = linalg.generic {indexing_maps = [#map3, #map3], iterator_types = ["parallel"]} ins(%59 : tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<1xf32>
    %61 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel"]} ins(%53, %2 : tensor<1xf32>, tensor<f32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %62 = linalg.generic {indexing_maps = [#map4, #map3, #map3], iterator_types = ["parallel"]} ins(%arg1, %61 : tensor<f32>, tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.mulf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %63 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%62, %60 : tensor<1xf32>, tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %64 = linalg.generic {indexing_maps = [#map3, #map3, #map3], iterator_types = ["parallel"]} ins(%arg5, %63 : tensor<1xf32>, tensor<1xf32>) outs(%50 : tensor<1xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.subf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<1xf32>
    %65 = tensor.empty() : tensor<5x3x3x3xf32>
    %66 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg16 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_3 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<5x3x3x3xf32>
    %67 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg11 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_1 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<5x3x3x3xf32>
    %68 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66, %67 : tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %69 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg21 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_2 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<5x3x3x3xf32>
    %70 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg11 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %71 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%70 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst_0 : f64 to f32
      %81 = arith.mulf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<5x3x3x3xf32>
    %72 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%69, %71 : tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.addf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %73 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%72, %4 : tensor<5x3x3x3xf32>, tensor<f32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %74 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = math.sqrt %in : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %75 = linalg.generic {indexing_maps = [#map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%74 : tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %out: f32):
      %80 = arith.truncf %cst : f64 to f32
      %81 = arith.addf %in, %80 : f32
      linalg.yield %81 : f32
    } -> tensor<5x3x3x3xf32>
    %76 = linalg.generic {indexing_maps = [#map5, #map6, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %2 : tensor<5x3x3x3xf32>, tensor<f32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %77 = linalg.generic {indexing_maps = [#map6, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg1, %76 : tensor<f32>, tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.mulf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %78 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%77, %75 : tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.divf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    %79 = linalg.generic {indexing_maps = [#map5, #map5, #map5], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg6, %78 : tensor<5x3x3x3xf32>, tensor<5x3x3x3xf32>) outs(%65 : tensor<5x3x3x3xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %80 = arith.subf %in, %in_5 : f32
      linalg.yield %80 : f32
    } -> tensor<5x3x3x3xf32>
    return %19, %34, %49, %64, %79, %8, %23, %38, %53, %68, %12, %27, %42, %57, %72 : tensor<19x23xf32>, tensor<23xf32>, tensor<31x17xf32>, tensor<1xf32>, tensor<5x3x3x3xf32>, tensor<19x23xf32>, tensor<23xf32>, tensor<31x17xf32>, tensor<1xf32>, tensor<5x3x3x3xf32>, tensor<19x23xf32>, tensor<23xf32>, tensor<31x17xf32>, tensor<1xf32>, tensor<5x3x3x3xf32>
  }
}
