// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// maximumf hands NaN on, maxnumf drops it. Their identities differ too (-inf,
// NaN), and PTX has a different instruction for each.
func.func @b036(%x: tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3xf32>
  %init = linalg.fill ins(%ninf : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %a = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
  %b = linalg.reduce { arith.maxnumf } ins(%x : tensor<3x4xf32>) outs(%init : tensor<3xf32>) dimensions = [1]
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [nan,nan,-1]
// EXPECT: [3,-inf,-1]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,0x7FC00000,3.,2.],[0x7FC00000,0x7FC00000,0x7FC00000,0x7FC00000],[-1.,-2.,-3.,-4.]]> : tensor<3x4xf32>
  %r:2 = call @b036(%in0) : (tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %u0 = tensor.cast %r#0 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
