// Elementary functions of zeros, infinities, NaN, subnormals and what is large or
// small: the C library's values. One kernel.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// CHECK: kernels {{.*}} -> 1
// CHECK: verified{{ +}}yes, max error {{0|[0-9.]+e-(0[789]|[1-9][0-9])}} (
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#ij = affine_map<(i, j) -> (i, j)>
#k = affine_map<(i) -> (i)>
func.func @main(%x: tensor<12xi32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16x16xf32>, tensor<12x7xi32>) {
  %c = arith.constant dense<[0.0, -0.0, 1.0, -1.0, 0.5, -0.75, 1.0e-3, -1.0e-42, 3.0e+38, -3.0e+38, 1.0e+20, -50000.0, 89.2, 0x7F800000, 0xFF800000, 0x7FC00000]> : tensor<16xf32>
  %n = arith.constant dense<[0, 1, 2, 5, 31, -1, -2]> : tensor<7xi32>
  %e = tensor.empty() : tensor<16xf32>
  %eb = tensor.empty() : tensor<16xi1>
  %e2 = tensor.empty() : tensor<16x16xf32>
  %ei = tensor.empty() : tensor<12x7xi32>
  %u:14 = linalg.generic {indexing_maps = [#k, #k, #k, #k, #k, #k, #k, #k, #k, #k, #k, #k, #k, #k, #k], iterator_types = ["parallel"]}
      ins(%c : tensor<16xf32>) outs(%e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %eb, %eb, %eb, %eb : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32, %o7: f32, %o8: f32, %o9: f32, %p0: i1, %p1: i1, %p2: i1, %p3: i1):
    %0 = math.sinh %a : f32
    %1 = math.cosh %a : f32
    %2 = math.asinh %a : f32
    %3 = math.acosh %a : f32
    %4 = math.atanh %a : f32
    %5 = math.atan %a : f32
    %6 = math.sin %a : f32
    %7 = math.cos %a : f32
    %8 = math.tan %a : f32
    %9 = math.cbrt %a : f32
    %10 = math.isinf %a : f32
    %11 = math.isnormal %a : f32
    %12 = math.isnan %a : f32
    %13 = math.isfinite %a : f32
    linalg.yield %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, i1, i1, i1, i1
  } -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>)
  %at = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%c, %c : tensor<16xf32>, tensor<16xf32>) outs(%e2 : tensor<16x16xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = math.atan2 %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<16x16xf32>
  %ip = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %n : tensor<12xi32>, tensor<7xi32>) outs(%ei : tensor<12x7xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    // -1 or 3: of 0 there is no negative power.
    %c1 = arith.constant 1 : i32
    %c4 = arith.constant 4 : i32
    %four = arith.muli %a, %c4 : i32
    %base = arith.subi %four, %c1 : i32
    %r = math.ipowi %base, %b : i32
    linalg.yield %r : i32
  } -> tensor<12x7xi32>
  return %u#0, %u#1, %u#2, %u#3, %u#4, %u#5, %u#6, %u#7, %u#8, %u#9, %u#10, %u#11, %u#12, %u#13, %at, %ip : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>, tensor<16x16xf32>, tensor<12x7xi32>
}
