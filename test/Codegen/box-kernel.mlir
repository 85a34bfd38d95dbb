// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s
// RUN: fuse-opt %s --fuse-to-ptx | fuse-translate --gpu-binary-to-ptx | FileCheck %s --check-prefix=PTX

// A transpose: 32 x 32 elements of a block go through shared memory, 16 bytes
// at a time on both sides. Chunks of 16 bytes are permuted, so that the four
// elements that a thread reads there meet no other thread's in a bank.
// CHECK-LABEL: gpu.func @transpose
// CHECK-SAME:    workgroup(%[[S:[a-z0-9]+]] : memref<1024xf32, #gpu.address_space<workgroup>>
// CHECK:         arith.xori
// CHECK:         %[[V:.+]] = vector.load {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK:         vector.store %{{.+}}, %[[S]]
// CHECK:         gpu.barrier
// CHECK-COUNT-4: memref.load %[[S]]
// CHECK:         vector.store {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return

// PTX-LABEL: .entry transpose
// PTX:         ld.global{{.*}}v4
// PTX:         st.shared.v4
// PTX:         bar.sync
// PTX-COUNT-4: ld.shared.b32
// PTX:         st.global.v4
func.func @transpose(%x: tensor<64x128xf32>) -> tensor<128x64xf32> {
  %e = tensor.empty() : tensor<128x64xf32>
  %r = fuse.kernel "transpose" ins(%x : tensor<64x128xf32>) outs(%e : tensor<128x64xf32>) -> (tensor<128x64xf32>) {
  ^bb0(%a: tensor<64x128xf32>, %o: tensor<128x64xf32>):
    %0 = tensor.empty() : tensor<128x64xf32>
    %1 = linalg.transpose ins(%a : tensor<64x128xf32>) outs(%0 : tensor<128x64xf32>) permutation = [1, 0]
    fuse.yield %1 : tensor<128x64xf32>
  }
  return %r : tensor<128x64xf32>
}

// An operand and its transpose: what lies as the output does is read directly,
// and each element of the result is computed once. A thread has two chunks.
// CHECK-LABEL: gpu.func @symmetric
// CHECK:         gpu.barrier
// CHECK:         vector.load {{.*}} : memref<4096xf32>, vector<4xf32>
// CHECK-COUNT-8: arith.addf
// CHECK-NOT:     arith.addf
// CHECK:         gpu.return
func.func @symmetric(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "symmetric" ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %o: tensor<64x64xf32>):
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.transpose ins(%a : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) permutation = [1, 0]
    %2 = linalg.add ins(%a, %1 : tensor<64x64xf32>, tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %2 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// Two orders of one result: it is computed once; the order of the operand is
// stored directly, the other one through shared memory, after a barrier.
// CHECK-LABEL: gpu.func @both
// CHECK:         vector.load {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK-COUNT-8: math.absf
// CHECK-NOT:     math.absf
// CHECK:         gpu.barrier
// CHECK:         vector.load {{.*}}#gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:         vector.store {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK:         gpu.return
func.func @both(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<128x64xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %f = tensor.empty() : tensor<128x64xf32>
  %r:2 = fuse.kernel "both" ins(%x : tensor<64x128xf32>) outs(%e, %f : tensor<64x128xf32>, tensor<128x64xf32>) -> (tensor<64x128xf32>, tensor<128x64xf32>) {
  ^bb0(%a: tensor<64x128xf32>, %o: tensor<64x128xf32>, %p: tensor<128x64xf32>):
    %0 = tensor.empty() : tensor<64x128xf32>
    %1 = linalg.abs ins(%a : tensor<64x128xf32>) outs(%0 : tensor<64x128xf32>) -> tensor<64x128xf32>
    %2 = tensor.empty() : tensor<128x64xf32>
    %3 = linalg.transpose ins(%1 : tensor<64x128xf32>) outs(%2 : tensor<128x64xf32>) permutation = [1, 0]
    fuse.yield %1, %3 : tensor<64x128xf32>, tensor<128x64xf32>
  }
  return %r#0, %r#1 : tensor<64x128xf32>, tensor<128x64xf32>
}

// Eight floats side by side on both sides are a sector: no shared memory.
// CHECK-LABEL: gpu.func @heads
// CHECK-NOT:     workgroup
// CHECK-NOT:     gpu.barrier
// CHECK:         gpu.return
func.func @heads(%x: tensor<4x64x8xf32>) -> tensor<64x4x8xf32> {
  %e = tensor.empty() : tensor<64x4x8xf32>
  %r = fuse.kernel "heads" ins(%x : tensor<4x64x8xf32>) outs(%e : tensor<64x4x8xf32>) -> (tensor<64x4x8xf32>) {
  ^bb0(%a: tensor<4x64x8xf32>, %o: tensor<64x4x8xf32>):
    %0 = tensor.empty() : tensor<64x4x8xf32>
    %1 = linalg.transpose ins(%a : tensor<4x64x8xf32>) outs(%0 : tensor<64x4x8xf32>) permutation = [1, 0, 2]
    fuse.yield %1 : tensor<64x4x8xf32>
  }
  return %r : tensor<64x4x8xf32>
}
