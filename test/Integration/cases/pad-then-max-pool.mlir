// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Padding with -inf before a max pool over negative numbers. A fused bounds
// check that reads 0 outside changes the result.
func.func @b055(%x: tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %w = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<1x2x2x1xf32>
  %init = linalg.fill ins(%ninf : f32) outs(%e : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %ninf : f32
  } : tensor<1x2x2x1xf32> to tensor<1x4x4x1xf32>
  %r = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<2> : tensor<2xi64>}
    ins(%p, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>) outs(%init : tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  return %r : tensor<1x2x2x1xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[[-1],[-2]],[[-3],[-4]]]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[[[-1.],[-2.]],[[-3.],[-4.]]]]> : tensor<1x2x2x1xf32>
  %r = call @b055(%in0) : (tensor<1x2x2x1xf32>) -> tensor<1x2x2x1xf32>
  %u0 = tensor.cast %r : tensor<1x2x2x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
