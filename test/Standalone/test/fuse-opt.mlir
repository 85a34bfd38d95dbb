// RUN: fuse-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// The driver of the package runs beside our own.
// CHECK-LABEL: func.func @boundary
func.func @boundary(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: fuse.boundary
  %0 = fuse.boundary %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Its diagnostics are checked as in its own tree.
func.func @tag(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected attribute 'fuse.must_fuse' to be a non-empty string}}
  %0 = math.exp %x {fuse.must_fuse = 3 : i32} : tensor<8xf32>
  return %0 : tensor<8xf32>
}
