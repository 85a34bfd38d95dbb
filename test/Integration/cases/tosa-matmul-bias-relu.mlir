// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Batched matmul with zero points, a broadcast bias and a clamp: the epilogue of
// a dense layer, all in tosa.
func.func @b128(%a: tensor<2x2x2xf32>, %b: tensor<2x2x2xf32>, %bias: tensor<1x1x2xf32>) -> tensor<2x2x2xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %m = tosa.matmul %a, %b, %zp, %zp : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x2x2xf32>
  %s = tosa.add %m, %bias : (tensor<2x2x2xf32>, tensor<1x1x2xf32>) -> tensor<2x2x2xf32>
  %r = tosa.clamp %s {min_val = 0.0 : f32, max_val = 100.0 : f32} : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[11,0],[13,1]],[[5,3],[17,100]]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[[1.,2.],[3.,4.]],[[1.,0.],[0.,1.]]]> : tensor<2x2x2xf32>
  %in1 = arith.constant dense<[[[1.,0.],[0.,1.]],[[-5.,6.],[7.,200.]]]> : tensor<2x2x2xf32>
  %in2 = arith.constant dense<[[[10.,-3.]]]> : tensor<1x1x2xf32>
  %r = call @b128(%in0, %in1, %in2) : (tensor<2x2x2xf32>, tensor<2x2x2xf32>, tensor<1x1x2xf32>) -> tensor<2x2x2xf32>
  %u0 = tensor.cast %r : tensor<2x2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
