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

// As many blocks that are equally long are two waves of arithmetic, of which the
// second one is nearly empty.
// CHECK-LABEL: func @equal
// CHECK-COUNT-2: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @equal(%x: tensor<1024x1024xf32>, %y: tensor<65536xf32>) -> (tensor<1024x1024xf32>, tensor<65536xf32>) {
  %a0 = math.tanh %x : tensor<1024x1024xf32>
  %a1 = math.tanh %a0 : tensor<1024x1024xf32>
  %a2 = math.tanh %a1 : tensor<1024x1024xf32>
  %a3 = math.tanh %a2 : tensor<1024x1024xf32>
  %a4 = math.tanh %a3 : tensor<1024x1024xf32>
  %a5 = math.tanh %a4 : tensor<1024x1024xf32>
  %a6 = math.tanh %a5 : tensor<1024x1024xf32>
  %a7 = math.tanh %a6 : tensor<1024x1024xf32>
  %b0 = math.tanh %y : tensor<65536xf32>
  %b1 = math.tanh %b0 : tensor<65536xf32>
  %b2 = math.tanh %b1 : tensor<65536xf32>
  %b3 = math.tanh %b2 : tensor<65536xf32>
  %b4 = math.tanh %b3 : tensor<65536xf32>
  %b5 = math.tanh %b4 : tensor<65536xf32>
  %b6 = math.tanh %b5 : tensor<65536xf32>
  %b7 = math.tanh %b6 : tensor<65536xf32>
  return %a7, %b7 : tensor<1024x1024xf32>, tensor<65536xf32>
}

// Memory is as busy with fewer blocks at a time, which end together.
// CHECK-LABEL: func @memory
// CHECK: %{{.*}}:2 = fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @memory(%x: tensor<1024x1024xf32>, %y: tensor<65536xf32>) -> (tensor<1024x1024xf32>, tensor<65536xf32>) {
  %0 = math.exp %x : tensor<1024x1024xf32>
  %1 = math.exp %y : tensor<65536xf32>
  return %0, %1 : tensor<1024x1024xf32>, tensor<65536xf32>
}
