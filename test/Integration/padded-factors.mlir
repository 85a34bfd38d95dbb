// Convolutions with zeros around them that asynchronous copies write: half types
// with the channels last, by a stride, rows of an unknown number, and f32 with the
// channels first, whose elements are copied one by one. One kernel each, right
// values.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=last | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=strided | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=first | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=rows --size=0.0=9 --size=0.0=1 | FileCheck %s
// CHECK-COUNT-4: {{^}}{{[a-z0-9_]+}} {{ *}}tile {{.*}}tensor.pad + generic
// CHECK: {{^}}kernels{{.*}} 8 -> 4{{$}}
// CHECK: {{^}}verified{{ +}}yes

func.func @last(%x: tensor<2x14x14x64xf16>, %w: tensor<96x3x3x64xf16>) -> tensor<2x14x14x96xf32> {
  %zero = arith.constant 0.0 : f16
  %init = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f16
  } : tensor<2x14x14x64xf16> to tensor<2x16x16x64xf16>
  %e = tensor.empty() : tensor<2x14x14x96xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<2x14x14x96xf32>) -> tensor<2x14x14x96xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h + i, w + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (o, i, j, c)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : tensor<2x16x16x64xf16>, tensor<96x3x3x64xf16>) outs(%f : tensor<2x14x14x96xf32>) {
  ^bb0(%l: f16, %m: f16, %s: f32):
    %0 = arith.extf %l : f16 to f32
    %1 = arith.extf %m : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x14x14x96xf32>
  return %y : tensor<2x14x14x96xf32>
}

func.func @strided(%x: tensor<1x9x10x24xbf16>, %w: tensor<20x3x3x24xbf16>) -> tensor<1x5x6x20xf32> {
  %zero = arith.constant 0.0 : bf16
  %init = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 1, 1, 0] high[0, 2, 2, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : bf16
  } : tensor<1x9x10x24xbf16> to tensor<1x12x13x24xbf16>
  %e = tensor.empty() : tensor<1x5x6x20xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<1x5x6x20xf32>) -> tensor<1x5x6x20xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, w, o, i, j, c) -> (n, h * 2 + i, w * 2 + j, c)>, affine_map<(n, h, w, o, i, j, c) -> (o, i, j, c)>, affine_map<(n, h, w, o, i, j, c) -> (n, h, w, o)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : tensor<1x12x13x24xbf16>, tensor<20x3x3x24xbf16>) outs(%f : tensor<1x5x6x20xf32>) {
  ^bb0(%l: bf16, %m: bf16, %s: f32):
    %0 = arith.extf %l : bf16 to f32
    %1 = arith.extf %m : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<1x5x6x20xf32>
  return %y : tensor<1x5x6x20xf32>
}

func.func @first(%x: tensor<2x6x9x11xf32>, %w: tensor<10x6x3x3xf32>) -> tensor<2x10x9x11xf32> {
  %zero = arith.constant 0.0 : f32
  %init = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  } : tensor<2x6x9x11xf32> to tensor<2x6x11x13xf32>
  %e = tensor.empty() : tensor<2x10x9x11xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<2x10x9x11xf32>) -> tensor<2x10x9x11xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, o, h, w, c, i, j) -> (n, c, h + i, w + j)>, affine_map<(n, o, h, w, c, i, j) -> (o, c, i, j)>, affine_map<(n, o, h, w, c, i, j) -> (n, o, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]} ins(%p, %w : tensor<2x6x11x13xf32>, tensor<10x6x3x3xf32>) outs(%f : tensor<2x10x9x11xf32>) {
  ^bb0(%l: f32, %m: f32, %s: f32):
    %2 = arith.mulf %l, %m : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x10x9x11xf32>
  return %y : tensor<2x10x9x11xf32>
}

func.func @rows(%x: tensor<?x12x32xf16>, %w: tensor<16x3x32xf16>) -> tensor<?x12x16xf32> {
  %zero = arith.constant 0.0 : f16
  %init = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x12x32xf16>
  %p = tensor.pad %x low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%i0: index, %i1: index, %i2: index):
    tensor.yield %zero : f16
  } : tensor<?x12x32xf16> to tensor<?x14x32xf16>
  %e = tensor.empty(%n) : tensor<?x12x16xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<?x12x16xf32>) -> tensor<?x12x16xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(n, h, o, i, c) -> (n, h + i, c)>, affine_map<(n, h, o, i, c) -> (o, i, c)>, affine_map<(n, h, o, i, c) -> (n, h, o)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<?x14x32xf16>, tensor<16x3x32xf16>) outs(%f : tensor<?x12x16xf32>) {
  ^bb0(%l: f16, %m: f16, %s: f32):
    %0 = arith.extf %l : f16 to f32
    %1 = arith.extf %m : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %s, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<?x12x16xf32>
  return %y : tensor<?x12x16xf32>
}
