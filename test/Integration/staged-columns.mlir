// A reduction over the middle dimension: the rows of the space do not lie one
// after another in memory. The index is stored beside it, row after row, and
// through shared memory; what the softmax needs is stored directly.
// RUN: fuse-run %s --strategy=max | FileCheck %s
// RUN: fuse-run %s --strategy=greedy | FileCheck %s
// CHECK: verified {{ *}}yes

#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>

func.func @main(%x: tensor<2x69x36xf32>)
    -> (tensor<2x69x36xf32>, tensor<2x69x36xi32>) {
  %e = tensor.empty() : tensor<2x69x36xi32>
  %place = linalg.generic {
      indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<2x69x36xf32>) outs(%e : tensor<2x69x36xi32>) {
    ^bb0(%in: f32, %out: i32):
      %0 = linalg.index 1 : index
      %1 = arith.index_cast %0 : index to i32
      linalg.yield %1 : i32
  } -> tensor<2x69x36xi32>
  %f = tensor.empty() : tensor<2x69x36xf32>
  %softmax = linalg.softmax dimension(1) ins(%x : tensor<2x69x36xf32>)
      outs(%f : tensor<2x69x36xf32>) -> tensor<2x69x36xf32>
  return %softmax, %place : tensor<2x69x36xf32>, tensor<2x69x36xi32>
}
