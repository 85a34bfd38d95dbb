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

// A window of 9 x 9 is too long to be unrolled.
// CHECK: fuse.group: general 12800 x 1
func.func @large(%x: tensor<1x28x28x32xf32>, %i: tensor<1x20x20x32xf32>) -> tensor<1x20x20x32xf32> {
  %r = fuse.group -> (tensor<1x20x20x32xf32>) {
    %w = tensor.empty() : tensor<9x9xf32>
    %0 = linalg.pooling_nhwc_sum
        ins(%x, %w : tensor<1x28x28x32xf32>, tensor<9x9xf32>) outs(%i : tensor<1x20x20x32xf32>) -> tensor<1x20x20x32xf32>
    fuse.yield %0 : tensor<1x20x20x32xf32>
  }
  return %r : tensor<1x20x20x32xf32>
}
