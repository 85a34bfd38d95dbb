// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// fill + matmul with a long k (70 = not a multiple of any tile): a fill pulled
// into a tiled k loop starts the sum again for each tile.
func.func @b033(%a: tensor<3x70xf32>, %b: tensor<70x3xf32>) -> tensor<3x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<3x3xf32>) -> tensor<3x3xf32>
  %m = linalg.matmul ins(%a, %b : tensor<3x70xf32>, tensor<70x3xf32>) outs(%init : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %m : tensor<3x3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[140,140,140],[140,140,140],[140,140,140]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<1.0> : tensor<3x70xf32>
  %in1 = arith.constant dense<2.0> : tensor<70x3xf32>
  %r = call @b033(%in0, %in1) : (tensor<3x70xf32>, tensor<70x3xf32>) -> tensor<3x3xf32>
  %u0 = tensor.cast %r : tensor<3x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
