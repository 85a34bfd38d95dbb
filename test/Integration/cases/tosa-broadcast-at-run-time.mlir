// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 2

// A dynamic dim that may be 1 at run time and then broadcasts. A kernel that
// reads row i of the operand goes out of bounds when it has one row.
func.func @b120(%a: tensor<?x2xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %s = tosa.add %a, %b : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %n = tosa.abs %s : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return %n : tensor<3x2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[9,18],[7,16],[5,14]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[-10.,-20.]]> : tensor<1x2xf32>
  %arg0 = tensor.cast %in0 : tensor<1x2xf32> to tensor<?x2xf32>
  %in1 = arith.constant dense<[[1.,2.],[3.,4.],[5.,6.]]> : tensor<3x2xf32>
  %r = call @b120(%arg0, %in1) : (tensor<?x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %u0 = tensor.cast %r : tensor<3x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
