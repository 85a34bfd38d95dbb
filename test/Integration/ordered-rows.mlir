// Reductions in which the order of the elements matters: a thread takes a row alone,
// in order. Rows that are neighbours in memory are read by neighbouring threads (path
// `column`); those whose columns are pass through shared memory (path `row`), so
// that each sector is asked for once. Values are those of the source, bit for bit.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/horner.mlir | FileCheck %s --check-prefix=HORNER
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/aligned.mlir | FileCheck %s --check-prefix=ALIGNED
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/columns.mlir | FileCheck %s --check-prefix=COLUMNS
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/top.mlir | FileCheck %s --check-prefix=TOP
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/strict.mlir --fp-order=strict | FileCheck %s --check-prefix=STRICT
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/packed.mlir --strategy=max | FileCheck %s --check-prefix=PACKED
// Longer rows than a warp of them fits shared memory are left to loops of threads.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/long.mlir | FileCheck %s --check-prefix=LONG

// 301 rows of 33 f32 are 1242 sectors, initial values and results 38 each.
// HORNER: main_0_reduction{{ +}}row{{ .* kB +}}1319{{ +}}1318
// HORNER: verified{{ +}}yes, max error 0 (
//--- horner.mlir
func.func @main(%x: tensor<301x33xf32>, %v: tensor<301xf32>) -> tensor<301xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<301x33xf32>) outs(%v : tensor<301xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %half = arith.constant 0.5 : f32
    %m = arith.mulf %acc, %half : f32
    %s = arith.addf %m, %a : f32
    linalg.yield %s : f32
  } -> tensor<301xf32>
  return %r : tensor<301xf32>
}

// The sum of the running maxima, in bf16: 1000 rows of 64 are 4000 sectors, the
// results 63 and 125.
// ALIGNED: main_0_reduction{{ +}}row{{ .* kB +}}4188{{ +}}4188
// ALIGNED: verified{{ +}}yes, max error 0 (
//--- aligned.mlir
func.func @main(%x: tensor<1000x64xbf16>) -> (tensor<1000xbf16>, tensor<1000xf32>) {
  %low = arith.constant 0xFF80 : bf16
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<1000xbf16>
  %e1 = tensor.empty() : tensor<1000xf32>
  %i0 = linalg.fill ins(%low : bf16) outs(%e0 : tensor<1000xbf16>) -> tensor<1000xbf16>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1000xf32>) -> tensor<1000xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<1000x64xbf16>) outs(%i0, %i1 : tensor<1000xbf16>, tensor<1000xf32>) {
  ^bb0(%a: bf16, %most: bf16, %sum: f32):
    %m = arith.maximumf %a, %most : bf16
    %w = arith.extf %m : bf16 to f32
    %s = arith.addf %sum, %w : f32
    linalg.yield %m, %s : bf16, f32
  } -> (tensor<1000xbf16>, tensor<1000xf32>)
  return %r#0, %r#1 : tensor<1000xbf16>, tensor<1000xf32>
}

// A sum by Kahan, of 500 columns of 1024 rows: 64000 sectors, the results 256.
// COLUMNS: main_0_reduction{{ +}}column{{ .* MB .*kB +}}64256{{ +}}64256
// COLUMNS: verified{{ +}}yes, max error 0 (
//--- columns.mlir
func.func @main(%x: tensor<500x1024xf32>) -> (tensor<1024xf32>, tensor<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<500x1024xf32>) outs(%i, %i : tensor<1024xf32>, tensor<1024xf32>) {
  ^bb0(%a: f32, %sum: f32, %lost: f32):
    %y = arith.subf %a, %lost : f32
    %t = arith.addf %sum, %y : f32
    %d = arith.subf %t, %sum : f32
    %l = arith.subf %d, %y : f32
    linalg.yield %t, %l : f32, f32
  } -> (tensor<1024xf32>, tensor<1024xf32>)
  return %r#0, %r#1 : tensor<1024xf32>, tensor<1024xf32>
}

// The two largest of each row of quotients, some of which are infinite or NaN.
// TOP: main_0_{{.*}} row{{ }}
// TOP: kernels{{ +2 -> 1$}}
// TOP: verified{{ +}}yes, max error 0 (
//--- top.mlir
func.func @main(%x: tensor<45x7xi8>) -> (tensor<45xf32>, tensor<45xf32>) {
  %e0 = tensor.empty() : tensor<45x7xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<45x7xi8>) outs(%e0 : tensor<45x7xf32>) {
  ^bb0(%a: i8, %out: f32):
    %three = arith.constant 3 : i8
    %low = arith.andi %a, %three : i8
    %n = arith.sitofp %a : i8 to f32
    %d = arith.sitofp %low : i8 to f32
    %zero = arith.constant -0.0 : f32
    %s = arith.mulf %n, %zero : f32
    %isFirst = arith.cmpi sgt, %a, %three : i8
    %t = arith.select %isFirst, %n, %s : f32
    %f = arith.divf %t, %d : f32
    linalg.yield %f : f32
  } -> tensor<45x7xf32>
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<45xf32>
  %i = linalg.fill ins(%lowest : f32) outs(%e : tensor<45xf32>) -> tensor<45xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%q : tensor<45x7xf32>) outs(%i, %i : tensor<45xf32>, tensor<45xf32>) {
  ^bb0(%a: f32, %first: f32, %second: f32):
    %isBetter = arith.cmpf ogt, %a, %first : f32
    %m = arith.select %isBetter, %a, %first : f32
    %o = arith.select %isBetter, %first, %a : f32
    %isNext = arith.cmpf ogt, %o, %second : f32
    %s = arith.select %isNext, %o, %second : f32
    linalg.yield %m, %s : f32, f32
  } -> (tensor<45xf32>, tensor<45xf32>)
  return %r#0, %r#1 : tensor<45xf32>, tensor<45xf32>
}

// STRICT: main_0_reduce{{ +}}row{{ }}
// STRICT: verified{{ +}}yes, max error 0 (
//--- strict.mlir
func.func @main(%x: tensor<64x100xf32>) -> tensor<64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x100xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}

// Beside a kernel with more threads to a block, several compute the same row, and one
// of them stores it.
// PACKED: main_0_{{.*}} packed{{ }}
// PACKED: kernels{{ +3 -> 1$}}
// PACKED: verified{{ +}}yes
//--- packed.mlir
func.func @main(%x: tensor<75x11xf32>, %v: tensor<75xf32>, %y: tensor<60x48xf32>, %w: tensor<48xf32>, %z: tensor<512x512xf32>) -> (tensor<75xf32>, tensor<48xf32>, tensor<512x512xf32>) {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<75x11xf32>) outs(%v : tensor<75xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.subf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<75xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<60x48xf32>) outs(%w : tensor<48xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.subf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<48xf32>
  %e = math.exp %z : tensor<512x512xf32>
  return %r, %c, %e : tensor<75xf32>, tensor<48xf32>, tensor<512x512xf32>
}

// LONG: main_0_reduction{{ +}}general{{ }}
// LONG: verified{{ +}}yes, max error 0 (
//--- long.mlir
func.func @main(%x: tensor<40x500xf32>, %v: tensor<40xf32>) -> tensor<40xf32> {
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<40x500xf32>) outs(%v : tensor<40xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.subf %a, %acc : f32
    linalg.yield %s : f32
  } -> tensor<40xf32>
  return %r : tensor<40xf32>
}
