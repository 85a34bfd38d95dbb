// Updates of single elements and of rows, with duplicates: the last one wins, and
// sums are sums of a reduction: in the order of the updates, as the reference's
// loops take them, where floats keep the order of the source.
// RUN: fuse-run %s | FileCheck %s
// CHECK: {{^}}main_0_reduction column
// CHECK: verified{{ +}}yes,
// RUN: fuse-run %s --fp-order=strict | FileCheck %s --check-prefix=STRICT
// STRICT: verified{{ +}}yes, max error 0 (
func.func @main(%u: tensor<40xf32>, %v: tensor<40x1x9xf32>, %x: tensor<6x9xf32>)
    -> (tensor<6x9xf32>, tensor<6x9xf32>) {
  %e = tensor.empty() : tensor<40x2xi32>
  %c6 = arith.constant 6 : index
  %c9 = arith.constant 9 : index
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %i = linalg.generic {indexing_maps = [affine_map<(k, j) -> (k, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<40x2xi32>) {
  ^bb0(%o: i32):
    %k = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %k, %c5 : index
    %b = arith.addi %a, %j : index
    %isRow = arith.cmpi eq, %j, %c0 : index
    %row = arith.remui %b, %c6 : index
    %column = arith.remui %b, %c7 : index
    %at = arith.select %isRow, %row, %column : index
    %n = arith.index_cast %at : index to i32
    linalg.yield %n : i32
  } -> tensor<40x2xi32>
  %rows = tensor.extract_slice %i[0, 0] [40, 1] [1, 1] : tensor<40x2xi32> to tensor<40x1xi32>
  %r = call @put(%u, %i, %x) : (tensor<40xf32>, tensor<40x2xi32>, tensor<6x9xf32>) -> tensor<6x9xf32>
  %s = call @add(%v, %rows, %x) : (tensor<40x1x9xf32>, tensor<40x1xi32>, tensor<6x9xf32>) -> tensor<6x9xf32>
  return %r, %s : tensor<6x9xf32>, tensor<6x9xf32>
}
func.func private @put(tensor<40xf32>, tensor<40x2xi32>, tensor<6x9xf32>) -> tensor<6x9xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}
func.func private @add(tensor<40x1x9xf32>, tensor<40x1xi32>, tensor<6x9xf32>) -> tensor<6x9xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "arith.addf,tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0>\22}"}
