// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// reduce_max with NaN handed on and with NaN ignored, of one tensor: two
// siblings that differ in nothing but the mode.
func.func @b123(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %a = tosa.reduce_max %x {axis = 1 : i32, nan_mode = PROPAGATE} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %b = tosa.reduce_max %x {axis = 1 : i32, nan_mode = IGNORE} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %a, %b : tensor<2x1xf32>, tensor<2x1xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[nan],[-1]]
// EXPECT: [[3],[-1]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,0x7FC00000,3.],[-1.,-2.,-3.]]> : tensor<2x3xf32>
  %r:2 = call @b123(%in0) : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  %u0 = tensor.cast %r#0 : tensor<2x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
