// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// An elementwise result is written into the middle of a filled tensor. The fill
// covers more than the inserted part: pulled into its tile, the rest is lost.
func.func @b063(%x: tensor<2xf32>) -> tensor<6xf32> {
  %five = arith.constant 5.0 : f32
  %e2 = tensor.empty() : tensor<2xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %f = linalg.fill ins(%five : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %n = linalg.map { arith.negf } ins(%x : tensor<2xf32>) outs(%e2 : tensor<2xf32>)
  %i = tensor.insert_slice %n into %f[3] [2] [1] : tensor<2xf32> into tensor<6xf32>
  %r = linalg.add ins(%i, %f : tensor<6xf32>, tensor<6xf32>) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [10,10,10,4,3,10]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.]> : tensor<2xf32>
  %r = call @b063(%in0) : (tensor<2xf32>) -> tensor<6xf32>
  %u0 = tensor.cast %r : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
