// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s --mlir-print-op-generic | fuse-opt | FileCheck %s

// A boundary is printed and parsed back, in both forms.
// CHECK-LABEL: func.func @boundary
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>)
func.func @boundary(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[Y:.*]] = fuse.boundary %[[X]] : tensor<8xf32>
  %y = fuse.boundary %x : tensor<8xf32>
  // CHECK: return %[[Y]]
  return %y : tensor<8xf32>
}
