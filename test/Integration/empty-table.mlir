// A gather from a table without rows, each behind a test of the index: the table is
// not passed to the kernel, and nothing is read.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=none | FileCheck %s
// CHECK: kernels{{ +}}1 -> 1
// CHECK: verified{{ +}}yes, max error 0

#rows = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%t: tensor<0x8xf32>, %i: tensor<4xi64>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %t, %c0 : tensor<0x8xf32>
  %f = arith.constant 2.5 : f32
  %0 = linalg.generic {indexing_maps = [#rows, #all],
                       iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<4xi64>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: i64, %o: f32):
    %k = arith.index_cast %a : i64 to index
    %c = linalg.index 1 : index
    %in = arith.cmpi ult, %k, %n : index
    %v = scf.if %in -> f32 {
      %w = tensor.extract %t[%k, %c] : tensor<0x8xf32>
      scf.yield %w : f32
    } else {
      scf.yield %f : f32
    }
    linalg.yield %v : f32
  } -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
