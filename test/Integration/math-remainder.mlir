// Remainders of numbers of all magnitudes, bit for bit those of the C library:
// quotients reach 2^277, which neither f32 nor f64 holds as whole numbers. One
// kernel.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// CHECK: kernels {{.*}} -> 1
// CHECK: verified{{ +}}yes, max error 0 (
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
#ij = affine_map<(i, j) -> (i, j)>
func.func @main(%sign: tensor<18xf32>) -> tensor<18x18xi32> {
  %c = arith.constant dense<[0x00000001, 0x007FFFFF, 0x00800000, 0x00800001, 0x0D123457, 0x21FEDCBB, 0x33333333, 0x3F800001, 0x40490FDB, 0x4B7FFFFF, 0x5A000007, 0x6ABCDEF1, 0x7E967699, 0x7F7FFFFF, 0x00000000, 0x80000003, 0x7F800000, 0x7FC00000]> : tensor<18xf32>
  %x = math.copysign %c, %sign : tensor<18xf32>
  %e = tensor.empty() : tensor<18x18xi32>
  %r = linalg.generic {indexing_maps = [#i, #j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %c : tensor<18xf32>, tensor<18xf32>) outs(%e : tensor<18x18xi32>) {
  ^bb0(%a: f32, %b: f32, %o: i32):
    %0 = arith.remf %a, %b : f32
    %bits = arith.bitcast %0 : f32 to i32
    %none = arith.constant 0x7FC00000 : i32
    %isNaN = math.isnan %0 : f32
    %s = arith.select %isNaN, %none, %bits : i32
    linalg.yield %s : i32
  } -> tensor<18x18xi32>
  return %r : tensor<18x18xi32>
}
