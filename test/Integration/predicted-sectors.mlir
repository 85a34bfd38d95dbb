// Predicted sectors of windows and of tiles that are copied element by element:
// within 5 % of what the emulator counts, one kernel each.
// RUN: fuse-run %s --entry=depthwise --assemble=false --report=%t.1.json
// RUN: fuse-run %s --entry=strided --assemble=false --report=%t.2.json
// RUN: fuse-run %s --entry=convolution --assemble=false --report=%t.3.json
// RUN: fuse-run %s --entry=scaled --assemble=false --report=%t.4.json
// RUN: fuse-run %s --entry=pointwise --assemble=false --report=%t.5.json
// RUN: %python %S/Inputs/check_predicted.py %t.1.json window %t.2.json window %t.3.json tile %t.4.json tile %t.5.json tile

func.func @depthwise(%x: tensor<1x32x28x28xf32>, %w: tensor<32x3x3xf32>) -> tensor<1x32x28x28xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x32x28x28xf32> to tensor<1x32x30x30xf32>
  %e = tensor.empty() : tensor<1x32x28x28xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw ins(%p, %w : tensor<1x32x30x30xf32>, tensor<32x3x3xf32>) outs(%f : tensor<1x32x28x28xf32>) -> tensor<1x32x28x28xf32>
  return %r : tensor<1x32x28x28xf32>
}

func.func @strided(%x: tensor<1x64x28x28xf32>, %w: tensor<64x3x3xf32>) -> tensor<1x64x14x14xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x64x28x28xf32> to tensor<1x64x30x30xf32>
  %e = tensor.empty() : tensor<1x64x14x14xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  %r = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : vector<2xi64>} ins(%p, %w : tensor<1x64x30x30xf32>, tensor<64x3x3xf32>) outs(%f : tensor<1x64x14x14xf32>) -> tensor<1x64x14x14xf32>
  return %r : tensor<1x64x14x14xf32>
}

// Neither the depth nor the pixels lie side by side in groups of four: threads
// take pixels, which are next to each other.
func.func @convolution(%x: tensor<1x32x14x14xf32>, %w: tensor<32x32x3x3xf32>) -> tensor<1x32x14x14xf32> {
  %z = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f32
  } : tensor<1x32x14x14xf32> to tensor<1x32x16x16xf32>
  %e = tensor.empty() : tensor<1x32x14x14xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x32x16x16xf32>, tensor<32x32x3x3xf32>) outs(%f : tensor<1x32x14x14xf32>) -> tensor<1x32x14x14xf32>
  return %r : tensor<1x32x14x14xf32>
}

// The scale of a row of the right factor is read once for each step of the sum.
func.func @scaled(%a: tensor<256x128xf32>, %s: tensor<128xf32>, %b: tensor<128x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x128xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : tensor<256x128xf32>, tensor<128xf32>) outs(%e : tensor<256x128xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %m = arith.mulf %in, %scale : f32
    linalg.yield %m : f32
  } -> tensor<256x128xf32>
  %o = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%o : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%x, %b : tensor<256x128xf32>, tensor<128x256xf32>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}

// 24 x 7 tiles, of which the last of each row is cut off: one in three of a few
// blocks at equal distances would be such a one.
func.func @pointwise(%x: tensor<1x64x14x14xf32>, %w: tensor<384x64x1x1xf32>) -> tensor<1x384x14x14xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x384x14x14xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x384x14x14xf32>) -> tensor<1x384x14x14xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x14x14xf32>, tensor<384x64x1x1xf32>) outs(%f : tensor<1x384x14x14xf32>) -> tensor<1x384x14x14xf32>
  return %r : tensor<1x384x14x14xf32>
}
