// A thread reads seven neighbours, the last of them at the end of a buffer of 15
// bytes: LLVM would make two accesses of four bytes of them, one of which leaves the
// buffer. (All checkers: an access out of bounds is an error.)
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=none | FileCheck %s
// CHECK: main_0_depthwise_conv_1d_nwc_wc
// CHECK: kernels         1 -> 1
// CHECK: verified        yes
func.func @main(%image: tensor<1x5x3xi8>, %window: tensor<2x3xi8>)
    -> tensor<1x4x3xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<1x4x3xi32>
  %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<1x4x3xi32>)
      -> tensor<1x4x3xi32>
  %result = linalg.depthwise_conv_1d_nwc_wc
      {strides = dense<1> : vector<1xi64>, dilations = dense<1> : vector<1xi64>}
      ins(%image, %window : tensor<1x5x3xi8>, tensor<2x3xi8>)
      outs(%fill : tensor<1x4x3xi32>) -> tensor<1x4x3xi32>
  return %result : tensor<1x4x3xi32>
}
