// Reductions of rows that are longer than a warp holds: each tile of a contraction
// leaves partial results of its part of a row, and the last one puts them together.
// One kernel each: sums and maxima beside the products that are stored, the place of
// the largest of products that nobody stores, sums for each channel of a
// convolution, and for each column, where the transposed product has rows (of one
// sequence, a warp holds these). NaN and infinities are as in the source. What needs the totals at
// each element of the row joins tiles to clusters (joined-rows.mlir).
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/stored.mlir --report=%t/report.json | FileCheck %s --check-prefix=ONE
// RUN: FileCheck %s --check-prefix=SECTORS < %t/report.json
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/largest.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/channels.mlir | FileCheck %s --check-prefix=CONV
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/columns.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/sequences.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/normalised.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/stored-dynamic.mlir --size=0.0=37 | FileCheck %s --check-prefix=TWO
// ONE: main_0_matmul tile
// ONE: kernels {{.*}} -> 1
// ONE: verified{{ +}}yes
// The products are written once and not read again: 45 rows of 960 halves, two
// statistics of 45 rows, partial results, and the factors.
// SECTORS: "counted_sectors": {
// SECTORS: "unique": 6{{[0-9][0-9][0-9]$}}
// CONV: main_0_conv_2d_nchw_fchw tile
// CONV: kernels {{.*}} -> 1
// CONV: verified{{ +}}yes
// TWO: kernels {{.*}} -> 2
// TWO: verified{{ +}}yes

//--- stored.mlir
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<45x48xf16>, %w: tensor<48x960xf16>) -> (tensor<45x960xf16>, tensor<45xf32>, tensor<45xf32>) {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %me = tensor.empty() : tensor<45x960xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x960xf32>) -> tensor<45x960xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf16>, tensor<48x960xf16>) outs(%mf : tensor<45x960xf32>) -> tensor<45x960xf32>
  %ye = tensor.empty() : tensor<45x960xf32>
  %y = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<45x960xf32>) outs(%ye : tensor<45x960xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c4 = arith.constant 4 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c700 = arith.constant 700 : index
    %nan = arith.constant 0x7FC00000 : f32
    %inf = arith.constant 0x7F800000 : f32
    %k = arith.remui %i, %c4 : index
    %isOne = arith.cmpi eq, %k, %c1 : index
    %isTwo = arith.cmpi eq, %k, %c2 : index
    %here = arith.cmpi eq, %j, %c700 : index
    %bad = arith.andi %isOne, %here : i1
    %most = arith.andi %isTwo, %here : i1
    %0 = arith.select %bad, %nan, %a : f32
    %1 = arith.select %most, %inf, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<45x960xf32>
  %te = tensor.empty() : tensor<45x960xf16>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<45x960xf32>) outs(%te : tensor<45x960xf16>) {
  ^bb0(%a: f32, %o: f16):
    %0 = arith.truncf %a : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<45x960xf16>
  %re = tensor.empty() : tensor<45xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%re : tensor<45xf32>) -> tensor<45xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<45x960xf32>) outs(%sf : tensor<45xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<45xf32>
  %xf = linalg.fill ins(%low : f32) outs(%re : tensor<45xf32>) -> tensor<45xf32>
  %l = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<45x960xf32>) outs(%xf : tensor<45xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<45xf32>
  return %t, %s, %l : tensor<45x960xf16>, tensor<45xf32>, tensor<45xf32>
}

//--- largest.mlir
// In each third row the largest value comes several times.
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<45x48xf16>, %w: tensor<48x967xf16>) -> tensor<45xi64> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %me = tensor.empty() : tensor<45x967xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x967xf32>) -> tensor<45x967xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf16>, tensor<48x967xf16>) outs(%mf : tensor<45x967xf32>) -> tensor<45x967xf32>
  %ve = tensor.empty() : tensor<45xf32>
  %vf = linalg.fill ins(%low : f32) outs(%ve : tensor<45xf32>) -> tensor<45xf32>
  %ne = tensor.empty() : tensor<45xi64>
  %nf = linalg.fill ins(%none : i64) outs(%ne : tensor<45xi64>) -> tensor<45xi64>
  %r:2 = linalg.generic {indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<45x967xf32>) outs(%vf, %nf : tensor<45xf32>, tensor<45xi64>) {
  ^bb0(%a: f32, %best: f32, %at: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c3 = arith.constant 3 : index
    %c130 = arith.constant 130 : index
    %c1 = arith.constant 1 : index
    %c77 = arith.constant 77 : index
    %top = arith.constant 1000.0 : f32
    %k = arith.remui %i, %c3 : index
    %l = arith.remui %j, %c130 : index
    %isOne = arith.cmpi eq, %k, %c1 : index
    %here = arith.cmpi eq, %l, %c77 : index
    %large = arith.andi %isOne, %here : i1
    %0 = arith.select %large, %top, %a : f32
    %n = arith.index_cast %j : index to i64
    %better = arith.cmpf ogt, %0, %best : f32
    %1 = arith.select %better, %0, %best : f32
    %2 = arith.select %better, %n, %at : i64
    linalg.yield %1, %2 : f32, i64
  } -> (tensor<45xf32>, tensor<45xi64>)
  return %r#1 : tensor<45xi64>
}

//--- channels.mlir
#pixels = affine_map<(b, f, i, j) -> (b, f, i, j)>
#channel = affine_map<(b, f, i, j) -> (f)>
#one = affine_map<(f) -> (f)>
func.func @main(%x: tensor<3x8x15x15xf32>, %w: tensor<20x8x3x3xf32>) -> (tensor<3x20x13x13xf32>, tensor<20xf32>) {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<3x20x13x13xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<3x20x13x13xf32>) -> tensor<3x20x13x13xf32>
  %m = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>} ins(%x, %w : tensor<3x8x15x15xf32>, tensor<20x8x3x3xf32>) outs(%mf : tensor<3x20x13x13xf32>) -> tensor<3x20x13x13xf32>
  %se = tensor.empty() : tensor<20xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%se : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#pixels, #channel], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%m : tensor<3x20x13x13xf32>) outs(%sf : tensor<20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  %re = tensor.empty() : tensor<20xf32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%s : tensor<20xf32>) outs(%re : tensor<20xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.constant 507.0 : f32
    %0 = arith.divf %a, %n : f32
    linalg.yield %0 : f32
  } -> tensor<20xf32>
  return %m, %r : tensor<3x20x13x13xf32>, tensor<20xf32>
}

//--- columns.mlir
#full = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<300x48xf16>, %w: tensor<48x136xf16>) -> (tensor<300x136xf16>, tensor<136xf32>) {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<300x136xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<300x136xf32>) -> tensor<300x136xf32>
  %m = linalg.matmul ins(%x, %w : tensor<300x48xf16>, tensor<48x136xf16>) outs(%mf : tensor<300x136xf32>) -> tensor<300x136xf32>
  %te = tensor.empty() : tensor<300x136xf16>
  %t = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<300x136xf32>) outs(%te : tensor<300x136xf16>) {
  ^bb0(%a: f32, %o: f16):
    %0 = arith.truncf %a : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<300x136xf16>
  %re = tensor.empty() : tensor<136xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%re : tensor<136xf32>) -> tensor<136xf32>
  %s = linalg.generic {indexing_maps = [#full, #column], iterator_types = ["reduction", "parallel"]} ins(%m : tensor<300x136xf32>) outs(%sf : tensor<136xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<136xf32>
  return %t, %s : tensor<300x136xf16>, tensor<136xf32>
}

//--- sequences.mlir
#full = affine_map<(b, i, j) -> (b, i, j)>
#column = affine_map<(b, i, j) -> (b, j)>
func.func @main(%x: tensor<120x48xf32>, %w: tensor<48x37xf32>) -> tensor<3x37xf32> {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<120x37xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<120x37xf32>) -> tensor<120x37xf32>
  %m = linalg.matmul ins(%x, %w : tensor<120x48xf32>, tensor<48x37xf32>) outs(%mf : tensor<120x37xf32>) -> tensor<120x37xf32>
  %y = tensor.expand_shape %m [[0, 1], [2]] output_shape [3, 40, 37] : tensor<120x37xf32> into tensor<3x40x37xf32>
  %re = tensor.empty() : tensor<3x37xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%re : tensor<3x37xf32>) -> tensor<3x37xf32>
  %s = linalg.generic {indexing_maps = [#full, #column], iterator_types = ["parallel", "reduction", "parallel"]} ins(%y : tensor<3x40x37xf32>) outs(%sf : tensor<3x37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<3x37xf32>
  return %s : tensor<3x37xf32>
}

//--- normalised.mlir
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<45x48xf32>, %w: tensor<48x960xf32>) -> tensor<45x960xf32> {
  %zero = arith.constant 0.0 : f32
  %me = tensor.empty() : tensor<45x960xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<45x960xf32>) -> tensor<45x960xf32>
  %m = linalg.matmul ins(%x, %w : tensor<45x48xf32>, tensor<48x960xf32>) outs(%mf : tensor<45x960xf32>) -> tensor<45x960xf32>
  %re = tensor.empty() : tensor<45xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%re : tensor<45xf32>) -> tensor<45xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<45x960xf32>) outs(%sf : tensor<45xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<45xf32>
  %n = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel"]} ins(%m, %s : tensor<45x960xf32>, tensor<45xf32>) outs(%me : tensor<45x960xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<45x960xf32>
  return %n : tensor<45x960xf32>
}

//--- stored-dynamic.mlir
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<?x48xf32>, %w: tensor<48x960xf32>) -> (tensor<?x960xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %size = tensor.dim %x, %c0 : tensor<?x48xf32>
  %me = tensor.empty(%size) : tensor<?x960xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<?x960xf32>) -> tensor<?x960xf32>
  %m = linalg.matmul ins(%x, %w : tensor<?x48xf32>, tensor<48x960xf32>) outs(%mf : tensor<?x960xf32>) -> tensor<?x960xf32>
  %re = tensor.empty(%size) : tensor<?xf32>
  %sf = linalg.fill ins(%zero : f32) outs(%re : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]} ins(%m : tensor<?x960xf32>) outs(%sf : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  return %m, %s : tensor<?x960xf32>, tensor<?xf32>
}
