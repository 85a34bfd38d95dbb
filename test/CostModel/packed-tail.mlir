// Blocks of different parts take differently long. Here 2048 long ones fill the
// device (2112 at a time), and 128 short ones run when those are done: that is no
// second wave of long ones.
// RUN: fuse-opt %s --fuse-normalize-ops --fuse-form-groups | FileCheck %s

// CHECK-LABEL: func @short_last
// CHECK: %{{.*}}:2 = fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @short_last(%x: tensor<1024x1024xf32>, %s: f32) -> (tensor<1024x1024xf32>, tensor<65536xf32>) {
  %0 = math.exp %x : tensor<1024x1024xf32>
  %1 = tensor.splat %s : tensor<65536xf32>
  return %0, %1 : tensor<1024x1024xf32>, tensor<65536xf32>
}

// As many blocks that are equally long are two waves, of which the second one is
// nearly empty.
// CHECK-LABEL: func @equal
// CHECK-COUNT-2: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @equal(%x: tensor<1024x1024xf32>, %y: tensor<65536xf32>) -> (tensor<1024x1024xf32>, tensor<65536xf32>) {
  %0 = math.exp %x : tensor<1024x1024xf32>
  %1 = math.exp %y : tensor<65536xf32>
  return %0, %1 : tensor<1024x1024xf32>, tensor<65536xf32>
}
