// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// One tensor.empty is the outs of two ops whose results are both live: the two
// outputs must not end up in one buffer.
func.func @b016(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.map { arith.negf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %b = linalg.map { math.absf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-1,2,-3,4]
// EXPECT: [1,2,3,4]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,-2.,3.,-4.]> : tensor<4xf32>
  %r:2 = call @b016(%in0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %u0 = tensor.cast %r#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
