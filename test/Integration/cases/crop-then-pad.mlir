// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Crop one element and pad one on the same side: the border is padding, not the
// cropped element. Adding the two amounts up gives "no change".
func.func @b053(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %c = tensor.extract_slice %x[1] [3] [1] : tensor<4xf32> to tensor<3xf32>
  %p = tensor.pad %c low[1] high[0] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<3xf32> to tensor<4xf32>
  %r = linalg.add ins(%p, %p : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [0,4,6,8]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.,4.]> : tensor<4xf32>
  %r = call @b053(%in0) : (tensor<4xf32>) -> tensor<4xf32>
  %u0 = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
