// RUN: fuse-opt %s --fuse-to-ptx | FileCheck %s
// RUN: fuse-opt %s --fuse-to-ptx=host=llvm | FileCheck %s --check-prefix=LLVM
// RUN: fuse-opt %s --fuse-to-ptx="host=llvm memory=device" | FileCheck %s --check-prefix=LLVM

// Branches, buffers of the caller and calls of unknown functions around
// kernels: in both memory modes nothing but the LLVM dialect and launches is
// left of the host code.
// LLVM-LABEL: llvm.func @branches(
// LLVM-COUNT-2: gpu.launch_func
// LLVM-LABEL: llvm.func @into_buffer(
// LLVM:         gpu.launch_func
// LLVM-LABEL: llvm.func @calls_unknown(
// LLVM:         gpu.launch_func
// LLVM:         llvm.call @ext(
// LLVM:         gpu.launch_func

// The host waits before it hands memory to the call, and what the call gives
// is moved to the device.
// CHECK-LABEL: func.func @calls_unknown(
// CHECK:         gpu.launch_func
// CHECK:         gpu.memcpy {{.*}} %[[IN:[a-z0-9_]+]], %
// CHECK:         llvm.call @mgpuStreamSynchronize
// CHECK-NEXT:    %[[OUT:.+]] = call @ext(%[[IN]])
// CHECK:         gpu.memcpy {{.*}}, %[[OUT]] :
// CHECK:         memref.dealloc %[[OUT]]
// CHECK:         gpu.launch_func
// CHECK-NOT:     linalg
func.func private @ext(tensor<4xf32>) -> tensor<4xf32>
func.func @branches(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  cf.cond_br %c, ^a, ^b(%x : tensor<4xf32>)
^a:
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  cf.br ^b(%r : tensor<4xf32>)
^b(%y: tensor<4xf32>):
  %e2 = tensor.empty() : tensor<4xf32>
  %s = linalg.exp ins(%y : tensor<4xf32>) outs(%e2 : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @into_buffer(%x: tensor<4xf32>, %m: memref<4xf32>) {
  %t = bufferization.to_tensor %m restrict writable : memref<4xf32> to tensor<4xf32>
  %r = linalg.add ins(%x, %t : tensor<4xf32>, tensor<4xf32>) outs(%t : tensor<4xf32>) -> tensor<4xf32>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf32>, memref<4xf32>) -> ()
  return
}
func.func @calls_unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = call @ext(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}
