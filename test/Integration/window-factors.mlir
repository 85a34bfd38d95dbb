// Depthwise convolutions and pooling before a pointwise convolution or a product: the
// window is evaluated where an element of the factor is needed, if the price says so.
// One kernel: strides, padding, batch norm and ReLU6, halves, channels last, means of
// 2 x 2 pixels. Strategy max nests no reduction in another's loops, windows of 49
// elements are too long. What follows from a window may be stored as well.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/stride-1.mlir --report=%t/report.json | FileCheck %s --check-prefix=ONE
// RUN: FileCheck %s --check-prefix=SECTORS < %t/report.json
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/stride-2.mlir --cost-model=always | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/five.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/channels-last.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/channels-last-f16.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/pooled.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/stored.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/seven.mlir | FileCheck %s --check-prefix=TWO
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/stride-1.mlir --strategy=max | FileCheck %s --check-prefix=TWO
// ONE: main_0_{{.*}} tile
// ONE: kernels {{.*}}-> 1
// ONE: verified{{ +}}yes
// TWO: main_0_{{.*}} window
// TWO: kernels {{.*}}-> 2
// TWO: verified{{ +}}yes
// What is read and written, each once: 2 x 24 x 13 x 19 pixels, 2 x 20 x 13 x 19
// results, and the weights.
// SECTORS: "counted_sectors": {
// SECTORS: "unique": 28{{[0-9][0-9]$}}

//--- stride-1.mlir
#full = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<2x24x13x19xf32>, %k: tensor<24x3x3xf32>, %g: tensor<24xf32>, %b: tensor<24xf32>, %w: tensor<20x24x1x1xf32>) -> (tensor<2x20x13x19xf32>) {
  %z = arith.constant 0.0 : f32
  %zi = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zi : f32
  } : tensor<2x24x13x19xf32> to tensor<2x24x15x21xf32>
  %e = tensor.empty() : tensor<2x24x13x19xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x13x19xf32>) -> tensor<2x24x13x19xf32>
  %d = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>} ins(%p, %k : tensor<2x24x15x21xf32>, tensor<24x3x3xf32>) outs(%f : tensor<2x24x13x19xf32>) -> tensor<2x24x13x19xf32>
  %ea = tensor.empty() : tensor<2x24x13x19xf32>
  %a = linalg.generic {indexing_maps = [#full, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %g, %b : tensor<2x24x13x19xf32>, tensor<24xf32>, tensor<24xf32>) outs(%ea : tensor<2x24x13x19xf32>) {
    ^bb0(%v: f32, %gg: f32, %bb: f32, %o: f32):
      %m = arith.mulf %v, %gg : f32
      %s = arith.addf %m, %bb : f32
      %r = arith.maximumf %s, %z : f32
      %q = arith.minimumf %r, %six : f32
      linalg.yield %q : f32
  } -> tensor<2x24x13x19xf32>
  %ey = tensor.empty() : tensor<2x20x13x19xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<2x20x13x19xf32>) -> tensor<2x20x13x19xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<2x24x13x19xf32>, tensor<20x24x1x1xf32>) outs(%fy : tensor<2x20x13x19xf32>) -> tensor<2x20x13x19xf32>
  return %y : tensor<2x20x13x19xf32>
}

//--- stride-2.mlir
#full = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x40x15x17xf16>, %k: tensor<40x3x3xf16>, %g: tensor<40xf32>, %b: tensor<40xf32>, %w: tensor<70x40x1x1xf16>) -> (tensor<1x70x8x9xf32>) {
  %z = arith.constant 0.0 : f32
  %zi = arith.constant 0.0 : f16
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zi : f16
  } : tensor<1x40x15x17xf16> to tensor<1x40x17x19xf16>
  %e = tensor.empty() : tensor<1x40x8x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x40x8x9xf32>) -> tensor<1x40x8x9xf32>
  %d = linalg.depthwise_conv_2d_nchw_chw {strides = dense<2> : tensor<2xi64>} ins(%p, %k : tensor<1x40x17x19xf16>, tensor<40x3x3xf16>) outs(%f : tensor<1x40x8x9xf32>) -> tensor<1x40x8x9xf32>
  %ea = tensor.empty() : tensor<1x40x8x9xf16>
  %a = linalg.generic {indexing_maps = [#full, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %g, %b : tensor<1x40x8x9xf32>, tensor<40xf32>, tensor<40xf32>) outs(%ea : tensor<1x40x8x9xf16>) {
    ^bb0(%v: f32, %gg: f32, %bb: f32, %o: f16):
      %m = arith.mulf %v, %gg : f32
      %s = arith.addf %m, %bb : f32
      %r = arith.maximumf %s, %z : f32
      %q = arith.minimumf %r, %six : f32
      %t = arith.truncf %q : f32 to f16
      linalg.yield %t : f16
  } -> tensor<1x40x8x9xf16>
  %ey = tensor.empty() : tensor<1x70x8x9xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<1x70x8x9xf32>) -> tensor<1x70x8x9xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x40x8x9xf16>, tensor<70x40x1x1xf16>) outs(%fy : tensor<1x70x8x9xf32>) -> tensor<1x70x8x9xf32>
  return %y : tensor<1x70x8x9xf32>
}

//--- five.mlir
#full = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x16x12x12xf32>, %k: tensor<16x5x5xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %w: tensor<16x16x1x1xf32>) -> (tensor<1x16x12x12xf32>) {
  %z = arith.constant 0.0 : f32
  %zi = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zi : f32
  } : tensor<1x16x12x12xf32> to tensor<1x16x16x16xf32>
  %e = tensor.empty() : tensor<1x16x12x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %d = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>} ins(%p, %k : tensor<1x16x16x16xf32>, tensor<16x5x5xf32>) outs(%f : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %ea = tensor.empty() : tensor<1x16x12x12xf32>
  %a = linalg.generic {indexing_maps = [#full, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %g, %b : tensor<1x16x12x12xf32>, tensor<16xf32>, tensor<16xf32>) outs(%ea : tensor<1x16x12x12xf32>) {
    ^bb0(%v: f32, %gg: f32, %bb: f32, %o: f32):
      %m = arith.mulf %v, %gg : f32
      %s = arith.addf %m, %bb : f32
      %r = arith.maximumf %s, %z : f32
      %q = arith.minimumf %r, %six : f32
      linalg.yield %q : f32
  } -> tensor<1x16x12x12xf32>
  %ey = tensor.empty() : tensor<1x16x12x12xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x16x12x12xf32>, tensor<16x16x1x1xf32>) outs(%fy : tensor<1x16x12x12xf32>) -> tensor<1x16x12x12xf32>
  return %y : tensor<1x16x12x12xf32>
}

//--- stored.mlir
#full = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x24x12x12xf32>, %k: tensor<24x3x3xf32>, %g: tensor<24xf32>, %b: tensor<24xf32>, %w: tensor<24x24x1x1xf32>) -> (tensor<1x24x12x12xf32>, tensor<1x24x12x12xf32>) {
  %z = arith.constant 0.0 : f32
  %zi = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zi : f32
  } : tensor<1x24x12x12xf32> to tensor<1x24x14x14xf32>
  %e = tensor.empty() : tensor<1x24x12x12xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x24x12x12xf32>) -> tensor<1x24x12x12xf32>
  %d = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>} ins(%p, %k : tensor<1x24x14x14xf32>, tensor<24x3x3xf32>) outs(%f : tensor<1x24x12x12xf32>) -> tensor<1x24x12x12xf32>
  %ea = tensor.empty() : tensor<1x24x12x12xf32>
  %a = linalg.generic {indexing_maps = [#full, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %g, %b : tensor<1x24x12x12xf32>, tensor<24xf32>, tensor<24xf32>) outs(%ea : tensor<1x24x12x12xf32>) {
    ^bb0(%v: f32, %gg: f32, %bb: f32, %o: f32):
      %m = arith.mulf %v, %gg : f32
      %s = arith.addf %m, %bb : f32
      %r = arith.maximumf %s, %z : f32
      %q = arith.minimumf %r, %six : f32
      linalg.yield %q : f32
  } -> tensor<1x24x12x12xf32>
  %ey = tensor.empty() : tensor<1x24x12x12xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<1x24x12x12xf32>) -> tensor<1x24x12x12xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x24x12x12xf32>, tensor<24x24x1x1xf32>) outs(%fy : tensor<1x24x12x12xf32>) -> tensor<1x24x12x12xf32>
  return %a, %y : tensor<1x24x12x12xf32>, tensor<1x24x12x12xf32>
}

//--- channels-last.mlir
func.func @main(%x: tensor<2x11x13x32xf32>, %k: tensor<3x3x32xf32>, %w: tensor<32x24xf32>) -> tensor<198x24xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x9x11x32xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x9x11x32xf32>) -> tensor<2x9x11x32xf32>
  %d = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<2x11x13x32xf32>, tensor<3x3x32xf32>) outs(%f : tensor<2x9x11x32xf32>) -> tensor<2x9x11x32xf32>
  %c = tensor.collapse_shape %d [[0, 1, 2], [3]] : tensor<2x9x11x32xf32> into tensor<198x32xf32>
  %ey = tensor.empty() : tensor<198x24xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<198x24xf32>) -> tensor<198x24xf32>
  %y = linalg.matmul ins(%c, %w : tensor<198x32xf32>, tensor<32x24xf32>) outs(%fy : tensor<198x24xf32>) -> tensor<198x24xf32>
  return %y : tensor<198x24xf32>
}

//--- channels-last-f16.mlir
func.func @main(%x: tensor<1x11x10x48xf16>, %k: tensor<3x3x48xf16>, %w: tensor<48x32xf16>) -> tensor<72x32xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x9x8x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x9x8x48xf32>) -> tensor<1x9x8x48xf32>
  %d = linalg.depthwise_conv_2d_nhwc_hwc ins(%x, %k : tensor<1x11x10x48xf16>, tensor<3x3x48xf16>) outs(%f : tensor<1x9x8x48xf32>) -> tensor<1x9x8x48xf32>
  %c = tensor.collapse_shape %d [[0, 1, 2], [3]] : tensor<1x9x8x48xf32> into tensor<72x48xf32>
  %ey = tensor.empty() : tensor<72x32xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<72x32xf32>) -> tensor<72x32xf32>
  %eh = tensor.empty() : tensor<72x48xf16>
  %h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<72x48xf32>) outs(%eh : tensor<72x48xf16>) {
    ^bb0(%v: f32, %o: f16):
      %t = arith.truncf %v : f32 to f16
      linalg.yield %t : f16
  } -> tensor<72x48xf16>
  %y = linalg.matmul ins(%h, %w : tensor<72x48xf16>, tensor<48x32xf16>) outs(%fy : tensor<72x32xf32>) -> tensor<72x32xf32>
  return %y : tensor<72x32xf32>
}

//--- pooled.mlir
// Means of 2 x 2 pixels before a product.
func.func @main(%x: tensor<2x24x14x18xf32>, %w: tensor<20x24x1x1xf32>) -> tensor<2x20x7x9xf32> {
  %z = arith.constant 0.0 : f32
  %quarter = arith.constant 0.25 : f32
  %win = tensor.empty() : tensor<2x2xf32>
  %e = tensor.empty() : tensor<2x24x7x9xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x24x7x9xf32>) -> tensor<2x24x7x9xf32>
  %s = linalg.pooling_nchw_sum {strides = dense<2> : tensor<2xi64>} ins(%x, %win : tensor<2x24x14x18xf32>, tensor<2x2xf32>) outs(%f : tensor<2x24x7x9xf32>) -> tensor<2x24x7x9xf32>
  %m = linalg.generic {indexing_maps = [affine_map<(n, c, h, w) -> (n, c, h, w)>, affine_map<(n, c, h, w) -> (n, c, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%s : tensor<2x24x7x9xf32>) outs(%e : tensor<2x24x7x9xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.mulf %v, %quarter : f32
      linalg.yield %t : f32
  } -> tensor<2x24x7x9xf32>
  %ey = tensor.empty() : tensor<2x20x7x9xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<2x20x7x9xf32>) -> tensor<2x20x7x9xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%m, %w : tensor<2x24x7x9xf32>, tensor<20x24x1x1xf32>) outs(%fy : tensor<2x20x7x9xf32>) -> tensor<2x20x7x9xf32>
  return %y : tensor<2x20x7x9xf32>
}

//--- seven.mlir
#full = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>
func.func @main(%x: tensor<1x16x14x14xf32>, %k: tensor<16x7x7xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>, %w: tensor<16x16x1x1xf32>) -> (tensor<1x16x14x14xf32>) {
  %z = arith.constant 0.0 : f32
  %zi = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %p = tensor.pad %x low[0, 0, 3, 3] high[0, 0, 3, 3] {
    ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
      tensor.yield %zi : f32
  } : tensor<1x16x14x14xf32> to tensor<1x16x20x20xf32>
  %e = tensor.empty() : tensor<1x16x14x14xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  %d = linalg.depthwise_conv_2d_nchw_chw {strides = dense<1> : tensor<2xi64>} ins(%p, %k : tensor<1x16x20x20xf32>, tensor<16x7x7xf32>) outs(%f : tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  %ea = tensor.empty() : tensor<1x16x14x14xf32>
  %a = linalg.generic {indexing_maps = [#full, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%d, %g, %b : tensor<1x16x14x14xf32>, tensor<16xf32>, tensor<16xf32>) outs(%ea : tensor<1x16x14x14xf32>) {
    ^bb0(%v: f32, %gg: f32, %bb: f32, %o: f32):
      %m = arith.mulf %v, %gg : f32
      %s = arith.addf %m, %bb : f32
      %r = arith.maximumf %s, %z : f32
      %q = arith.minimumf %r, %six : f32
      linalg.yield %q : f32
  } -> tensor<1x16x14x14xf32>
  %ey = tensor.empty() : tensor<1x16x14x14xf32>
  %fy = linalg.fill ins(%z : f32) outs(%ey : tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  %y = linalg.conv_2d_nchw_fchw ins(%a, %w : tensor<1x16x14x14xf32>, tensor<16x16x1x1xf32>) outs(%fy : tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>
  return %y : tensor<1x16x14x14xf32>
}
