// Two products of which the second one needs the first, with element-wise
// operators or none in between: one kernel, in which what the first one makes
// stays on chip, where both are narrow and the price says so.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/mlp.mlir | FileCheck %s --check-prefixes=ONE,BESIDE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/transposed.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/causal.mlir | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/nothing-between.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/shared.mlir --strategy=max | FileCheck %s --check-prefixes=ONE,SHARED
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/dynamic.mlir --size=0.0=100 --size=0.0=0 --size=0.0=1 | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/wide.mlir | FileCheck %s --check-prefix=TWO
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/read-twice.mlir --strategy=max | FileCheck %s --check-prefix=STORED

// ONE: main_0_{{.*}}matmul attention
// The weights of both, once for a tile of rows; nothing of what is between.
// BESIDE-SAME: 86.0 kB    50.0 kB
// Blocks leave their parts of the sums, the last one adds them.
// SHARED-SAME: {{ 11 x 64 }}
// ONE: kernels {{.*}}-> 1
// ONE: verified{{ +}}yes

// 1,024 columns of results do not fit a block.
// TWO: kernels {{.*}}-> 2
// TWO: verified{{ +}}yes

// What lies between needs elements of the first product at other places, too.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/reversed.mlir --strategy=max | FileCheck %s --check-prefix=TWO
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/swapped.mlir --strategy=max | FileCheck %s --check-prefix=TWO

// What lies between is a result of the program, too.
// STORED: kernels {{.*}}-> 1
// STORED: verified{{ +}}yes

//--- mlp.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<250x60xf16>, %w1: tensor<60x250xf16>, %b1: tensor<250xf32>, %w2: tensor<250x50xf16>) -> tensor<250x50xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<250x250xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<250x250xf32>) -> tensor<250x250xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<250x60xf16>, tensor<60x250xf16>) outs(%f0 : tensor<250x250xf32>) -> tensor<250x250xf32>
  %ea = tensor.empty() : tensor<250x250xf16>
  %a = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b1 : tensor<250x250xf32>, tensor<250xf32>) outs(%ea : tensor<250x250xf16>) {
    ^bb0(%v: f32, %b: f32, %o: f16):
      %s = arith.addf %v, %b : f32
      %r = arith.maximumf %s, %z : f32
      %t = arith.truncf %r : f32 to f16
      linalg.yield %t : f16
  } -> tensor<250x250xf16>
  %e1 = tensor.empty() : tensor<250x50xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<250x50xf32>) -> tensor<250x50xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<250x250xf16>, tensor<250x50xf16>) outs(%f1 : tensor<250x50xf32>) -> tensor<250x50xf32>
  return %y : tensor<250x50xf32>
}

//--- transposed.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#down = affine_map<(d0, d1) -> (d0)>
// Columns are the rows of the product: W2 * relu(W1 * x + b).
func.func @main(%w1: tensor<200x40xf16>, %x: tensor<40x300xf16>, %b: tensor<200xf32>, %w2: tensor<48x200xf16>) -> tensor<48x300xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<200x300xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<200x300xf32>) -> tensor<200x300xf32>
  %h = linalg.matmul ins(%w1, %x : tensor<200x40xf16>, tensor<40x300xf16>) outs(%f0 : tensor<200x300xf32>) -> tensor<200x300xf32>
  %e1 = tensor.empty() : tensor<200x300xf16>
  %a = linalg.generic {indexing_maps = [#id, #down, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b : tensor<200x300xf32>, tensor<200xf32>) outs(%e1 : tensor<200x300xf16>) {
    ^bb0(%v: f32, %c: f32, %o: f16):
      %s = arith.addf %v, %c : f32
      %r = arith.maximumf %s, %z : f32
      %t = arith.truncf %r : f32 to f16
      linalg.yield %t : f16
  } -> tensor<200x300xf16>
  %e2 = tensor.empty() : tensor<48x300xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<48x300xf32>) -> tensor<48x300xf32>
  %y = linalg.matmul ins(%w2, %a : tensor<48x200xf16>, tensor<200x300xf16>) outs(%f2 : tensor<48x300xf32>) -> tensor<48x300xf32>
  return %y : tensor<48x300xf32>
}

//--- causal.mlir
// Linear attention with a causal mask: no softmax between the products.
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @main(%q: tensor<4x200x32xf16>, %k: tensor<4x32x200xf16>, %v: tensor<4x200x64xf16>) -> tensor<4x200x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<4x200x200xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<4x200x200xf32>) -> tensor<4x200x200xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<4x200x32xf16>, tensor<4x32x200xf16>) outs(%f0 : tensor<4x200x200xf32>) -> tensor<4x200x200xf32>
  %e1 = tensor.empty() : tensor<4x200x200xf16>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<4x200x200xf32>) outs(%e1 : tensor<4x200x200xf16>) {
    ^bb0(%x: f32, %o: f16):
      %i = linalg.index 1 : index
      %j = linalg.index 2 : index
      %c = arith.cmpi sle, %j, %i : index
      %y = arith.select %c, %x, %z : f32
      %t = arith.truncf %y : f32 to f16
      linalg.yield %t : f16
  } -> tensor<4x200x200xf16>
  %e2 = tensor.empty() : tensor<4x200x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<4x200x64xf32>) -> tensor<4x200x64xf32>
  %y = linalg.batch_matmul ins(%m, %v : tensor<4x200x200xf16>, tensor<4x200x64xf16>) outs(%f2 : tensor<4x200x64xf32>) -> tensor<4x200x64xf32>
  return %y : tensor<4x200x64xf32>
}

//--- nothing-between.mlir
// No operator in between; f32 sums as they are.
func.func @main(%x: tensor<100x40xf32>, %a: tensor<40x96xf32>, %b: tensor<96x48xf32>) -> tensor<100x48xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<100x96xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<100x96xf32>) -> tensor<100x96xf32>
  %h = linalg.matmul ins(%x, %a : tensor<100x40xf32>, tensor<40x96xf32>) outs(%f0 : tensor<100x96xf32>) -> tensor<100x96xf32>
  %e1 = tensor.empty() : tensor<100x48xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<100x48xf32>) -> tensor<100x48xf32>
  %y = linalg.matmul ins(%h, %b : tensor<100x96xf32>, tensor<96x48xf32>) outs(%f1 : tensor<100x48xf32>) -> tensor<100x48xf32>
  return %y : tensor<100x48xf32>
}

//--- shared.mlir
// Few rows of a long hidden dimension: blocks share it. With bias and residual.
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<16x64xf16>, %w1: tensor<64x8192xf16>, %w2: tensor<8192x64xf16>, %b: tensor<64xf32>, %r: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x8192xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<16x8192xf32>) -> tensor<16x8192xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<16x64xf16>, tensor<64x8192xf16>) outs(%f0 : tensor<16x8192xf32>) -> tensor<16x8192xf32>
  %e1 = tensor.empty() : tensor<16x8192xf16>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<16x8192xf32>) outs(%e1 : tensor<16x8192xf16>) {
    ^bb0(%v: f32, %o: f16):
      %n = arith.negf %v : f32
      %ex = math.exp %n : f32
      %one = arith.constant 1.0 : f32
      %d = arith.addf %ex, %one : f32
      %s = arith.divf %v, %d : f32
      %t = arith.truncf %s : f32 to f16
      linalg.yield %t : f16
  } -> tensor<16x8192xf16>
  %e2 = tensor.empty() : tensor<16x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<16x8192xf16>, tensor<8192x64xf16>) outs(%f2 : tensor<16x64xf32>) -> tensor<16x64xf32>
  %e3 = tensor.empty() : tensor<16x64xf32>
  %o = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %b, %r : tensor<16x64xf32>, tensor<64xf32>, tensor<16x64xf32>) outs(%e3 : tensor<16x64xf32>) {
    ^bb0(%v: f32, %c: f32, %q: f32, %u: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %q : f32
      linalg.yield %t : f32
  } -> tensor<16x64xf32>
  return %o : tensor<16x64xf32>
}

//--- dynamic.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x64xf16>, %w1: tensor<64x256xf16>, %w2: tensor<256x64xf16>) -> tensor<?x64xf32> {
  %z = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf16>
  %e0 = tensor.empty(%m) : tensor<?x256xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<?x64xf16>, tensor<64x256xf16>) outs(%f0 : tensor<?x256xf32>) -> tensor<?x256xf32>
  %e1 = tensor.empty(%m) : tensor<?x256xf16>
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<?x256xf32>) outs(%e1 : tensor<?x256xf16>) {
    ^bb0(%v: f32, %o: f16):
      %r = arith.maximumf %v, %z : f32
      %t = arith.truncf %r : f32 to f16
      linalg.yield %t : f16
  } -> tensor<?x256xf16>
  %e2 = tensor.empty(%m) : tensor<?x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<?x256xf16>, tensor<256x64xf16>) outs(%f2 : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

//--- wide.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<256x64xf16>, %w1: tensor<64x256xf16>, %b1: tensor<256xf32>, %w2: tensor<256x1024xf16>) -> tensor<256x1024xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<256x256xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<256x64xf16>, tensor<64x256xf16>) outs(%f0 : tensor<256x256xf32>) -> tensor<256x256xf32>
  %ea = tensor.empty() : tensor<256x256xf16>
  %a = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b1 : tensor<256x256xf32>, tensor<256xf32>) outs(%ea : tensor<256x256xf16>) {
    ^bb0(%v: f32, %b: f32, %o: f16):
      %s = arith.addf %v, %b : f32
      %r = arith.maximumf %s, %z : f32
      %t = arith.truncf %r : f32 to f16
      linalg.yield %t : f16
  } -> tensor<256x256xf16>
  %e1 = tensor.empty() : tensor<256x1024xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<256x256xf16>, tensor<256x1024xf16>) outs(%f1 : tensor<256x1024xf32>) -> tensor<256x1024xf32>
  return %y : tensor<256x1024xf32>
}

//--- read-twice.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<250x60xf16>, %w1: tensor<60x250xf16>, %b1: tensor<250xf32>, %w2: tensor<250x50xf16>) -> (tensor<250x50xf32>, tensor<250x250xf16>) {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<250x250xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<250x250xf32>) -> tensor<250x250xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<250x60xf16>, tensor<60x250xf16>) outs(%f0 : tensor<250x250xf32>) -> tensor<250x250xf32>
  %ea = tensor.empty() : tensor<250x250xf16>
  %a = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b1 : tensor<250x250xf32>, tensor<250xf32>) outs(%ea : tensor<250x250xf16>) {
    ^bb0(%v: f32, %b: f32, %o: f16):
      %s = arith.addf %v, %b : f32
      %r = arith.maximumf %s, %z : f32
      %t = arith.truncf %r : f32 to f16
      linalg.yield %t : f16
  } -> tensor<250x250xf16>
  %e1 = tensor.empty() : tensor<250x50xf32>
  %f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<250x50xf32>) -> tensor<250x50xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<250x250xf16>, tensor<250x50xf16>) outs(%f1 : tensor<250x50xf32>) -> tensor<250x50xf32>
  return %y, %a : tensor<250x50xf32>, tensor<250x250xf16>
}

//--- reversed.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#rev = affine_map<(d0, d1) -> (d0, -d1 + 95)>
func.func @main(%x: tensor<96x64xf16>, %w1: tensor<64x96xf16>, %w2: tensor<96x64xf16>) -> tensor<96x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<96x96xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<96x96xf32>) -> tensor<96x96xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<96x64xf16>, tensor<64x96xf16>) outs(%f0 : tensor<96x96xf32>) -> tensor<96x96xf32>
  %e1 = tensor.empty() : tensor<96x96xf16>
  %a = linalg.generic {indexing_maps = [#id, #rev, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %h : tensor<96x96xf32>, tensor<96x96xf32>) outs(%e1 : tensor<96x96xf16>) {
    ^bb0(%v: f32, %u: f32, %o: f16):
      %s = arith.addf %v, %u : f32
      %t = arith.truncf %s : f32 to f16
      linalg.yield %t : f16
  } -> tensor<96x96xf16>
  %e2 = tensor.empty() : tensor<96x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<96x64xf32>) -> tensor<96x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<96x96xf16>, tensor<96x64xf16>) outs(%f2 : tensor<96x64xf32>) -> tensor<96x64xf32>
  return %y : tensor<96x64xf32>
}

//--- swapped.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#rev = affine_map<(d0, d1) -> (d1, d0)>
func.func @main(%x: tensor<96x64xf16>, %w1: tensor<64x96xf16>, %w2: tensor<96x64xf16>) -> tensor<96x64xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<96x96xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<96x96xf32>) -> tensor<96x96xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<96x64xf16>, tensor<64x96xf16>) outs(%f0 : tensor<96x96xf32>) -> tensor<96x96xf32>
  %e1 = tensor.empty() : tensor<96x96xf16>
  %a = linalg.generic {indexing_maps = [#id, #rev, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %h : tensor<96x96xf32>, tensor<96x96xf32>) outs(%e1 : tensor<96x96xf16>) {
    ^bb0(%v: f32, %u: f32, %o: f16):
      %s = arith.addf %v, %u : f32
      %t = arith.truncf %s : f32 to f16
      linalg.yield %t : f16
  } -> tensor<96x96xf16>
  %e2 = tensor.empty() : tensor<96x64xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e2 : tensor<96x64xf32>) -> tensor<96x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<96x96xf16>, tensor<96x64xf16>) outs(%f2 : tensor<96x64xf32>) -> tensor<96x64xf32>
  return %y : tensor<96x64xf32>
}
