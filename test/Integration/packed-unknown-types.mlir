// Contractions that share a factor, in parts of one kernel. The factor is put
// together of pieces whose types do not know their sizes; the kernel does.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --cost-model=always | FileCheck %s
// CHECK: {{^}}main_0_matmul{{ +}}packed
// CHECK: {{^}}kernels{{.*}} -> 1{{$}}
// CHECK: {{^}}verified{{ +}}yes
func.func @main(%x: tensor<64x32xf32>, %a: tensor<32x48xf32>, %b: tensor<32x40xf32>) -> (tensor<64x48xf32>, tensor<64x40xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = tensor.extract_slice %x[24, 0] [40, 32] [1, 1] : tensor<64x32xf32> to tensor<40x32xf32>
  %high = tensor.extract_slice %x[0, 0] [24, 32] [1, 1] : tensor<64x32xf32> to tensor<24x32xf32>
  %l = tensor.cast %low : tensor<40x32xf32> to tensor<?x32xf32>
  %h = tensor.cast %high : tensor<24x32xf32> to tensor<?x32xf32>
  %rolled = tensor.concat dim(0) %l, %h : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<64x32xf32>
  %ea = tensor.empty() : tensor<64x48xf32>
  %fa = linalg.fill ins(%zero : f32) outs(%ea : tensor<64x48xf32>) -> tensor<64x48xf32>
  %p = linalg.matmul ins(%rolled, %a : tensor<64x32xf32>, tensor<32x48xf32>) outs(%fa : tensor<64x48xf32>) -> tensor<64x48xf32>
  %eb = tensor.empty() : tensor<64x40xf32>
  %fb = linalg.fill ins(%zero : f32) outs(%eb : tensor<64x40xf32>) -> tensor<64x40xf32>
  %q = linalg.matmul ins(%rolled, %b : tensor<64x32xf32>, tensor<32x40xf32>) outs(%fb : tensor<64x40xf32>) -> tensor<64x40xf32>
  return %p, %q : tensor<64x48xf32>, tensor<64x40xf32>
}
