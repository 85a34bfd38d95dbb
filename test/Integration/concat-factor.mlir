// A factor in three pieces along the depth: the pieces that a thread of the tile
// copies lie in different tensors.
// RUN: fuse-run %s | FileCheck %s
// CHECK: tile
// CHECK: kernels         2 -> 1
// CHECK: verified        yes
func.func @main(%a: tensor<7x7xf32>, %b: tensor<7x7xf32>, %w: tensor<21x16xf32>)
    -> tensor<7x16xf32> {
  %x = tensor.concat dim(1) %a, %b, %b : (tensor<7x7xf32>, tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x21xf32>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x16xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x16xf32>) -> tensor<7x16xf32>
  %y = linalg.matmul ins(%x, %w : tensor<7x21xf32>, tensor<21x16xf32>) outs(%init : tensor<7x16xf32>) -> tensor<7x16xf32>
  return %y : tensor<7x16xf32>
}
