// Hyperbolic functions, their inverses and arc tangents, run as kernels, against
// the C library on the CPU: 4 ulp of the largest value at most. The inverse of a
// large negative number is no difference of large numbers, and angles are reduced
// by as much of pi as they need.
// RUN: fuse-run %s | FileCheck %s
// CHECK: kernels {{.*}} -> 1
// CHECK: verified{{ +}}yes, max error {{0|[0-4]\.[0-9]+e-07|[0-9.]+e-0[89]}} (
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<4099xf32>, %y: tensor<4099xf32>) -> (tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>) {
  %e = tensor.empty() : tensor<4099xf32>
  %r:9 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4099xf32>, tensor<4099xf32>) outs(%e, %e, %e, %e, %e, %e, %e, %e, %e : tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32, %o7: f32, %o8: f32):
    %one = arith.constant 1.0 : f32
    %wide = arith.constant 3000.0 : f32
    %huge = arith.constant 3.0e+38 : f32
    %w = arith.mulf %a, %wide : f32
    %abs = math.absf %w : f32
    %above = arith.addf %abs, %one : f32
    %angle = arith.mulf %a, %huge : f32
    %0 = math.sinh %a : f32
    %1 = math.cosh %a : f32
    %2 = math.asinh %w : f32
    %3 = math.acosh %above : f32
    %4 = math.atanh %a : f32
    %5 = math.atan %w : f32
    %6 = math.atan2 %a, %b : f32
    %7 = math.sin %angle : f32
    %8 = math.cos %angle : f32
    linalg.yield %0, %1, %2, %3, %4, %5, %6, %7, %8 : f32, f32, f32, f32, f32, f32, f32, f32, f32
  } -> (tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8 : tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>
}
