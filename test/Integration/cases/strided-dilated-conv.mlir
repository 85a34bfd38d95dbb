// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// conv with stride 2 and dilation 2 over an elementwise producer: its fused
// read is at 2*o + 2*k. Then a bias by output channel and a relu.
func.func @b113(%x: tensor<1x7x1x1xf32>, %w: tensor<2x1x1x2xf32>, %b: tensor<2xf32>) -> tensor<1x3x1x2xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<1x7x1x1xf32>
  %eo = tensor.empty() : tensor<1x3x1x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  %p = linalg.mul ins(%x, %x : tensor<1x7x1x1xf32>, tensor<1x7x1x1xf32>) outs(%ex : tensor<1x7x1x1xf32>) -> tensor<1x7x1x1xf32>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<[2, 1]> : tensor<2xi64>, strides = dense<[2, 1]> : tensor<2xi64>}
    ins(%p, %w : tensor<1x7x1x1xf32>, tensor<2x1x1x2xf32>) outs(%init : tensor<1x3x1x2xf32>) -> tensor<1x3x1x2xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%c, %b : tensor<1x3x1x2xf32>, tensor<2xf32>) outs(%eo : tensor<1x3x1x2xf32>) {
  ^bb0(%v: f32, %k: f32, %o: f32):
    %s = arith.addf %v, %k : f32
    %m = arith.maximumf %s, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x3x1x2xf32>
  return %r : tensor<1x3x1x2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[[0,9011]],[[1509,25091]],[[3925,49251]]]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[[[1.]],[[2.]],[[3.]],[[4.]],[[5.]],[[6.]],[[7.]]]]> : tensor<1x7x1x1xf32>
  %in1 = arith.constant dense<[[[[1.,10.]]],[[[100.,1000.]]]]> : tensor<2x1x1x2xf32>
  %in2 = arith.constant dense<[-1000.,1.]> : tensor<2xf32>
  %r = call @b113(%in0, %in1, %in2) : (tensor<1x7x1x1xf32>, tensor<2x1x1x2xf32>, tensor<2xf32>) -> tensor<1x3x1x2xf32>
  %u0 = tensor.cast %r : tensor<1x3x1x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
