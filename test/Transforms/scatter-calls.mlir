// RUN: fuse-opt %s --fuse-normalize-ops | FileCheck %s

#k = affine_map<(i) -> (i)>

// Rows that are added: an element compares its row with that of each update.
// CHECK-LABEL: func.func @add_rows
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           arith.cmpi eq
// CHECK:           arith.addf
// CHECK:           arith.select
// CHECK-NOT:     call
func.func @add_rows(%u: tensor<7x1x5xf32>, %i: tensor<7x1xi64>, %x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = call @scatter_add(%u, %i, %x) : (tensor<7x1x5xf32>, tensor<7x1xi64>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func private @scatter_add(tensor<7x1x5xf32>, tensor<7x1xi64>, tensor<4x5xf32>) -> tensor<4x5xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "arith.addf,tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0>\22}"}

// Single elements that are replaced: both indices are compared.
// CHECK-LABEL: func.func @put
// CHECK:         linalg.generic
// CHECK-COUNT-2: arith.cmpi eq
// CHECK-NOT:     arith.addf
// CHECK-NOT:     call
func.func @put(%u: tensor<7xf32>, %i: tensor<7x2xi32>, %x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %r = call @scatter_put(%u, %i, %x) : (tensor<7xf32>, tensor<7x2xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}
func.func private @scatter_put(tensor<7xf32>, tensor<7x2xi32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}

// Left alone: another body; more comparisons than the limit; slices that are
// not whole.
// CHECK-LABEL: func.func @others
// CHECK:         call @scatter_max
// CHECK:         call @scatter_many
// CHECK:         call @scatter_window
func.func @others(%u: tensor<7xf32>, %i: tensor<7x1xi64>, %x: tensor<4xf32>,
                  %v: tensor<9000xf32>, %j: tensor<9000x1xi64>, %y: tensor<9000xf32>,
                  %w: tensor<7x2xf32>) -> (tensor<4xf32>, tensor<9000xf32>, tensor<4xf32>) {
  %r = call @scatter_max(%u, %i, %x) : (tensor<7xf32>, tensor<7x1xi64>, tensor<4xf32>) -> tensor<4xf32>
  %s = call @scatter_many(%v, %j, %y) : (tensor<9000xf32>, tensor<9000x1xi64>, tensor<9000xf32>) -> tensor<9000xf32>
  %t = call @scatter_window(%w, %i, %x) : (tensor<7x2xf32>, tensor<7x1xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %r, %s, %t : tensor<4xf32>, tensor<9000xf32>, tensor<4xf32>
}
func.func private @scatter_max(tensor<7xf32>, tensor<7x1xi64>, tensor<4xf32>) -> tensor<4xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "arith.maximumf,tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0>\22}"}
func.func private @scatter_many(tensor<9000xf32>, tensor<9000x1xi64>, tensor<9000xf32>) -> tensor<9000xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0>\22}"}
func.func private @scatter_window(tensor<7x2xf32>, tensor<7x1xi64>, tensor<4xf32>) -> tensor<4xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0>\22}"}

// An update for each row, at the column that its label says: an element compares
// its column with the label of its row, however large the tensor.
// CHECK-LABEL: func.func @labels
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      ins(%arg0, %{{.*}}, %arg2 : tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>)
// CHECK:           arith.cmpi eq
// CHECK-NOT:       arith.cmpi eq
// CHECK:           arith.select
// CHECK-NOT:     call

func.func @labels(%u: tensor<512xf32>, %label: tensor<512xi64>, %x: tensor<512x32000xf32>) -> tensor<512x32000xf32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<512x2xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<512x2xi64>) -> tensor<512x2xi64>
  %e1 = tensor.empty() : tensor<512xi64>
  %rows = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]} outs(%e1 : tensor<512xi64>) {
  ^bb0(%o: i64):
    %k = linalg.index 0 : index
    %n = arith.constant 512 : index
    %q = arith.remsi %k, %n : index
    %r = arith.index_cast %q : index to i64
    linalg.yield %r : i64
  } -> tensor<512xi64>
  %rows1 = tensor.expand_shape %rows [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %label1 = tensor.expand_shape %label [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %i0 = tensor.insert_slice %rows1 into %f[0, 0] [512, 1] [1, 1] : tensor<512x1xi64> into tensor<512x2xi64>
  %i = tensor.insert_slice %label1 into %i0[0, 1] [512, 1] [1, 1] : tensor<512x1xi64> into tensor<512x2xi64>
  %r = call @scatter_labels(%u, %i, %x) : (tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  return %r : tensor<512x32000xf32>
}
func.func private @scatter_labels(tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}

// Two updates for each row, added in their order.
// CHECK-LABEL: func.func @two_labels
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel"]
// CHECK-SAME:      tensor<512x2xf32>
// CHECK:         ^bb0(%[[U0:.*]]: f32, %[[I0:.*]]: i64, %[[U1:.*]]: f32, %[[I1:.*]]: i64, %[[OLD:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[SUM0:.*]] = arith.addf %[[U0]], %[[OLD]]
// CHECK:           %[[ONE:.*]] = arith.select %{{.*}}, %[[SUM0]], %[[OLD]]
// CHECK:           %[[SUM1:.*]] = arith.addf %[[U1]], %[[ONE]]
// CHECK:           arith.select %{{.*}}, %[[SUM1]], %[[ONE]]
// CHECK-NOT:     call

func.func @two_labels(%u: tensor<1024xf32>, %label: tensor<1024xi64>, %x: tensor<512x8000xf32>) -> tensor<512x8000xf32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<1024x2xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<1024x2xi64>) -> tensor<1024x2xi64>
  %e1 = tensor.empty() : tensor<1024xi64>
  %rows = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]} outs(%e1 : tensor<1024xi64>) {
  ^bb0(%o: i64):
    %k = linalg.index 0 : index
    %n = arith.constant 2 : index
    %q = arith.divsi %k, %n : index
    %r = arith.index_cast %q : index to i64
    linalg.yield %r : i64
  } -> tensor<1024xi64>
  %rows1 = tensor.expand_shape %rows [[0, 1]] output_shape [1024, 1] : tensor<1024xi64> into tensor<1024x1xi64>
  %label1 = tensor.expand_shape %label [[0, 1]] output_shape [1024, 1] : tensor<1024xi64> into tensor<1024x1xi64>
  %i0 = tensor.insert_slice %rows1 into %f[0, 0] [1024, 1] [1, 1] : tensor<1024x1xi64> into tensor<1024x2xi64>
  %i = tensor.insert_slice %label1 into %i0[0, 1] [1024, 1] [1, 1] : tensor<1024x1xi64> into tensor<1024x2xi64>
  %r = call @scatter_two_labels(%u, %i, %x) : (tensor<1024xf32>, tensor<1024x2xi64>, tensor<512x8000xf32>) -> tensor<512x8000xf32>
  return %r : tensor<512x8000xf32>
}
func.func private @scatter_two_labels(tensor<1024xf32>, tensor<1024x2xi64>, tensor<512x8000xf32>) -> tensor<512x8000xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "arith.addf,tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}

// Six of them are a loop of the row's own.
// CHECK-LABEL: func.func @six_labels
// CHECK:         linalg.generic
// CHECK:         linalg.generic
// CHECK-SAME:      iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-SAME:      tensor<512x6xf32>
// CHECK-NOT:     call

func.func @six_labels(%u: tensor<3072xf32>, %label: tensor<3072xi64>, %x: tensor<512x80xf32>) -> tensor<512x80xf32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<3072x2xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<3072x2xi64>) -> tensor<3072x2xi64>
  %e1 = tensor.empty() : tensor<3072xi64>
  %rows = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]} outs(%e1 : tensor<3072xi64>) {
  ^bb0(%o: i64):
    %k = linalg.index 0 : index
    %n = arith.constant 6 : index
    %q = arith.divsi %k, %n : index
    %r = arith.index_cast %q : index to i64
    linalg.yield %r : i64
  } -> tensor<3072xi64>
  %rows1 = tensor.expand_shape %rows [[0, 1]] output_shape [3072, 1] : tensor<3072xi64> into tensor<3072x1xi64>
  %label1 = tensor.expand_shape %label [[0, 1]] output_shape [3072, 1] : tensor<3072xi64> into tensor<3072x1xi64>
  %i0 = tensor.insert_slice %rows1 into %f[0, 0] [3072, 1] [1, 1] : tensor<3072x1xi64> into tensor<3072x2xi64>
  %i = tensor.insert_slice %label1 into %i0[0, 1] [3072, 1] [1, 1] : tensor<3072x1xi64> into tensor<3072x2xi64>
  %r = call @scatter_six_labels(%u, %i, %x) : (tensor<3072xf32>, tensor<3072x2xi64>, tensor<512x80xf32>) -> tensor<512x80xf32>
  return %r : tensor<512x80xf32>
}
func.func private @scatter_six_labels(tensor<3072xf32>, tensor<3072x2xi64>, tensor<512x80xf32>) -> tensor<512x80xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "arith.addf,tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}

// Left alone for its size: the rows are known, but another one than the number of
// the update.
// CHECK-LABEL: func.func @reversed
// CHECK:         call @scatter_reversed
func.func @reversed(%u: tensor<512xf32>, %label: tensor<512xi64>, %x: tensor<512x32000xf32>) -> tensor<512x32000xf32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<512x2xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<512x2xi64>) -> tensor<512x2xi64>
  %e1 = tensor.empty() : tensor<512xi64>
  %rows = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]} outs(%e1 : tensor<512xi64>) {
  ^bb0(%o: i64):
    %k = linalg.index 0 : index
    %n = arith.constant 511 : index
    %q = arith.subi %n, %k : index
    %r = arith.index_cast %q : index to i64
    linalg.yield %r : i64
  } -> tensor<512xi64>
  %rows1 = tensor.expand_shape %rows [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %label1 = tensor.expand_shape %label [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %i0 = tensor.insert_slice %rows1 into %f[0, 0] [512, 1] [1, 1] : tensor<512x1xi64> into tensor<512x2xi64>
  %i = tensor.insert_slice %label1 into %i0[0, 1] [512, 1] [1, 1] : tensor<512x1xi64> into tensor<512x2xi64>
  %r = call @scatter_reversed(%u, %i, %x) : (tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  return %r : tensor<512x32000xf32>
}
func.func private @scatter_reversed(tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}

// The rows begin again: two updates may hit a row, and they are no neighbours.
// CHECK-LABEL: func.func @folded
// CHECK:         call @scatter_folded
func.func @folded(%u: tensor<512xf32>, %label: tensor<512xi64>, %x: tensor<512x32000xf32>) -> tensor<512x32000xf32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<512x2xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<512x2xi64>) -> tensor<512x2xi64>
  %e1 = tensor.empty() : tensor<512xi64>
  %rows = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]} outs(%e1 : tensor<512xi64>) {
  ^bb0(%o: i64):
    %k = linalg.index 0 : index
    %n = arith.constant 256 : index
    %q = arith.remsi %k, %n : index
    %r = arith.index_cast %q : index to i64
    linalg.yield %r : i64
  } -> tensor<512xi64>
  %rows1 = tensor.expand_shape %rows [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %label1 = tensor.expand_shape %label [[0, 1]] output_shape [512, 1] : tensor<512xi64> into tensor<512x1xi64>
  %i0 = tensor.insert_slice %rows1 into %f[0, 0] [512, 1] [1, 1] : tensor<512x1xi64> into tensor<512x2xi64>
  %i = tensor.insert_slice %label1 into %i0[0, 1] [512, 1] [1, 1] : tensor<512x1xi64> into tensor<512x2xi64>
  %r = call @scatter_folded(%u, %i, %x) : (tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  return %r : tensor<512x32000xf32>
}
func.func private @scatter_folded(tensor<512xf32>, tensor<512x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}

// Not all rows are hit: an element of the others has no update to compare with.
// CHECK-LABEL: func.func @some_rows
// CHECK:         call @scatter_some_rows
func.func @some_rows(%u: tensor<256xf32>, %label: tensor<256xi64>, %x: tensor<512x32000xf32>) -> tensor<512x32000xf32> {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<256x2xi64>
  %f = linalg.fill ins(%zero : i64) outs(%e : tensor<256x2xi64>) -> tensor<256x2xi64>
  %e1 = tensor.empty() : tensor<256xi64>
  %rows = linalg.generic {indexing_maps = [#k], iterator_types = ["parallel"]} outs(%e1 : tensor<256xi64>) {
  ^bb0(%o: i64):
    %k = linalg.index 0 : index
    %n = arith.constant 512 : index
    %q = arith.remsi %k, %n : index
    %r = arith.index_cast %q : index to i64
    linalg.yield %r : i64
  } -> tensor<256xi64>
  %rows1 = tensor.expand_shape %rows [[0, 1]] output_shape [256, 1] : tensor<256xi64> into tensor<256x1xi64>
  %label1 = tensor.expand_shape %label [[0, 1]] output_shape [256, 1] : tensor<256xi64> into tensor<256x1xi64>
  %i0 = tensor.insert_slice %rows1 into %f[0, 0] [256, 1] [1, 1] : tensor<256x1xi64> into tensor<256x2xi64>
  %i = tensor.insert_slice %label1 into %i0[0, 1] [256, 1] [1, 1] : tensor<256x1xi64> into tensor<256x2xi64>
  %r = call @scatter_some_rows(%u, %i, %x) : (tensor<256xf32>, tensor<256x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  return %r : tensor<512x32000xf32>
}
func.func private @scatter_some_rows(tensor<256xf32>, tensor<256x2xi64>, tensor<512x32000xf32>) -> tensor<512x32000xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}
