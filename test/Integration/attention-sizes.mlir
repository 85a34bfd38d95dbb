// Attention of awkward sizes: queries that fill no tile, one query that a whole
// block works on, keys of 48 kB per query, several queries per warp, keys that fill a
// warp exactly; weights of
// another type than the scores. The count is that of all six functions.
// RUN: fuse-run %s --entry=ragged --cost-model=always | FileCheck %s
// RUN: fuse-run %s --entry=decode --cost-model=always | FileCheck %s
// RUN: fuse-run %s --entry=long_keys --cost-model=always | FileCheck %s
// RUN: fuse-run %s --entry=many --cost-model=always | FileCheck %s
// RUN: fuse-run %s --entry=warp_wide --cost-model=always | FileCheck %s
// RUN: fuse-run %s --entry=halves --cost-model=always | FileCheck %s
// CHECK: {{^}}[[NAME:[a-z_]+]]_0_batch_matmul{{ +}}attention
// CHECK: {{^}}kernels{{.*}}-> 6
// CHECK: {{^}}verified{{ +}}yes

#id = affine_map<(b, q, k) -> (b, q, k)>

func.func @ragged(%q: tensor<3x19x10xf32>, %k: tensor<3x10x37xf32>, %v: tensor<3x37x6xf32>) -> tensor<3x19x6xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x19x37xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x19x37xf32>) -> tensor<3x19x37xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<3x19x10xf32>, tensor<3x10x37xf32>) outs(%fs : tensor<3x19x37xf32>) -> tensor<3x19x37xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x19x37xf32>) outs(%es : tensor<3x19x37xf32>) -> tensor<3x19x37xf32>
  %eo = tensor.empty() : tensor<3x19x6xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x19x6xf32>) -> tensor<3x19x6xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<3x19x37xf32>, tensor<3x37x6xf32>) outs(%fo : tensor<3x19x6xf32>) -> tensor<3x19x6xf32>
  return %r : tensor<3x19x6xf32>
}

func.func @decode(%q: tensor<4x1x16xf32>, %k: tensor<4x16x130xf32>, %v: tensor<4x130x8xf32>) -> tensor<4x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x1x130xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x1x130xf32>) -> tensor<4x1x130xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x1x16xf32>, tensor<4x16x130xf32>) outs(%fs : tensor<4x1x130xf32>) -> tensor<4x1x130xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x1x130xf32>) outs(%es : tensor<4x1x130xf32>) -> tensor<4x1x130xf32>
  %eo = tensor.empty() : tensor<4x1x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<4x1x130xf32>, tensor<4x130x8xf32>) outs(%fo : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
  return %r : tensor<4x1x8xf32>
}

func.func @long_keys(%q: tensor<1x5x4xf32>, %k: tensor<1x4x12001xf32>, %v: tensor<1x12001x4xf32>) -> tensor<1x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<1x5x12001xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<1x5x12001xf32>) -> tensor<1x5x12001xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<1x5x4xf32>, tensor<1x4x12001xf32>) outs(%fs : tensor<1x5x12001xf32>) -> tensor<1x5x12001xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<1x5x12001xf32>) outs(%es : tensor<1x5x12001xf32>) -> tensor<1x5x12001xf32>
  %eo = tensor.empty() : tensor<1x5x4xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<1x5x12001xf32>, tensor<1x12001x4xf32>) outs(%fo : tensor<1x5x4xf32>) -> tensor<1x5x4xf32>
  return %r : tensor<1x5x4xf32>
}

func.func @many(%q: tensor<40x32x8xf32>, %k: tensor<40x8x64xf32>, %v: tensor<40x64x8xf32>) -> tensor<40x32x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<40x32x64xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<40x32x64xf32>) -> tensor<40x32x64xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<40x32x8xf32>, tensor<40x8x64xf32>) outs(%fs : tensor<40x32x64xf32>) -> tensor<40x32x64xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<40x32x64xf32>) outs(%es : tensor<40x32x64xf32>) -> tensor<40x32x64xf32>
  %eo = tensor.empty() : tensor<40x32x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<40x32x8xf32>) -> tensor<40x32x8xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<40x32x64xf32>, tensor<40x64x8xf32>) outs(%fo : tensor<40x32x8xf32>) -> tensor<40x32x8xf32>
  return %r : tensor<40x32x8xf32>
}

func.func @warp_wide(%q: tensor<2x128x8xf32>, %k: tensor<2x8x128xf32>, %v: tensor<2x128x8xf32>) -> tensor<2x128x8xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x128x128xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x128x8xf32>, tensor<2x8x128xf32>) outs(%fs : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x128x128xf32>) outs(%es : tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
  %eo = tensor.empty() : tensor<2x128x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x128x8xf32>) -> tensor<2x128x8xf32>
  %r = linalg.batch_matmul ins(%p, %v : tensor<2x128x128xf32>, tensor<2x128x8xf32>) outs(%fo : tensor<2x128x8xf32>) -> tensor<2x128x8xf32>
  return %r : tensor<2x128x8xf32>
}

func.func @halves(%q: tensor<2x9x16xf16>, %k: tensor<2x16x1100xf16>, %v: tensor<2x1100x24xf16>) -> tensor<2x9x24xf16> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x9x1100xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x9x1100xf32>) -> tensor<2x9x1100xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<2x9x16xf16>, tensor<2x16x1100xf16>) outs(%fs : tensor<2x9x1100xf32>) -> tensor<2x9x1100xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x9x1100xf32>) outs(%es : tensor<2x9x1100xf32>) -> tensor<2x9x1100xf32>
  %eo = tensor.empty() : tensor<2x9x24xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x9x24xf32>) -> tensor<2x9x24xf32>
  %ew = tensor.empty() : tensor<2x9x1100xf16>
  %w = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p : tensor<2x9x1100xf32>) outs(%ew : tensor<2x9x1100xf16>) {
  ^bb0(%i: f32, %o: f16):
    %n = arith.truncf %i : f32 to f16
    linalg.yield %n : f16
  } -> tensor<2x9x1100xf16>
  %a = linalg.batch_matmul ins(%w, %v : tensor<2x9x1100xf16>, tensor<2x1100x24xf16>) outs(%fo : tensor<2x9x24xf32>) -> tensor<2x9x24xf32>
  %er = tensor.empty() : tensor<2x9x24xf16>
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<2x9x24xf32>) outs(%er : tensor<2x9x24xf16>) {
  ^bb0(%i: f32, %o: f16):
    %n = arith.truncf %i : f32 to f16
    linalg.yield %n : f16
  } -> tensor<2x9x24xf16>
  return %r : tensor<2x9x24xf16>
}
