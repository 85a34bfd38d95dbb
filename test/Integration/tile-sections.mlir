// Reductions of a part of each row that a contraction makes are done by the warps
// that hold it: a norm of each head behind a projection, written by heads; one of
// each image and channel behind a convolution, and a mean of its pixels. So are
// arg-reductions of whole rows, with equal values, infinities and NaN. One kernel
// each, of sizes that are known or not, also where no warp holds what is reduced.
// (By price two kernels are better for unknown sizes, 4.63 us, one 4.70, and where
// the order of a NaN matters.)
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/heads.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/heads-dynamic.mlir --strategy=max --size=0.0=45 --size=0.0=1 | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/instance-norm.mlir | FileCheck %s --check-prefix=CONV
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/pixels-dynamic.mlir --size=0.0=3 | FileCheck %s --check-prefix=CONV
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/first-of-equal.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/beside-nan.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: fuse-run %t/long-heads.mlir --no-run | FileCheck %s --check-prefix=LONG
// ONE: main_0_matmul tile
// ONE: kernels {{.*}} -> 1
// ONE: verified{{ +}}yes
// CONV: main_0_conv_2d_nchw_fchw tile
// CONV: kernels {{.*}} -> 1
// CONV: verified{{ +}}yes
// LONG: kernels {{.*}} -> 1

//--- heads.mlir
// The sum of squares of each head is stored, too.
#rows = affine_map<(m, h, d) -> (m, h, d)>
#heads = affine_map<(m, h, d) -> (m, h)>
#place = affine_map<(m, h, d) -> (d)>
#byHead = affine_map<(m, h, d) -> (h, m, d)>
func.func @main(%x: tensor<45x48xf16>, %w: tensor<48x192xf16>, %g: tensor<64xf32>) -> (tensor<3x45x64xf16>, tensor<45x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<45x192xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x192xf32>) -> tensor<45x192xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf16>, tensor<48x192xf16>) outs(%mf : tensor<45x192xf32>) -> tensor<45x192xf32>
  %y = tensor.expand_shape %m [[0], [1, 2]] output_shape [45, 3, 64] : tensor<45x192xf32> into tensor<45x3x64xf32>
  %se = tensor.empty() : tensor<45x3xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<45x3xf32>) -> tensor<45x3xf32>
  %s = linalg.generic {indexing_maps = [#rows, #heads], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<45x3x64xf32>) outs(%sf : tensor<45x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<45x3xf32>
  %re = tensor.empty() : tensor<3x45x64xf16>
  %r = linalg.generic {indexing_maps = [#rows, #heads, #place, #byHead], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %s, %g : tensor<45x3x64xf32>, tensor<45x3xf32>, tensor<64xf32>) outs(%re : tensor<3x45x64xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f16):
    %n = arith.constant 64.0 : f32
    %0 = arith.divf %b, %n : f32
    %1 = math.rsqrt %0 : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.mulf %2, %c : f32
    %4 = arith.truncf %3 : f32 to f16
    linalg.yield %4 : f16
  } -> tensor<3x45x64xf16>
  return %r, %s : tensor<3x45x64xf16>, tensor<45x3xf32>
}

//--- heads-dynamic.mlir
#rows = affine_map<(m, h, d) -> (m, h, d)>
#heads = affine_map<(m, h, d) -> (m, h)>
func.func @main(%x: tensor<?x48xf32>, %w: tensor<48x256xf32>) -> tensor<?x2x128xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x48xf32>
  %me = tensor.empty(%size) : tensor<?x256xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<?x256xf32>) -> tensor<?x256xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x48xf32>, tensor<48x256xf32>) outs(%mf : tensor<?x256xf32>) -> tensor<?x256xf32>
  %y = tensor.expand_shape %m [[0], [1, 2]] output_shape [%size, 2, 128] : tensor<?x256xf32> into tensor<?x2x128xf32>
  %se = tensor.empty(%size) : tensor<?x2xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<?x2xf32>) -> tensor<?x2xf32>
  %s = linalg.generic {indexing_maps = [#rows, #heads], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<?x2x128xf32>) outs(%sf : tensor<?x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<?x2xf32>
  %re = tensor.empty(%size) : tensor<?x2x128xf32>
  %r = linalg.generic {indexing_maps = [#rows, #heads, #rows], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y, %s : tensor<?x2x128xf32>, tensor<?x2xf32>) outs(%re : tensor<?x2x128xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<?x2x128xf32>
  return %r : tensor<?x2x128xf32>
}

//--- instance-norm.mlir
#pixels = affine_map<(b, f, i, j) -> (b, f, i, j)>
#channels = affine_map<(b, f, i, j) -> (b, f)>
func.func @main(%x: tensor<3x8x9x9xf16>, %w: tensor<20x8x3x3xf16>) -> tensor<3x20x7x7xf16> {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<3x20x7x7xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<3x20x7x7xf32>) -> tensor<3x20x7x7xf32>
  %m = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<3x8x9x9xf16>, tensor<20x8x3x3xf16>) outs(%mf : tensor<3x20x7x7xf32>) -> tensor<3x20x7x7xf32>
  %se = tensor.empty() : tensor<3x20xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<3x20xf32>) -> tensor<3x20xf32>
  %s = linalg.generic {indexing_maps = [#pixels, #channels], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%m : tensor<3x20x7x7xf32>) outs(%sf : tensor<3x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<3x20xf32>
  %qe = tensor.empty() : tensor<3x20xf32>
  %qf = linalg.fill ins(%zero : f32) outs(%qe : tensor<3x20xf32>) -> tensor<3x20xf32>
  %q = linalg.generic {indexing_maps = [#pixels, #channels, #channels], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%m, %s : tensor<3x20x7x7xf32>, tensor<3x20xf32>) outs(%qf : tensor<3x20xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.constant 49.0 : f32
    %0 = arith.divf %b, %n : f32
    %1 = arith.subf %a, %0 : f32
    %2 = arith.mulf %1, %1 : f32
    %3 = arith.addf %2, %o : f32
    linalg.yield %3 : f32
  } -> tensor<3x20xf32>
  %re = tensor.empty() : tensor<3x20x7x7xf16>
  %r = linalg.generic {indexing_maps = [#pixels, #channels, #channels, #pixels], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%m, %s, %q : tensor<3x20x7x7xf32>, tensor<3x20xf32>, tensor<3x20xf32>) outs(%re : tensor<3x20x7x7xf16>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f16):
    %n = arith.constant 49.0 : f32
    %0 = arith.divf %b, %n : f32
    %1 = arith.subf %a, %0 : f32
    %2 = arith.divf %c, %n : f32
    %3 = math.rsqrt %2 : f32
    %4 = arith.mulf %1, %3 : f32
    %5 = arith.truncf %4 : f32 to f16
    linalg.yield %5 : f16
  } -> tensor<3x20x7x7xf16>
  return %r : tensor<3x20x7x7xf16>
}

//--- pixels-dynamic.mlir
#pixels = affine_map<(b, f, i, j) -> (b, f, i, j)>
#channels = affine_map<(b, f, i, j) -> (b, f)>
func.func @main(%x: tensor<?x8x9x9xf32>, %w: tensor<20x8x3x3xf32>) -> tensor<?x20xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x8x9x9xf32>
  %me = tensor.empty(%size) : tensor<?x20x7x7xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<?x20x7x7xf32>) -> tensor<?x20x7x7xf32>
  %m = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<?x8x9x9xf32>, tensor<20x8x3x3xf32>) outs(%mf : tensor<?x20x7x7xf32>) -> tensor<?x20x7x7xf32>
  %se = tensor.empty(%size) : tensor<?x20xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<?x20xf32>) -> tensor<?x20xf32>
  %s = linalg.generic {indexing_maps = [#pixels, #channels], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%m : tensor<?x20x7x7xf32>) outs(%sf : tensor<?x20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<?x20xf32>
  return %s : tensor<?x20xf32>
}

//--- first-of-equal.mlir
// In some rows the largest value comes several times, or is an infinity.
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<45x48xf16>, %w: tensor<48x117xf16>) -> tensor<45xi64> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %me = tensor.empty() : tensor<45x117xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x117xf32>) -> tensor<45x117xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf16>, tensor<48x117xf16>) outs(%mf : tensor<45x117xf32>) -> tensor<45x117xf32>
  %ve = tensor.empty() : tensor<45xf32>
  %vf = linalg.fill ins(%low : f32) outs(%ve : tensor<45xf32>) -> tensor<45xf32>
  %ne = tensor.empty() : tensor<45xi64>
  %nf = linalg.fill ins(%none : i64) outs(%ne : tensor<45xi64>) -> tensor<45xi64>
  %r:2 = linalg.generic {indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<45x117xf32>) outs(%vf, %nf : tensor<45xf32>, tensor<45xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c4 = arith.constant 4 : index
    %c13 = arith.constant 13 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %inf = arith.constant 0x7F800000 : f32
    %top = arith.constant 1000.0 : f32
    %k = arith.remui %i, %c4 : index
    %l = arith.remui %j, %c13 : index
    %isOdd = arith.cmpi eq, %k, %c1 : index
    %isEven = arith.cmpi eq, %k, %c2 : index
    %here = arith.cmpi eq, %l, %c5 : index
    %large = arith.andi %isOdd, %here : i1
    %most = arith.andi %isEven, %here : i1
    %0 = arith.select %large, %top, %a : f32
    %1 = arith.select %most, %inf, %0 : f32
    %n = arith.index_cast %j : index to i64
    %better = arith.cmpf ogt, %1, %best : f32
    %2 = arith.select %better, %1, %best : f32
    %3 = arith.select %better, %n, %at : i64
    linalg.yield %2, %3 : f32, i64
  } -> (tensor<45xf32>, tensor<45xi64>)
  return %r#1 : tensor<45xi64>
}

//--- beside-nan.mlir
// The index beside a maximum that a NaN sticks to depends on the order.
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<45x48xf32>, %w: tensor<48x117xf32>) -> (tensor<45xf32>, tensor<45xi64>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %me = tensor.empty() : tensor<45x117xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x117xf32>) -> tensor<45x117xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf32>, tensor<48x117xf32>) outs(%mf : tensor<45x117xf32>) -> tensor<45x117xf32>
  %ve = tensor.empty() : tensor<45xf32>
  %vf = linalg.fill ins(%low : f32) outs(%ve : tensor<45xf32>) -> tensor<45xf32>
  %ne = tensor.empty() : tensor<45xi64>
  %nf = linalg.fill ins(%none : i64) outs(%ne : tensor<45xi64>) -> tensor<45xi64>
  %r:2 = linalg.generic {indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<45x117xf32>) outs(%vf, %nf : tensor<45xf32>, tensor<45xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c50 = arith.constant 50 : index
    %c1 = arith.constant 1 : index
    %nan = arith.constant 0x7FC00000 : f32
    %k = arith.remui %i, %c3 : index
    %isOne = arith.cmpi eq, %k, %c1 : index
    %here = arith.cmpi eq, %j, %c50 : index
    %bad = arith.andi %isOne, %here : i1
    %0 = arith.select %bad, %nan, %a : f32
    %n = arith.index_cast %j : index to i64
    %better = arith.cmpf ogt, %0, %best : f32
    %1 = arith.maximumf %0, %best : f32
    %2 = arith.select %better, %n, %at : i64
    linalg.yield %1, %2 : f32, i64
  } -> (tensor<45xf32>, tensor<45xi64>)
  return %r#0, %r#1 : tensor<45xf32>, tensor<45xi64>
}

//--- long-heads.mlir
#rows = affine_map<(m, h, d) -> (m, h, d)>
#heads = affine_map<(m, h, d) -> (m, h)>
func.func @main(%x: tensor<45x48xf32>, %w: tensor<48x1024xf32>) -> tensor<45x2xf32> {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<45x1024xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x1024xf32>) -> tensor<45x1024xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf32>, tensor<48x1024xf32>) outs(%mf : tensor<45x1024xf32>) -> tensor<45x1024xf32>
  %y = tensor.expand_shape %m [[0], [1, 2]] output_shape [45, 2, 512] : tensor<45x1024xf32> into tensor<45x2x512xf32>
  %se = tensor.empty() : tensor<45x2xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<45x2xf32>) -> tensor<45x2xf32>
  %s = linalg.generic {indexing_maps = [#rows, #heads], iterator_types = ["parallel", "parallel", "reduction"]} ins(%y : tensor<45x2x512xf32>) outs(%sf : tensor<45x2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<45x2xf32>
  return %s : tensor<45x2xf32>
}
