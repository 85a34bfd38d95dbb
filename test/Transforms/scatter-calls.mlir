// RUN: fuse-opt %s --fuse-normalize-ops | FileCheck %s

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
