// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

// Overlapping windows of one operand are unrolled by the threads that own the
// outputs.
// CHECK: fuse.group: window 25088 x 1
func.func @max_pool(%x: tensor<1x57x57x32xf32>, %i: tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32> {
  %r = fuse.group -> (tensor<1x28x28x32xf32>) {
    %w = tensor.empty() : tensor<3x3xf32>
    %0 = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
        ins(%x, %w : tensor<1x57x57x32xf32>, tensor<3x3xf32>) outs(%i : tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
    fuse.yield %0 : tensor<1x28x28x32xf32>
  }
  return %r : tensor<1x28x28x32xf32>
}

// So is a convolution that has no columns to make a tile of.
// CHECK: fuse.group: window 21632 x 1
func.func @depthwise(%x: tensor<1x28x28x32xf32>, %w: tensor<3x3x32xf32>, %i: tensor<1x26x26x32xf32>) -> tensor<1x26x26x32xf32> {
  %r = fuse.group -> (tensor<1x26x26x32xf32>) {
    %0 = linalg.depthwise_conv_2d_nhwc_hwc
        ins(%x, %w : tensor<1x28x28x32xf32>, tensor<3x3x32xf32>) outs(%i : tensor<1x26x26x32xf32>) -> tensor<1x26x26x32xf32>
    fuse.yield %0 : tensor<1x26x26x32xf32>
  }
  return %r : tensor<1x26x26x32xf32>
}

// A window of 9 x 9 is unrolled in part.
// CHECK: fuse.group: window 12800 x 1
func.func @large(%x: tensor<1x28x28x32xf32>, %i: tensor<1x20x20x32xf32>) -> tensor<1x20x20x32xf32> {
  %r = fuse.group -> (tensor<1x20x20x32xf32>) {
    %w = tensor.empty() : tensor<9x9xf32>
    %0 = linalg.pooling_nhwc_sum
        ins(%x, %w : tensor<1x28x28x32xf32>, tensor<9x9xf32>) outs(%i : tensor<1x20x20x32xf32>) -> tensor<1x20x20x32xf32>
    fuse.yield %0 : tensor<1x20x20x32xf32>
  }
  return %r : tensor<1x20x20x32xf32>
}

// Sums of what lies diagonally are no windows: no loop shares an index.
// CHECK: fuse.group: general 400 x 1
func.func @diagonal(%x: tensor<20x20x8x8xf32>, %i: tensor<20x20xf32>) -> tensor<20x20xf32> attributes {fuse.fp_order = "strict"} {
  %r = fuse.group -> (tensor<20x20xf32>) {
    %0 = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, j, k, k)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<20x20x8x8xf32>) outs(%i : tensor<20x20xf32>) {
    ^bb0(%a: f32, %s: f32):
      %1 = arith.addf %s, %a : f32
      linalg.yield %1 : f32
    } -> tensor<20x20xf32>
    fuse.yield %0 : tensor<20x20xf32>
  }
  return %r : tensor<20x20xf32>
}
