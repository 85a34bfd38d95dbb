// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext fp-order=strict
// KERNELS: 3

// 1e8 + 1 - 1e8 + 1 in f32: the written order gives 1, a tree gives 0 or 2.
// No reassoc flag is set, so a tool must keep the order or say that it does not.
func.func @short(%x: tensor<1x4xf32>) -> tensor<1xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<1x4xf32>) outs(%init : tensor<1xf32>) dimensions = [1]
  return %r : tensor<1xf32>
}
// 1e8, 62 ones, -1e8: each one is lost in order; threads that share the row
// would find most of them.
func.func @long(%x: tensor<2x64xf32>) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<2x64xf32>) outs(%init : tensor<2xf32>) dimensions = [1]
  return %r : tensor<2xf32>
}
// (1 + 2^-12)^2 rounds to 1 + 2^-11; a fused multiply-add finds 2^-24 more.
func.func @product(%x: tensor<2xf32>) -> tensor<f32> {
  %minus = arith.constant -1.00048828125 : f32
  %e = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%minus : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.dot ins(%x, %x : tensor<2xf32>, tensor<2xf32>) outs(%init : tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1]
// EXPECT: [0,64]
// EXPECT: [0]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.0e8,1.0,-1.0e8,1.0]]> : tensor<1x4xf32>
  %r0 = call @short(%in0) : (tensor<1x4xf32>) -> tensor<1xf32>
  %u0 = tensor.cast %r0 : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %in1 = arith.constant dense<[[1.0e8,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,-1.0e8],[1.0,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.,1.0]]> : tensor<2x64xf32>
  %r1 = call @long(%in1) : (tensor<2x64xf32>) -> tensor<2xf32>
  %u1 = tensor.cast %r1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  %in2 = arith.constant dense<[1.000244140625,0.0]> : tensor<2xf32>
  %r2 = call @product(%in2) : (tensor<2xf32>) -> tensor<f32>
  %u2 = tensor.cast %r2 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
