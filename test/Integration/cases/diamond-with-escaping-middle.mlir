// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Diamond: p feeds a and b, both feed c, and p itself is returned. Fine to fuse
// as one kernel with two outputs; p must still be written once and correctly.
func.func @b020(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %p = linalg.map { math.absf } ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
  %a = linalg.mul ins(%p, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.sub ins(%p, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %p, %c : tensor<4xf32>, tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1,2,3,4]
// EXPECT: [1,0,9,-8]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,-2.,3.,-4.]> : tensor<4xf32>
  %r:2 = call @b020(%in0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %u0 = tensor.cast %r#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
