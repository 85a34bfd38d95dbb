// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// linalg.softmax has no body of its own and is no plain structured op: classify
// it without looking for one. With an elementwise op on either side.
func.func @b116(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %e = tensor.empty() : tensor<2x3xf32>
  %p = linalg.add ins(%x, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %s = linalg.softmax dimension(1) ins(%p : tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = linalg.sub ins(%s, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[-0.666667,-0.666667,-0.666667],[0.0900306,-0.255272,-0.334759]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,1.,1.],[0.,0.5,1.]]> : tensor<2x3xf32>
  %r = call @b116(%in0) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %u0 = tensor.cast %r : tensor<2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
