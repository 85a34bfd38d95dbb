// What needs reductions of whole rows at each element behind a contraction, where no
// warp holds a row: tiles beside each other are a cluster, whose blocks exchange
// partial results. One kernel each: layer norms with bias and residual (of which the
// sum is stored, too) at rows and columns that fill no tile, a softmax with the
// maximum of each row, rows of batches, a gate from two products. A chip before sm_90
// has no clusters, 2,100 columns are more than eight tiles, and clusters share no launch.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/norm-f16.mlir --strategy=max | FileCheck %s --check-prefixes=SIX,ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/norm-f32.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/norm-wide.mlir --strategy=max | FileCheck %s --check-prefixes=EIGHT,ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/softmax.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/batches.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/gate.mlir --strategy=max | FileCheck %s --check-prefix=ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/beside.mlir --strategy=max | FileCheck %s --check-prefix=TWO
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/norm-f16.mlir --strategy=max --device=a100-80 | FileCheck %s --check-prefix=TWO
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/too-wide.mlir --strategy=max | FileCheck %s --check-prefix=TWO
// By price, where tiles are many enough.
// RUN: fuse-run --no-run %t/large.mlir | FileCheck %s --check-prefix=LARGE

// Six tiles of 64 columns make up 333.
// SIX: main_0_matmul tile 42 x 64
// EIGHT: main_0_matmul tile 8 x 128
// LARGE: main_0_matmul tile 96 x 128
// LARGE: kernels {{.*}} -> 1
// ONE: kernels {{.*}} -> 1
// ONE: verified{{ +}}yes
// TWO: kernels {{.*}} -> 2
// TWO: verified{{ +}}yes

//--- norm-f16.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<100x40xf16>, %w: tensor<40x333xf16>, %b: tensor<333xf32>, %res: tensor<100x333xf32>, %g: tensor<333xf32>, %be: tensor<333xf32>) -> (tensor<100x333xf32>, tensor<100x333xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 333.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty() : tensor<100x333xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<100x333xf32>) -> tensor<100x333xf32>
  %h = linalg.matmul ins(%x, %w : tensor<100x40xf16>, tensor<40x333xf16>) outs(%f0 : tensor<100x333xf32>) -> tensor<100x333xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b, %res : tensor<100x333xf32>, tensor<333xf32>, tensor<100x333xf32>) outs(%e0 : tensor<100x333xf32>) {
    ^bb0(%v: f32, %c: f32, %r: f32, %o: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<100x333xf32>
  %er = tensor.empty() : tensor<100xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<100xf32>) -> tensor<100xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<100x333xf32>) outs(%fr : tensor<100xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<100xf32>
  %d = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<100x333xf32>, tensor<100xf32>) outs(%e0 : tensor<100x333xf32>) {
    ^bb0(%v: f32, %m: f32, %o: f32):
      %q = arith.divf %m, %n : f32
      %t = arith.subf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<100x333xf32>
  %va = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<100x333xf32>) outs(%fr : tensor<100xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<100xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %va, %g, %be : tensor<100x333xf32>, tensor<100xf32>, tensor<333xf32>, tensor<333xf32>) outs(%e0 : tensor<100x333xf32>) {
    ^bb0(%v: f32, %q: f32, %gg: f32, %bb: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %u1 = arith.addf %u, %eps : f32
      %rs = math.rsqrt %u1 : f32
      %t = arith.mulf %v, %rs : f32
      %t1 = arith.mulf %t, %gg : f32
      %t2 = arith.addf %t1, %bb : f32
      linalg.yield %t2 : f32
  } -> tensor<100x333xf32>
  return %y, %a : tensor<100x333xf32>, tensor<100x333xf32>
}

//--- norm-f32.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<50x24xf32>, %w: tensor<24x300xf32>, %b: tensor<300xf32>, %res: tensor<50x300xf32>, %g: tensor<300xf32>, %be: tensor<300xf32>) -> (tensor<50x300xf32>, tensor<50x300xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 300.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty() : tensor<50x300xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<50x300xf32>) -> tensor<50x300xf32>
  %h = linalg.matmul ins(%x, %w : tensor<50x24xf32>, tensor<24x300xf32>) outs(%f0 : tensor<50x300xf32>) -> tensor<50x300xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b, %res : tensor<50x300xf32>, tensor<300xf32>, tensor<50x300xf32>) outs(%e0 : tensor<50x300xf32>) {
    ^bb0(%v: f32, %c: f32, %r: f32, %o: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<50x300xf32>
  %er = tensor.empty() : tensor<50xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<50xf32>) -> tensor<50xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<50x300xf32>) outs(%fr : tensor<50xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<50xf32>
  %d = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<50x300xf32>, tensor<50xf32>) outs(%e0 : tensor<50x300xf32>) {
    ^bb0(%v: f32, %m: f32, %o: f32):
      %q = arith.divf %m, %n : f32
      %t = arith.subf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<50x300xf32>
  %va = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<50x300xf32>) outs(%fr : tensor<50xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<50xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %va, %g, %be : tensor<50x300xf32>, tensor<50xf32>, tensor<300xf32>, tensor<300xf32>) outs(%e0 : tensor<50x300xf32>) {
    ^bb0(%v: f32, %q: f32, %gg: f32, %bb: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %u1 = arith.addf %u, %eps : f32
      %rs = math.rsqrt %u1 : f32
      %t = arith.mulf %v, %rs : f32
      %t1 = arith.mulf %t, %gg : f32
      %t2 = arith.addf %t1, %bb : f32
      linalg.yield %t2 : f32
  } -> tensor<50x300xf32>
  return %y, %a : tensor<50x300xf32>, tensor<50x300xf32>
}

//--- norm-wide.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<20x32xbf16>, %w: tensor<32x2000xbf16>, %b: tensor<2000xf32>, %res: tensor<20x2000xf32>, %g: tensor<2000xf32>, %be: tensor<2000xf32>) -> (tensor<20x2000xf32>, tensor<20x2000xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 2000.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty() : tensor<20x2000xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<20x2000xf32>) -> tensor<20x2000xf32>
  %h = linalg.matmul ins(%x, %w : tensor<20x32xbf16>, tensor<32x2000xbf16>) outs(%f0 : tensor<20x2000xf32>) -> tensor<20x2000xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b, %res : tensor<20x2000xf32>, tensor<2000xf32>, tensor<20x2000xf32>) outs(%e0 : tensor<20x2000xf32>) {
    ^bb0(%v: f32, %c: f32, %r: f32, %o: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<20x2000xf32>
  %er = tensor.empty() : tensor<20xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<20x2000xf32>) outs(%fr : tensor<20xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<20xf32>
  %d = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<20x2000xf32>, tensor<20xf32>) outs(%e0 : tensor<20x2000xf32>) {
    ^bb0(%v: f32, %m: f32, %o: f32):
      %q = arith.divf %m, %n : f32
      %t = arith.subf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<20x2000xf32>
  %va = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<20x2000xf32>) outs(%fr : tensor<20xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %va, %g, %be : tensor<20x2000xf32>, tensor<20xf32>, tensor<2000xf32>, tensor<2000xf32>) outs(%e0 : tensor<20x2000xf32>) {
    ^bb0(%v: f32, %q: f32, %gg: f32, %bb: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %u1 = arith.addf %u, %eps : f32
      %rs = math.rsqrt %u1 : f32
      %t = arith.mulf %v, %rs : f32
      %t1 = arith.mulf %t, %gg : f32
      %t2 = arith.addf %t1, %bb : f32
      linalg.yield %t2 : f32
  } -> tensor<20x2000xf32>
  return %y, %a : tensor<20x2000xf32>, tensor<20x2000xf32>
}

//--- too-wide.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<20x32xf16>, %w: tensor<32x2100xf16>, %b: tensor<2100xf32>, %res: tensor<20x2100xf32>, %g: tensor<2100xf32>, %be: tensor<2100xf32>) -> (tensor<20x2100xf32>, tensor<20x2100xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 2100.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty() : tensor<20x2100xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<20x2100xf32>) -> tensor<20x2100xf32>
  %h = linalg.matmul ins(%x, %w : tensor<20x32xf16>, tensor<32x2100xf16>) outs(%f0 : tensor<20x2100xf32>) -> tensor<20x2100xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b, %res : tensor<20x2100xf32>, tensor<2100xf32>, tensor<20x2100xf32>) outs(%e0 : tensor<20x2100xf32>) {
    ^bb0(%v: f32, %c: f32, %r: f32, %o: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<20x2100xf32>
  %er = tensor.empty() : tensor<20xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<20xf32>) -> tensor<20xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<20x2100xf32>) outs(%fr : tensor<20xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<20xf32>
  %d = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<20x2100xf32>, tensor<20xf32>) outs(%e0 : tensor<20x2100xf32>) {
    ^bb0(%v: f32, %m: f32, %o: f32):
      %q = arith.divf %m, %n : f32
      %t = arith.subf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<20x2100xf32>
  %va = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<20x2100xf32>) outs(%fr : tensor<20xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<20xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %va, %g, %be : tensor<20x2100xf32>, tensor<20xf32>, tensor<2100xf32>, tensor<2100xf32>) outs(%e0 : tensor<20x2100xf32>) {
    ^bb0(%v: f32, %q: f32, %gg: f32, %bb: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %u1 = arith.addf %u, %eps : f32
      %rs = math.rsqrt %u1 : f32
      %t = arith.mulf %v, %rs : f32
      %t1 = arith.mulf %t, %gg : f32
      %t2 = arith.addf %t1, %bb : f32
      linalg.yield %t2 : f32
  } -> tensor<20x2100xf32>
  return %y, %a : tensor<20x2100xf32>, tensor<20x2100xf32>
}

//--- large.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<1024x768xf16>, %w: tensor<768x768xf16>, %b: tensor<768xf32>, %res: tensor<1024x768xf32>, %g: tensor<768xf32>, %be: tensor<768xf32>) -> (tensor<1024x768xf32>, tensor<1024x768xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty() : tensor<1024x768xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %h = linalg.matmul ins(%x, %w : tensor<1024x768xf16>, tensor<768x768xf16>) outs(%f0 : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b, %res : tensor<1024x768xf32>, tensor<768xf32>, tensor<1024x768xf32>) outs(%e0 : tensor<1024x768xf32>) {
    ^bb0(%v: f32, %c: f32, %r: f32, %o: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<1024x768xf32>
  %er = tensor.empty() : tensor<1024xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<1024x768xf32>) outs(%fr : tensor<1024xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<1024xf32>
  %d = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<1024x768xf32>, tensor<1024xf32>) outs(%e0 : tensor<1024x768xf32>) {
    ^bb0(%v: f32, %m: f32, %o: f32):
      %q = arith.divf %m, %n : f32
      %t = arith.subf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<1024x768xf32>
  %va = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<1024x768xf32>) outs(%fr : tensor<1024xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<1024xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %va, %g, %be : tensor<1024x768xf32>, tensor<1024xf32>, tensor<768xf32>, tensor<768xf32>) outs(%e0 : tensor<1024x768xf32>) {
    ^bb0(%v: f32, %q: f32, %gg: f32, %bb: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %u1 = arith.addf %u, %eps : f32
      %rs = math.rsqrt %u1 : f32
      %t = arith.mulf %v, %rs : f32
      %t1 = arith.mulf %t, %gg : f32
      %t2 = arith.addf %t1, %bb : f32
      linalg.yield %t2 : f32
  } -> tensor<1024x768xf32>
  return %y, %a : tensor<1024x768xf32>, tensor<1024x768xf32>
}

//--- softmax.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<37x24xbf16>, %w: tensor<24x520xbf16>) -> (tensor<37x520xbf16>, tensor<37xf32>) {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<37x520xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<37x520xf32>) -> tensor<37x520xf32>
  %h = linalg.matmul ins(%x, %w : tensor<37x24xbf16>, tensor<24x520xbf16>) outs(%f0 : tensor<37x520xf32>) -> tensor<37x520xf32>
  %er = tensor.empty() : tensor<37xf32>
  %fm = linalg.fill ins(%ninf : f32) outs(%er : tensor<37xf32>) -> tensor<37xf32>
  %m = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%h : tensor<37x520xf32>) outs(%fm : tensor<37xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.maximumf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<37xf32>
  %p = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %m : tensor<37x520xf32>, tensor<37xf32>) outs(%e0 : tensor<37x520xf32>) {
    ^bb0(%v: f32, %mm: f32, %o: f32):
      %d = arith.subf %v, %mm : f32
      %t = math.exp %d : f32
      linalg.yield %t : f32
  } -> tensor<37x520xf32>
  %fs = linalg.fill ins(%z : f32) outs(%er : tensor<37xf32>) -> tensor<37xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%p : tensor<37x520xf32>) outs(%fs : tensor<37xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<37xf32>
  %eb = tensor.empty() : tensor<37x520xbf16>
  %y = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %s : tensor<37x520xf32>, tensor<37xf32>) outs(%eb : tensor<37x520xbf16>) {
    ^bb0(%v: f32, %q: f32, %o: bf16):
      %d = arith.divf %v, %q : f32
      %t = arith.truncf %d : f32 to bf16
      linalg.yield %t : bf16
  } -> tensor<37x520xbf16>
  return %y, %m : tensor<37x520xbf16>, tensor<37xf32>
}

//--- batches.mlir
#id = affine_map<(b, d0, d1) -> (b, d0, d1)>
#red = affine_map<(b, d0, d1) -> (b, d0)>
func.func @main(%x: tensor<3x21x24xf32>, %w: tensor<3x24x300xf32>) -> tensor<3x21x300xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 300.0 : f32
  %e0 = tensor.empty() : tensor<3x21x300xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<3x21x300xf32>) -> tensor<3x21x300xf32>
  %h = linalg.batch_matmul ins(%x, %w : tensor<3x21x24xf32>, tensor<3x24x300xf32>) outs(%f0 : tensor<3x21x300xf32>) -> tensor<3x21x300xf32>
  %er = tensor.empty() : tensor<3x21xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<3x21xf32>) -> tensor<3x21xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "parallel", "reduction"]} ins(%h : tensor<3x21x300xf32>) outs(%fr : tensor<3x21xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<3x21xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%h, %s : tensor<3x21x300xf32>, tensor<3x21xf32>) outs(%e0 : tensor<3x21x300xf32>) {
    ^bb0(%v: f32, %q: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %rs = math.rsqrt %u : f32
      %t = arith.mulf %v, %rs : f32
      linalg.yield %t : f32
  } -> tensor<3x21x300xf32>
  return %y : tensor<3x21x300xf32>
}

//--- gate.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<40x24xf16>, %w: tensor<24x400xf16>, %u: tensor<24x400xf16>) -> tensor<40x400xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<40x400xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<40x400xf32>) -> tensor<40x400xf32>
  %h = linalg.matmul ins(%x, %w : tensor<40x24xf16>, tensor<24x400xf16>) outs(%f0 : tensor<40x400xf32>) -> tensor<40x400xf32>
  %k = linalg.matmul ins(%x, %u : tensor<40x24xf16>, tensor<24x400xf16>) outs(%f0 : tensor<40x400xf32>) -> tensor<40x400xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %k : tensor<40x400xf32>, tensor<40x400xf32>) outs(%e0 : tensor<40x400xf32>) {
    ^bb0(%v: f32, %c: f32, %o: f32):
      %r = arith.maximumf %v, %z : f32
      %t = arith.mulf %r, %c : f32
      linalg.yield %t : f32
  } -> tensor<40x400xf32>
  %er = tensor.empty() : tensor<40xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<40x400xf32>) outs(%fr : tensor<40xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = math.absf %v : f32
      %t = arith.maximumf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<40xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<40x400xf32>, tensor<40xf32>) outs(%e0 : tensor<40x400xf32>) {
    ^bb0(%v: f32, %q: f32, %o: f32):
      %t = arith.divf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<40x400xf32>
  return %y : tensor<40x400xf32>
}

//--- beside.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
#red = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<21x24xf32>, %w: tensor<24x300xf32>, %b: tensor<300xf32>, %res: tensor<21x300xf32>, %g: tensor<300xf32>, %be: tensor<300xf32>, %x_2: tensor<21x24xf32>, %w_2: tensor<24x300xf32>, %b_2: tensor<300xf32>, %res_2: tensor<21x300xf32>, %g_2: tensor<300xf32>, %be_2: tensor<300xf32>) -> (tensor<21x300xf32>, tensor<21x300xf32>, tensor<21x300xf32>, tensor<21x300xf32>) {
  %z = arith.constant 0.0 : f32
  %n = arith.constant 300.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty() : tensor<21x300xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<21x300xf32>) -> tensor<21x300xf32>
  %h = linalg.matmul ins(%x, %w : tensor<21x24xf32>, tensor<24x300xf32>) outs(%f0 : tensor<21x300xf32>) -> tensor<21x300xf32>
  %a = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h, %b, %res : tensor<21x300xf32>, tensor<300xf32>, tensor<21x300xf32>) outs(%e0 : tensor<21x300xf32>) {
    ^bb0(%v: f32, %c: f32, %r: f32, %o: f32):
      %s = arith.addf %v, %c : f32
      %t = arith.addf %s, %r : f32
      linalg.yield %t : f32
  } -> tensor<21x300xf32>
  %er = tensor.empty() : tensor<21xf32>
  %fr = linalg.fill ins(%z : f32) outs(%er : tensor<21xf32>) -> tensor<21xf32>
  %s = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a : tensor<21x300xf32>) outs(%fr : tensor<21xf32>) {
    ^bb0(%v: f32, %o: f32):
      %t = arith.addf %v, %o : f32
      linalg.yield %t : f32
  } -> tensor<21xf32>
  %d = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a, %s : tensor<21x300xf32>, tensor<21xf32>) outs(%e0 : tensor<21x300xf32>) {
    ^bb0(%v: f32, %m: f32, %o: f32):
      %q = arith.divf %m, %n : f32
      %t = arith.subf %v, %q : f32
      linalg.yield %t : f32
  } -> tensor<21x300xf32>
  %va = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<21x300xf32>) outs(%fr : tensor<21xf32>) {
    ^bb0(%v: f32, %o: f32):
      %p = arith.mulf %v, %v : f32
      %t = arith.addf %p, %o : f32
      linalg.yield %t : f32
  } -> tensor<21xf32>
  %y = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %va, %g, %be : tensor<21x300xf32>, tensor<21xf32>, tensor<300xf32>, tensor<300xf32>) outs(%e0 : tensor<21x300xf32>) {
    ^bb0(%v: f32, %q: f32, %gg: f32, %bb: f32, %o: f32):
      %u = arith.divf %q, %n : f32
      %u1 = arith.addf %u, %eps : f32
      %rs = math.rsqrt %u1 : f32
      %t = arith.mulf %v, %rs : f32
      %t1 = arith.mulf %t, %gg : f32
      %t2 = arith.addf %t1, %bb : f32
      linalg.yield %t2 : f32
  } -> tensor<21x300xf32>
    %z_2 = arith.constant 0.0 : f32
  %n_2 = arith.constant 300.0 : f32
  %eps_2 = arith.constant 1.0e-5 : f32
  %e0_2 = tensor.empty() : tensor<21x300xf32>
  %f0_2 = linalg.fill ins(%z_2 : f32) outs(%e0_2 : tensor<21x300xf32>) -> tensor<21x300xf32>
  %h_2 = linalg.matmul ins(%x_2, %w_2 : tensor<21x24xf32>, tensor<24x300xf32>) outs(%f0_2 : tensor<21x300xf32>) -> tensor<21x300xf32>
  %a_2 = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%h_2, %b_2, %res_2 : tensor<21x300xf32>, tensor<300xf32>, tensor<21x300xf32>) outs(%e0_2 : tensor<21x300xf32>) {
    ^bb0(%v_2: f32, %c_2: f32, %r_2: f32, %o_2: f32):
      %s_2 = arith.addf %v_2, %c_2 : f32
      %t_2 = arith.addf %s_2, %r_2 : f32
      linalg.yield %t_2 : f32
  } -> tensor<21x300xf32>
  %er_2 = tensor.empty() : tensor<21xf32>
  %fr_2 = linalg.fill ins(%z_2 : f32) outs(%er_2 : tensor<21xf32>) -> tensor<21xf32>
  %s_2 = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%a_2 : tensor<21x300xf32>) outs(%fr_2 : tensor<21xf32>) {
    ^bb0(%v_2: f32, %o_2: f32):
      %t_2 = arith.addf %v_2, %o_2 : f32
      linalg.yield %t_2 : f32
  } -> tensor<21xf32>
  %d_2 = linalg.generic {indexing_maps = [#id, #red, #id], iterator_types = ["parallel", "parallel"]} ins(%a_2, %s_2 : tensor<21x300xf32>, tensor<21xf32>) outs(%e0_2 : tensor<21x300xf32>) {
    ^bb0(%v_2: f32, %m_2: f32, %o_2: f32):
      %q_2 = arith.divf %m_2, %n_2 : f32
      %t_2 = arith.subf %v_2, %q_2 : f32
      linalg.yield %t_2 : f32
  } -> tensor<21x300xf32>
  %va_2 = linalg.generic {indexing_maps = [#id, #red], iterator_types = ["parallel", "reduction"]} ins(%d_2 : tensor<21x300xf32>) outs(%fr_2 : tensor<21xf32>) {
    ^bb0(%v_2: f32, %o_2: f32):
      %p_2 = arith.mulf %v_2, %v_2 : f32
      %t_2 = arith.addf %p_2, %o_2 : f32
      linalg.yield %t_2 : f32
  } -> tensor<21xf32>
  %y_2 = linalg.generic {indexing_maps = [#id, #red, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d_2, %va_2, %g_2, %be_2 : tensor<21x300xf32>, tensor<21xf32>, tensor<300xf32>, tensor<300xf32>) outs(%e0_2 : tensor<21x300xf32>) {
    ^bb0(%v_2: f32, %q_2: f32, %gg_2: f32, %bb_2: f32, %o_2: f32):
      %u_2 = arith.divf %q_2, %n_2 : f32
      %u1_2 = arith.addf %u_2, %eps_2 : f32
      %rs_2 = math.rsqrt %u1_2 : f32
      %t_2 = arith.mulf %v_2, %rs_2 : f32
      %t1_2 = arith.mulf %t_2, %gg_2 : f32
      %t2_2 = arith.addf %t1_2, %bb_2 : f32
      linalg.yield %t2_2 : f32
  } -> tensor<21x300xf32>
  return %y, %a, %y_2, %a_2 : tensor<21x300xf32>, tensor<21x300xf32>, tensor<21x300xf32>, tensor<21x300xf32>
}
