// RUN: fuse-opt %s --fuse-groups-to-gpu | FileCheck %s
// RUN: fuse-opt %s --fuse-groups-to-gpu=memory=device | FileCheck %s --check-prefix=DEVICE
// RUN: fuse-opt %s --fuse-groups-to-gpu --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=ORDER

// ORDER:      builtin.module(
// ORDER:        fuse-select-schedules
// ORDER-NEXT:   convert-fuse-to-gpu
// ORDER:          fuse-expand-math
// ORDER:        fuse-bufferize-host
// ORDER:        fuse-place-buffers
// ORDER-NEXT:   fuse-annotate-kernels
// ORDER-NEXT:   cse
// ORDER-NEXT: )

// A kernel in, a launch and a device function out.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:      memref<64xf32>) -> memref<64xf32>
// CHECK:         gpu.memcpy
// CHECK:         gpu.launch_func @fuse_kernels::@
// CHECK:         gpu.memcpy
// CHECK-LABEL: gpu.module @fuse_kernels
// CHECK:         llvm.noalias, llvm.readonly
// CHECK-SAME:    llvm.noalias, llvm.writeonly

// On the device already: nothing is allocated or copied, the result is an
// argument.
// DEVICE-LABEL: func.func @f(
// DEVICE-SAME:      %[[X:.+]]: memref<64xf32>, %[[R:.+]]: memref<64xf32> {bufferize.result})
// DEVICE-NOT:     alloc
// DEVICE-NOT:     memcpy
// DEVICE:         gpu.launch_func {{.*}} args(%[[X]] : memref<64xf32>, %[[R]] : memref<64xf32>)
// DEVICE-NEXT:    return
// DEVICE:         llvm.noalias, llvm.readonly
// DEVICE-SAME:    llvm.noalias, llvm.writeonly
func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = fuse.kernel "double" ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> (tensor<64xf32>) {
  ^bb0(%in: tensor<64xf32>, %out: tensor<64xf32>):
    %0 = linalg.add ins(%in, %in : tensor<64xf32>, tensor<64xf32>) outs(%out : tensor<64xf32>) -> tensor<64xf32>
    fuse.yield %0 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
