// Of one column the row and the column of a pair have the same number, but one of
// them is padding: two reads of one element, which exists at other places. No buffer
// of a box serves both.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=max | FileCheck %s
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#swapped = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
func.func @main(%x: tensor<100x1xi64>) -> (tensor<50x2x2xi8>, tensor<50x2x2xi64>) {
  %zero = arith.constant 0 : i64
  %p = tensor.pad %x low[0, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : i64
  } : tensor<100x1xi64> to tensor<100x2xi64>
  %v = tensor.expand_shape %p [[0, 1], [2]] output_shape [50, 2, 2] : tensor<100x2xi64> into tensor<50x2x2xi64>
  %e = tensor.empty() : tensor<50x2x2xi8>
  %f = tensor.empty() : tensor<50x2x2xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #swapped], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v : tensor<50x2x2xi64>) outs(%e, %f : tensor<50x2x2xi8>, tensor<50x2x2xi64>) {
  ^bb0(%a: i64, %o: i8, %q: i64):
    %b = arith.trunci %a : i64 to i8
    linalg.yield %b, %a : i8, i64
  } -> (tensor<50x2x2xi8>, tensor<50x2x2xi64>)
  return %r#0, %r#1 : tensor<50x2x2xi8>, tensor<50x2x2xi64>
}
