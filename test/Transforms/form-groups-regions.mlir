// Blocks are planned one by one, and the host's effects stay in order.
// RUN: fuse-opt %s --fuse-form-groups | FileCheck %s

// Nothing moves into or out of a loop; the body has groups of its own, which
// take fills and constants of outer blocks with them.
// CHECK-LABEL: func @loop
// CHECK: %[[A:.*]] = fuse.group "loop_0_exp"
// CHECK: scf.for {{.*}} iter_args(%[[I:.*]] = %[[A]])
// CHECK: fuse.group "loop_1_
// CHECK: arith.constant 1.0
// CHECK: linalg.fill
// CHECK: linalg.add
// CHECK: linalg.abs
// CHECK: scf.yield
// CHECK: return
func.func @loop(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%it = %a) -> tensor<8xf32> {
    %b = linalg.add ins(%it, %f : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    %c = linalg.abs ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %c : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A read of memory stays before the write that follows it.
// CHECK-LABEL: func @memory
// CHECK: bufferization.to_tensor
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: memref.store
// CHECK: fuse.group
// CHECK: linalg.abs
func.func @memory(%m: memref<8xf32>, %v: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8xf32>
  %t = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>
  %a = linalg.exp ins(%t : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  memref.store %v, %m[%c0] : memref<8xf32>
  %u = bufferization.to_tensor %m restrict : memref<8xf32> to tensor<8xf32>
  %b = linalg.abs ins(%u : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// An operator that nobody needs is dropped.
// CHECK-LABEL: func @dead
// CHECK-NEXT: return
func.func @dead(%x: tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return
}

// A view of a group's result stands outside, and is the same view.
// CHECK-LABEL: func @view
// CHECK: %[[G:.*]] = fuse.group
// CHECK: %[[V:.*]] = tensor.collapse_shape %[[G]]
// CHECK: return %[[V]]
func.func @view(%x: tensor<4x8xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %a = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  %v = tensor.collapse_shape %a [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  return %v : tensor<32xf32>
}
