// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The pooling window operand is never read, only its size counts. Its producer
// may be dropped, the operand may not; and a sum pool is no max pool.
func.func @b115(%x: tensor<1x4x1x1xf32>, %w0: tensor<2x1xf32>) -> (tensor<1x3x1x1xf32>, tensor<1x3x1x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %big = arith.constant 0x7F800000 : f32
  %ew = tensor.empty() : tensor<2x1xf32>
  %eo = tensor.empty() : tensor<1x3x1x1xf32>
  %w = linalg.map { math.exp } ins(%w0 : tensor<2x1xf32>) outs(%ew : tensor<2x1xf32>)
  %i0 = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  %i1 = linalg.fill ins(%big : f32) outs(%eo : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  %s = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x4x1x1xf32>, tensor<2x1xf32>) outs(%i0 : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  %m = linalg.pooling_nhwc_min {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x4x1x1xf32>, tensor<2x1xf32>) outs(%i1 : tensor<1x3x1x1xf32>) -> tensor<1x3x1x1xf32>
  return %s, %m : tensor<1x3x1x1xf32>, tensor<1x3x1x1xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[[-1]],[[1]],[[7]]]]
// EXPECT: [[[[-2]],[[-2]],[[3]]]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[[[1.]],[[-2.]],[[3.]],[[4.]]]]> : tensor<1x4x1x1xf32>
  %in1 = arith.constant dense<0.0> : tensor<2x1xf32>
  %r:2 = call @b115(%in0, %in1) : (tensor<1x4x1x1xf32>, tensor<2x1xf32>) -> (tensor<1x3x1x1xf32>, tensor<1x3x1x1xf32>)
  %u0 = tensor.cast %r#0 : tensor<1x3x1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<1x3x1x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
