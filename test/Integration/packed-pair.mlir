// Three products of one left factor as two parts of a kernel: two of them in one
// walk, the third one beside them.
// REQUIRES: ptxas
// RUN: fuse-run %s | FileCheck %s
// CHECK: main_0_matmul packed 384 x 64 {{.*}} 0 49153
// CHECK: kernels 3 -> 1
// CHECK: verified yes
func.func @main(%x: tensor<1024x64xf32>, %a: tensor<64x768xf32>, %b: tensor<64x768xf32>, %c: tensor<64x768xf32>) -> (tensor<1024x768xf32>, tensor<1024x768xf32>, tensor<1024x768xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<1024x64xf32>, tensor<64x768xf32>) outs(%f : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<1024x64xf32>, tensor<64x768xf32>) outs(%f : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %2 = linalg.matmul ins(%x, %c : tensor<1024x64xf32>, tensor<64x768xf32>) outs(%f : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  return %0, %1, %2 : tensor<1024x768xf32>, tensor<1024x768xf32>, tensor<1024x768xf32>
}
