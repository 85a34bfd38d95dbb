// RUN: fuse-opt %s --fuse-plan --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// The sizes of a view that the host returns are scalars of the host: no kernel
// makes a tensor of them.
// CHECK-LABEL: func.func @returned_view
// CHECK:         %[[Y:.+]] = fuse.group
// CHECK-NOT:     fuse.group
// CHECK:         %[[SIZES:.+]] = tensor.from_elements
// CHECK:         %[[V:.+]] = tensor.reshape %[[Y]](%[[SIZES]])
// CHECK:         return %[[V]]
func.func @returned_view(%x: tensor<?x12xf32>) -> tensor<?x3x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %d = tensor.dim %x, %c0 : tensor<?x12xf32>
  %e = tensor.empty(%d) : tensor<?x12xf32>
  %y = linalg.exp ins(%x : tensor<?x12xf32>) outs(%e : tensor<?x12xf32>) -> tensor<?x12xf32>
  %n = arith.index_cast %d : index to i64
  %s = tensor.from_elements %n, %c3, %c4 : tensor<3xi64>
  %v = tensor.reshape %y(%s) : (tensor<?x12xf32>, tensor<3xi64>) -> tensor<?x3x4xf32>
  return %v : tensor<?x3x4xf32>
}

// -----

// Sizes that are a result as well are a kernel's.
// CHECK-LABEL: func.func @returned_sizes
// CHECK-COUNT-2: = fuse.group
// CHECK-NOT:     = fuse.group
// CHECK:         return
func.func @returned_sizes(%x: tensor<?x12xf32>) -> (tensor<?x3x4xf32>, tensor<3xi64>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : i64
  %c4 = arith.constant 4 : i64
  %d = tensor.dim %x, %c0 : tensor<?x12xf32>
  %e = tensor.empty(%d) : tensor<?x12xf32>
  %y = linalg.exp ins(%x : tensor<?x12xf32>) outs(%e : tensor<?x12xf32>) -> tensor<?x12xf32>
  %n = arith.index_cast %d : index to i64
  %s = tensor.from_elements %n, %c3, %c4 : tensor<3xi64>
  %v = tensor.reshape %y(%s) : (tensor<?x12xf32>, tensor<3xi64>) -> tensor<?x3x4xf32>
  return %v, %s : tensor<?x3x4xf32>, tensor<3xi64>
}
