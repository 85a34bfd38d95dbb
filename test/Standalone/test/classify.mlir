// RUN: tiny-opt %s --fuse-classify-ops | FileCheck %s

// An operator that implements the interface is classified by it.
// CHECK-LABEL: func.func @square
func.func @square(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: tiny.square
  // CHECK-SAME: #fuse.class<injective, "a square needs its own element only">
  %0 = tiny.square %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
