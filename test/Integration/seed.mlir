// A convolution, a bias and a ReLU become one kernel, with the values of the
// unfused reference.
// RUN: fuse-run %s --report=%t.json | FileCheck %s
// RUN: fuse-run %s --strategy=none | FileCheck %s --check-prefix=NONE
// RUN: fuse-run %s --strategy=max | FileCheck %s

// CHECK: kernels {{ *}}3 -> 1
// CHECK: intermediates {{ *}}2 -> 0
// CHECK: verified {{ *}}yes

// NONE: kernels {{ *}}3 -> 3
// NONE: intermediates {{ *}}2 -> 2
// NONE: verified {{ *}}yes

#nchw = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>

func.func @main(%x: tensor<1x8x15x17xf32>, %w: tensor<12x8x3x3xf32>,
                %b: tensor<12xf32>) -> tensor<1x12x13x15xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x12x13x15xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<1x12x13x15xf32>)
      -> tensor<1x12x13x15xf32>
  %conv = linalg.conv_2d_nchw_fchw
      ins(%x, %w : tensor<1x8x15x17xf32>, tensor<12x8x3x3xf32>)
      outs(%init : tensor<1x12x13x15xf32>) -> tensor<1x12x13x15xf32>
  %biased = linalg.generic {
      indexing_maps = [#nchw, #channel, #nchw],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%conv, %b : tensor<1x12x13x15xf32>, tensor<12xf32>)
      outs(%empty : tensor<1x12x13x15xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %sum = arith.addf %a, %c : f32
    linalg.yield %sum : f32
  } -> tensor<1x12x13x15xf32>
  %relu = linalg.generic {
      indexing_maps = [#nchw, #nchw],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%biased : tensor<1x12x13x15xf32>)
      outs(%empty : tensor<1x12x13x15xf32>) {
  ^bb0(%a: f32, %o: f32):
    %max = arith.maximumf %a, %zero : f32
    linalg.yield %max : f32
  } -> tensor<1x12x13x15xf32>
  return %relu : tensor<1x12x13x15xf32>
}
