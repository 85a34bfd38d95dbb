// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// Four neighbours come from one operand of the concatenation: the question is
// asked once, and both branches have vector accesses.
// CHECK-LABEL: gpu.func @aligned
// CHECK:         scf.if
// CHECK:           vector.load %{{.*}} : memref<2048xf32>, vector<4xf32>
// CHECK:           vector.store
// CHECK:         } else {
// CHECK:           vector.load %{{.*}} : memref<2048xf32>, vector<4xf32>
// CHECK:           vector.store
// CHECK-NOT:     scf.if
// CHECK:         gpu.return
func.func @aligned(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = fuse.kernel "aligned" ins(%x, %y : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x32xf32>, %b: tensor<64x32xf32>, %o: tensor<64x64xf32>):
    %0 = tensor.concat dim(1) %a, %b : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
    fuse.yield %0 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// Here rows of the operands begin anywhere: a thread's elements are a block
// apart, so that each access of a warp asks for few sectors.
// CHECK-LABEL: gpu.func @odd
// CHECK-COUNT-4: scf.if
// CHECK-NOT:     vector.
// CHECK:         gpu.return
func.func @odd(%x: tensor<64x31xf32>, %y: tensor<64x33xf32>, %e: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %r = fuse.kernel "odd" ins(%x, %y : tensor<64x31xf32>, tensor<64x33xf32>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x31xf32>, %b: tensor<64x33xf32>, %o: tensor<64x64xf32>):
    %0 = tensor.concat dim(1) %a, %b : (tensor<64x31xf32>, tensor<64x33xf32>) -> tensor<64x64xf32>
    fuse.yield %0 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
