// The type of the second concatenation knows a size that its operands do not
// tell. The kernel's result has that type.
// RUN: fuse-run %s --size=0.1=5,1.1=5 --strategy=max | FileCheck %s
// CHECK: kernels {{.*}} -> 1
// CHECK: verified {{ *}}yes
func.func @main(%a: tensor<1x?x2xf32>, %b: tensor<3x?x2xf32>) -> tensor<?x10x2xf32> {
  %rows = tensor.concat dim(0) %a, %b
      : (tensor<1x?x2xf32>, tensor<3x?x2xf32>) -> tensor<?x?x2xf32>
  %r = tensor.concat dim(1) %rows, %rows
      : (tensor<?x?x2xf32>, tensor<?x?x2xf32>) -> tensor<?x10x2xf32>
  return %r : tensor<?x10x2xf32>
}
