// What factors of a contraction are computed from stays in its kernel: weights of
// eight and four bits with scales and zero points, gathered rows, rows normalised by
// their statistics. One tiled kernel each, on the matrix units where factors are
// halves; the statistics are a kernel of their own.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/signed.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/zero-point.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/four-bits.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/gathered.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/normalised.mlir --strategy=max | FileCheck %s --check-prefix=TWO
// ONE: main_0_matmul tile
// ONE: kernels {{.*}} -> 1
// ONE: verified{{ +}}yes
// TWO: main_0_reduction row
// TWO: main_1_matmul {{.*}}tile
// TWO: kernels {{.*}} -> 2
// TWO: verified{{ +}}yes

//--- signed.mlir
func.func @main(%x: tensor<37x96xf16>, %w: tensor<96x45xi8>, %s: tensor<45xf16>) -> tensor<37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x45xf16>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%w, %s : tensor<96x45xi8>, tensor<45xf16>) outs(%e : tensor<96x45xf16>) {
  ^bb0(%a: i8, %b: f16, %o: f16):
    %0 = arith.sitofp %a : i8 to f16
    %1 = arith.mulf %0, %b : f16
    linalg.yield %1 : f16
  } -> tensor<96x45xf16>
  %me = tensor.empty() : tensor<37x45xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<37x45xf32>) -> tensor<37x45xf32>
  %m = linalg.matmul ins(%x, %d : tensor<37x96xf16>, tensor<96x45xf16>) outs(%mf : tensor<37x45xf32>) -> tensor<37x45xf32>
  return %m : tensor<37x45xf32>
}

//--- zero-point.mlir
func.func @main(%x: tensor<37x96xf32>, %w: tensor<96x45xi8>, %s: tensor<45xf32>, %z: tensor<45xi8>) -> tensor<37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<96x45xf32>
  %d = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%w, %s, %z : tensor<96x45xi8>, tensor<45xf32>, tensor<45xi8>) outs(%e : tensor<96x45xf32>) {
  ^bb0(%a: i8, %b: f32, %c: i8, %o: f32):
    %0 = arith.extui %a : i8 to i32
    %1 = arith.extui %c : i8 to i32
    %2 = arith.subi %0, %1 : i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.mulf %3, %b : f32
    linalg.yield %4 : f32
  } -> tensor<96x45xf32>
  %me = tensor.empty() : tensor<37x45xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<37x45xf32>) -> tensor<37x45xf32>
  %m = linalg.matmul ins(%x, %d : tensor<37x96xf32>, tensor<96x45xf32>) outs(%mf : tensor<37x45xf32>) -> tensor<37x45xf32>
  return %m : tensor<37x45xf32>
}

//--- four-bits.mlir
// Two weights in a byte, a scale for 32 of them.
func.func @main(%x: tensor<37x96xf16>, %w: tensor<45x48xi8>, %s: tensor<45x3xf16>) -> tensor<37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<45x3x16x2xf16>
  %d = linalg.generic {
      indexing_maps = [affine_map<(n, g, p, h) -> (n, g * 16 + p)>, affine_map<(n, g, p, h) -> (n, g)>, affine_map<(n, g, p, h) -> (n, g, p, h)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %s : tensor<45x48xi8>, tensor<45x3xf16>) outs(%e : tensor<45x3x16x2xf16>) {
  ^bb0(%a: i8, %b: f16, %o: f16):
    %h = linalg.index 3 : index
    %four = arith.constant 4 : i8
    %mask = arith.constant 15 : i8
    %offset = arith.constant 8 : i8
    %half = arith.index_cast %h : index to i8
    %shift = arith.muli %half, %four : i8
    %0 = arith.shrui %a, %shift : i8
    %1 = arith.andi %0, %mask : i8
    %2 = arith.subi %1, %offset : i8
    %3 = arith.sitofp %2 : i8 to f16
    %4 = arith.mulf %3, %b : f16
    linalg.yield %4 : f16
  } -> tensor<45x3x16x2xf16>
  %v = tensor.collapse_shape %d [[0], [1, 2, 3]] : tensor<45x3x16x2xf16> into tensor<45x96xf16>
  %me = tensor.empty() : tensor<37x45xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<37x45xf32>) -> tensor<37x45xf32>
  %m = linalg.matmul
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>]
      ins(%x, %v : tensor<37x96xf16>, tensor<45x96xf16>) outs(%mf : tensor<37x45xf32>) -> tensor<37x45xf32>
  return %m : tensor<37x45xf32>
}

//--- gathered.mlir
func.func @main(%t: tensor<2x96xf16>, %i: tensor<37xi64>, %w: tensor<96x45xf16>) -> tensor<37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x96xf16>
  %g = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<37xi64>) outs(%e : tensor<37x96xf16>) {
  ^bb0(%a: i64, %o: f16):
    %row = arith.index_cast %a : i64 to index
    %column = linalg.index 1 : index
    %v = tensor.extract %t[%row, %column] : tensor<2x96xf16>
    linalg.yield %v : f16
  } -> tensor<37x96xf16>
  %me = tensor.empty() : tensor<37x45xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<37x45xf32>) -> tensor<37x45xf32>
  %m = linalg.matmul ins(%g, %w : tensor<37x96xf16>, tensor<96x45xf16>) outs(%mf : tensor<37x45xf32>) -> tensor<37x45xf32>
  return %m : tensor<37x45xf32>
}

//--- normalised.mlir
func.func @main(%x: tensor<37x96xf16>, %g: tensor<96xf16>, %w: tensor<96x45xf16>) -> tensor<37x45xf32> {
  %zero = arith.constant 0.0 : f32
  %inverse = arith.constant 0.01041666 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %re = tensor.empty() : tensor<37xf32>
  %rf = linalg.fill ins(%zero : f32) outs(%re : tensor<37xf32>) -> tensor<37xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<37x96xf16>) outs(%rf : tensor<37xf32>) {
  ^bb0(%a: f16, %o: f32):
    %b = arith.extf %a : f16 to f32
    %0 = arith.mulf %b, %b : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<37xf32>
  %e = tensor.empty() : tensor<37x96xf16>
  %n = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %r, %g : tensor<37x96xf16>, tensor<37xf32>, tensor<96xf16>) outs(%e : tensor<37x96xf16>) {
  ^bb0(%a: f16, %s: f32, %c: f16, %o: f16):
    %b = arith.extf %a : f16 to f32
    %0 = arith.mulf %s, %inverse : f32
    %1 = arith.addf %0, %epsilon : f32
    %2 = math.rsqrt %1 : f32
    %3 = arith.mulf %b, %2 : f32
    %4 = arith.truncf %3 : f32 to f16
    %5 = arith.mulf %4, %c : f16
    linalg.yield %5 : f16
  } -> tensor<37x96xf16>
  %me = tensor.empty() : tensor<37x45xf32>
  %mf = linalg.fill ins(%zero : f32) outs(%me : tensor<37x45xf32>) -> tensor<37x45xf32>
  %m = linalg.matmul ins(%n, %w : tensor<37x96xf16>, tensor<96x45xf16>) outs(%mf : tensor<37x45xf32>) -> tensor<37x45xf32>
  return %m : tensor<37x45xf32>
}
