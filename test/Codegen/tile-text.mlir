// Kernels that copy asynchronously can be printed and parsed again.
// RUN: fuse-opt %s --fuse-plan --fuse-groups-to-gpu | fuse-opt | FileCheck %s
// CHECK: gpu.func @main_0_matmul
// CHECK: nvgpu.device_async_create_group {all_pending}
// CHECK: nvgpu.device_async_wait
func.func @main(%x: tensor<64x64xf16>, %w: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %m = linalg.matmul ins(%x, %w : tensor<64x64xf16>, tensor<64x64xf16>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %m : tensor<64x64xf32>
}
