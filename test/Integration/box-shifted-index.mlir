// The same transposed tensor is read for two operands of a concatenation, whose
// places in memory are one neighbour apart: no copy in shared memory that has
// the one where the other is asked for.
// RUN: fuse-run %s --seed=7 | FileCheck %s
// CHECK: kernels {{.*}} -> 1
// CHECK: verified{{ +}}yes, max error 0 (

func.func @main(%x: tensor<8x5x16xf32>, %y: tensor<16x7x8xf32>) -> tensor<16x17x8xf32> {
  %e = tensor.empty() : tensor<16x5x8xf32>
  %t = linalg.transpose ins(%x : tensor<8x5x16xf32>) outs(%e : tensor<16x5x8xf32>) permutation = [2, 1, 0]
  %r = tensor.concat dim(1) %t, %t, %y : (tensor<16x5x8xf32>, tensor<16x5x8xf32>, tensor<16x7x8xf32>) -> tensor<16x17x8xf32>
  return %r : tensor<16x17x8xf32>
}
