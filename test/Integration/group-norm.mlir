// Group norm: channels in groups, statistics over a group's channels and
// pixels, scale and shift by channel. A row of the kernel is a group; it is
// read once, whether one warp or many hold it.
// RUN: fuse-run %s --entry=main | FileCheck %s
// RUN: fuse-run %s --entry=long | FileCheck %s
// RUN: fuse-run %s --entry=half | FileCheck %s
// CHECK: kernels {{ *}}9 -> 3
// CHECK: verified{{ +}}yes

#full = affine_map<(n, g, c, p) -> (n, g, c, p)>
#group = affine_map<(n, g, c, p) -> (n, g)>
#channel = affine_map<(n, g, c, p) -> (g, c)>

func.func @main(%x: tensor<3x48x35xf32>, %scale: tensor<48xf32>, %shift: tensor<48xf32>) -> tensor<3x48x35xf32> {
  %z = arith.constant 0.0 : f32
  %x4 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [3, 8, 6, 35] : tensor<3x48x35xf32> into tensor<3x8x6x35xf32>
  %s2 = tensor.expand_shape %scale [[0, 1]] output_shape [8, 6] : tensor<48xf32> into tensor<8x6xf32>
  %b2 = tensor.expand_shape %shift [[0, 1]] output_shape [8, 6] : tensor<48xf32> into tensor<8x6xf32>
  %e = tensor.empty() : tensor<3x8xf32>
  %e4 = tensor.empty() : tensor<3x8x6x35xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x4 : tensor<3x8x6x35xf32>) outs(%init : tensor<3x8xf32>) dimensions = [2, 3]
  %sq = linalg.generic {indexing_maps = [#full, #group, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x4, %sum : tensor<3x8x6x35xf32>, tensor<3x8xf32>) outs(%init : tensor<3x8xf32>) {
  ^bb0(%v: f32, %s: f32, %acc: f32):
    %n = arith.constant 210.0 : f32
    %m = arith.divf %s, %n : f32
    %d = arith.subf %v, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<3x8xf32>
  %y = linalg.generic {indexing_maps = [#full, #group, #group, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x4, %sum, %sq, %s2, %b2 : tensor<3x8x6x35xf32>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>) outs(%e4 : tensor<3x8x6x35xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32, %w: f32, %b: f32, %o: f32):
    %n = arith.constant 210.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %m = arith.divf %s, %n : f32
    %var = arith.divf %q, %n : f32
    %ve = arith.addf %var, %eps : f32
    %r = math.rsqrt %ve : f32
    %d = arith.subf %v, %m : f32
    %h = arith.mulf %d, %r : f32
    %hw = arith.mulf %h, %w : f32
    %hb = arith.addf %hw, %b : f32
    linalg.yield %hb : f32
  } -> tensor<3x8x6x35xf32>
  %r = tensor.collapse_shape %y [[0], [1, 2], [3]] : tensor<3x8x6x35xf32> into tensor<3x48x35xf32>
  return %r : tensor<3x48x35xf32>
}

func.func @long(%x: tensor<2x8x1600xf32>, %scale: tensor<8xf32>, %shift: tensor<8xf32>) -> tensor<2x8x1600xf32> {
  %z = arith.constant 0.0 : f32
  %x4 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [2, 2, 4, 1600] : tensor<2x8x1600xf32> into tensor<2x2x4x1600xf32>
  %s2 = tensor.expand_shape %scale [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %b2 = tensor.expand_shape %shift [[0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
  %e = tensor.empty() : tensor<2x2xf32>
  %e4 = tensor.empty() : tensor<2x2x4x1600xf32>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<2x2xf32>) -> tensor<2x2xf32>
  %sum = linalg.reduce { arith.addf } ins(%x4 : tensor<2x2x4x1600xf32>) outs(%init : tensor<2x2xf32>) dimensions = [2, 3]
  %sq = linalg.generic {indexing_maps = [#full, #group, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x4, %sum : tensor<2x2x4x1600xf32>, tensor<2x2xf32>) outs(%init : tensor<2x2xf32>) {
  ^bb0(%v: f32, %s: f32, %acc: f32):
    %n = arith.constant 6400.0 : f32
    %m = arith.divf %s, %n : f32
    %d = arith.subf %v, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<2x2xf32>
  %y = linalg.generic {indexing_maps = [#full, #group, #group, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x4, %sum, %sq, %s2, %b2 : tensor<2x2x4x1600xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x4xf32>, tensor<2x4xf32>) outs(%e4 : tensor<2x2x4x1600xf32>) {
  ^bb0(%v: f32, %s: f32, %q: f32, %w: f32, %b: f32, %o: f32):
    %n = arith.constant 6400.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %m = arith.divf %s, %n : f32
    %var = arith.divf %q, %n : f32
    %ve = arith.addf %var, %eps : f32
    %r = math.rsqrt %ve : f32
    %d = arith.subf %v, %m : f32
    %h = arith.mulf %d, %r : f32
    %hw = arith.mulf %h, %w : f32
    %hb = arith.addf %hw, %b : f32
    linalg.yield %hb : f32
  } -> tensor<2x2x4x1600xf32>
  %r = tensor.collapse_shape %y [[0], [1, 2], [3]] : tensor<2x2x4x1600xf32> into tensor<2x8x1600xf32>
  return %r : tensor<2x8x1600xf32>
}

func.func @half(%x: tensor<3x48x35xf16>, %scale: tensor<48xf32>, %shift: tensor<48xf32>) -> tensor<3x48x35xf16> {
  %z = arith.constant 0.0 : f32
  %x4 = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [3, 8, 6, 35] : tensor<3x48x35xf16> into tensor<3x8x6x35xf16>
  %s2 = tensor.expand_shape %scale [[0, 1]] output_shape [8, 6] : tensor<48xf32> into tensor<8x6xf32>
  %b2 = tensor.expand_shape %shift [[0, 1]] output_shape [8, 6] : tensor<48xf32> into tensor<8x6xf32>
  %e = tensor.empty() : tensor<3x8xf32>
  %e4 = tensor.empty() : tensor<3x8x6x35xf16>
  %init = linalg.fill ins(%z : f32) outs(%e : tensor<3x8xf32>) -> tensor<3x8xf32>
  %sum = linalg.generic {indexing_maps = [#full, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x4 : tensor<3x8x6x35xf16>) outs(%init : tensor<3x8xf32>) {
  ^bb0(%vh: f16, %acc: f32):
    %v = arith.extf %vh : f16 to f32
    %a = arith.addf %acc, %v : f32
    linalg.yield %a : f32
  } -> tensor<3x8xf32>
  %sq = linalg.generic {indexing_maps = [#full, #group, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%x4, %sum : tensor<3x8x6x35xf16>, tensor<3x8xf32>) outs(%init : tensor<3x8xf32>) {
  ^bb0(%vh: f16, %s: f32, %acc: f32):
    %n = arith.constant 210.0 : f32
    %v = arith.extf %vh : f16 to f32
    %m = arith.divf %s, %n : f32
    %d = arith.subf %v, %m : f32
    %q = arith.mulf %d, %d : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<3x8xf32>
  %y = linalg.generic {indexing_maps = [#full, #group, #group, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x4, %sum, %sq, %s2, %b2 : tensor<3x8x6x35xf16>, tensor<3x8xf32>, tensor<3x8xf32>, tensor<8x6xf32>, tensor<8x6xf32>) outs(%e4 : tensor<3x8x6x35xf16>) {
  ^bb0(%vh: f16, %s: f32, %q: f32, %w: f32, %b: f32, %o: f16):
    %n = arith.constant 210.0 : f32
    %eps = arith.constant 1.0e-5 : f32
    %v = arith.extf %vh : f16 to f32
    %m = arith.divf %s, %n : f32
    %var = arith.divf %q, %n : f32
    %ve = arith.addf %var, %eps : f32
    %r = math.rsqrt %ve : f32
    %d = arith.subf %v, %m : f32
    %h = arith.mulf %d, %r : f32
    %hw = arith.mulf %h, %w : f32
    %hb = arith.addf %hw, %b : f32
    %out = arith.truncf %hb : f32 to f16
    linalg.yield %out : f16
  } -> tensor<3x8x6x35xf16>
  %r = tensor.collapse_shape %y [[0], [1, 2], [3]] : tensor<3x8x6x35xf16> into tensor<3x48x35xf16>
  return %r : tensor<3x48x35xf16>
}
