// A norm and an activation of which four kernels need slices. Each would compute
// them again, and stored for one or two of them alone that does not pay: they
// are looked at together (`r18_slices_of_costly` of the regression graphs).
// RUN: fuse-opt %s --fuse-form-groups | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: fuse.group
// CHECK: math.tanh
// CHECK: fuse.group
// CHECK-NOT: math.tanh
// CHECK-COUNT-4: tensor.extract_slice
// CHECK-NOT: fuse.group
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map4 = affine_map<(d0, d1, d2) -> (d1, d2)>
func.func @main(%arg0: tensor<1024x2048xf32>, %arg1: tensor<2048xf32>, %arg2: tensor<16x128xf32>, %arg3: tensor<7x128xf32>, %arg4: tensor<7x128xf32>, %arg5: tensor<7x128xf32>, %arg6: tensor<7x128xf32>) -> (tensor<1024x7x128xf32>, tensor<1024x7x128xf32>, tensor<1024x7x128xf32>, tensor<1024x7x128xf32>, tensor<1024x16x128xf32>) {
  %c3_i64 = arith.constant 3 : i64
  %cst = arith.constant 0.000000e+00 : f32
  %cst_0 = arith.constant 4.471500e-02 : f32
  %cst_1 = arith.constant 7.977240e-01 : f32
  %cst_2 = arith.constant 1.000000e+00 : f32
  %cst_3 = arith.constant 5.000000e-01 : f32
  %cst_4 = arith.constant 9.9999999999999995E-7 : f64
  %cst_5 = arith.constant 2.048000e+03 : f32
  %0 = tensor.empty() : tensor<1024x2048xf32>
  %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<1024x2048xf32>, tensor<1024x2048xf32>) outs(%0 : tensor<1024x2048xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x2048xf32>
  %2 = tensor.empty() : tensor<1024x1xf32>
  %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<1024x1xf32>) -> tensor<1024x1xf32>
  %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<1024x2048xf32>) outs(%3 : tensor<1024x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = arith.addf %in, %out : f32
    linalg.yield %18 : f32
  } -> tensor<1024x1xf32>
  %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<1024x1xf32>) outs(%2 : tensor<1024x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = arith.divf %in, %cst_5 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x1xf32>
  %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<1024x1xf32>) outs(%2 : tensor<1024x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = arith.truncf %cst_4 : f64 to f32
    %19 = arith.addf %in, %18 : f32
    linalg.yield %19 : f32
  } -> tensor<1024x1xf32>
  %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<1024x1xf32>) outs(%2 : tensor<1024x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = math.rsqrt %in : f32
    linalg.yield %18 : f32
  } -> tensor<1024x1xf32>
  %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %7 : tensor<1024x2048xf32>, tensor<1024x1xf32>) outs(%0 : tensor<1024x2048xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x2048xf32>
  %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %arg1 : tensor<1024x2048xf32>, tensor<2048xf32>) outs(%0 : tensor<1024x2048xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x2048xf32>
  %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<1024x2048xf32>) outs(%0 : tensor<1024x2048xf32>) {
  ^bb0(%in: f32, %out: f32):
    %18 = math.fpowi %in, %c3_i64 : f32, i64
    %19 = arith.mulf %18, %cst_0 : f32
    %20 = arith.addf %in, %19 : f32
    %21 = arith.mulf %20, %cst_1 : f32
    %sine = math.sin %21 : f32
    %22 = math.tanh %sine : f32
    %23 = arith.addf %22, %cst_2 : f32
    %24 = arith.mulf %23, %cst_3 : f32
    %25 = arith.mulf %in, %24 : f32
    linalg.yield %25 : f32
  } -> tensor<1024x2048xf32>
  %expanded = tensor.expand_shape %10 [[0], [1, 2]] output_shape [1024, 16, 128] : tensor<1024x2048xf32> into tensor<1024x16x128xf32>
  %extracted_slice = tensor.extract_slice %expanded[0, 0, 0] [1024, 7, 128] [1, 1, 1] : tensor<1024x16x128xf32> to tensor<1024x7x128xf32>
  %11 = tensor.empty() : tensor<1024x7x128xf32>
  %12 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice, %arg3 : tensor<1024x7x128xf32>, tensor<7x128xf32>) outs(%11 : tensor<1024x7x128xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x7x128xf32>
  %extracted_slice_6 = tensor.extract_slice %expanded[0, 3, 0] [1024, 7, 128] [1, 1, 1] : tensor<1024x16x128xf32> to tensor<1024x7x128xf32>
  %13 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_6, %arg4 : tensor<1024x7x128xf32>, tensor<7x128xf32>) outs(%11 : tensor<1024x7x128xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x7x128xf32>
  %extracted_slice_7 = tensor.extract_slice %expanded[0, 6, 0] [1024, 7, 128] [1, 1, 1] : tensor<1024x16x128xf32> to tensor<1024x7x128xf32>
  %14 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_7, %arg5 : tensor<1024x7x128xf32>, tensor<7x128xf32>) outs(%11 : tensor<1024x7x128xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x7x128xf32>
  %extracted_slice_8 = tensor.extract_slice %expanded[0, 9, 0] [1024, 7, 128] [1, 1, 1] : tensor<1024x16x128xf32> to tensor<1024x7x128xf32>
  %15 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%extracted_slice_8, %arg6 : tensor<1024x7x128xf32>, tensor<7x128xf32>) outs(%11 : tensor<1024x7x128xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.mulf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x7x128xf32>
  %16 = tensor.empty() : tensor<1024x16x128xf32>
  %17 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded, %arg2 : tensor<1024x16x128xf32>, tensor<16x128xf32>) outs(%16 : tensor<1024x16x128xf32>) {
  ^bb0(%in: f32, %in_9: f32, %out: f32):
    %18 = arith.addf %in, %in_9 : f32
    linalg.yield %18 : f32
  } -> tensor<1024x16x128xf32>
  return %12, %13, %14, %15, %17 : tensor<1024x7x128xf32>, tensor<1024x7x128xf32>, tensor<1024x7x128xf32>, tensor<1024x7x128xf32>, tensor<1024x16x128xf32>
}
