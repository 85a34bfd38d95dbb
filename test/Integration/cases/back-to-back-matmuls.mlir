// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Matmul feeding a matmul through an elementwise op. A contraction must not be
// inlined into another contraction's body as if it were elementwise: in one kernel
// each element of the first is made once, for whole rows of the second.
func.func @b031(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %m0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
  %n = linalg.map { arith.negf } ins(%m0 : tensor<2x2xf32>) outs(%e : tensor<2x2xf32>)
  %m1 = linalg.matmul ins(%n, %c : tensor<2x2xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %m1 : tensor<2x2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[-5,-3],[-13,-7]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.],[3.,4.]]> : tensor<2x2xf32>
  %in1 = arith.constant dense<[[1.,1.],[0.,1.]]> : tensor<2x2xf32>
  %in2 = arith.constant dense<[[2.,0.],[1.,1.]]> : tensor<2x2xf32>
  %r = call @b031(%in0, %in1, %in2) : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %u0 = tensor.cast %r : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
