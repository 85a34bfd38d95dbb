// What surrounds a tensor is read from another one, at the place of the padded
// tensor: one kernel, and the reference checks no index of the padding's body.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// CHECK: kernels         3 -> 1
// CHECK: verified        yes, max error 0 (emulator)
func.func @main(%x: tensor<33xi32>, %t: tensor<70xi32>) -> tensor<70xi32> {
  %e = tensor.empty() : tensor<33xi32>
  %e2 = tensor.empty() : tensor<70xi32>
  %d = linalg.add ins(%x, %x : tensor<33xi32>, tensor<33xi32>)
    outs(%e : tensor<33xi32>) -> tensor<33xi32>
  %p = tensor.pad %d low[20] high[17] {
  ^bb0(%i: index):
    %v = tensor.extract %t[%i] : tensor<70xi32>
    tensor.yield %v : i32
  } : tensor<33xi32> to tensor<70xi32>
  %r = linalg.mul ins(%p, %p : tensor<70xi32>, tensor<70xi32>)
    outs(%e2 : tensor<70xi32>) -> tensor<70xi32>
  return %r : tensor<70xi32>
}
