// Contractions as tiled kernels: what is issued, for each way to fill a tile and
// each unit that multiplies.
// RUN: fuse-opt %s --split-input-file --fuse-select-schedules="chip=sm_80" --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-select-schedules="chip=sm_75" --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s --check-prefix=OLD

// f32: copies of 16 bytes that do not pass through registers, one barrier and a
// wait in the loop along the sums, multiply-adds, an epilogue at the results.
// An sm_75 has no such copies.
// CHECK-LABEL: gpu.func @bias
// CHECK:         nvgpu.device_async_copy {{.*}}, 4 {bypassL1}
// CHECK:         scf.for
// CHECK:           nvgpu.device_async_wait {{.*}} {numGroups = 0 : i32}
// CHECK-NEXT:      gpu.barrier
// CHECK-NOT:       gpu.barrier
// CHECK:           scf.for
// CHECK:             math.fma
// CHECK:         arith.addf
// CHECK:         vector.store {{.*}} vector<4xf32>
// OLD-LABEL: gpu.func @bias
// OLD-NOT:     nvgpu
// OLD:         math.fma
// OLD:         gpu.return
func.func @bias(%x: tensor<64x64xf32>, %y: tensor<64x128xf32>, %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %r = fuse.kernel "bias" ins(%x, %y, %b : tensor<64x64xf32>, tensor<64x128xf32>, tensor<128xf32>) outs(%e : tensor<64x128xf32>) -> (tensor<64x128xf32>) {
  ^bb0(%p: tensor<64x64xf32>, %q: tensor<64x128xf32>, %v: tensor<128xf32>, %o: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %em = tensor.empty() : tensor<64x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x128xf32>) -> tensor<64x128xf32>
    %m = linalg.matmul ins(%p, %q : tensor<64x64xf32>, tensor<64x128xf32>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%m, %v : tensor<64x128xf32>, tensor<128xf32>) outs(%em : tensor<64x128xf32>) {
    ^bb0(%a: f32, %c: f32, %d: f32):
      %g = arith.addf %a, %c : f32
      linalg.yield %g : f32
    } -> tensor<64x128xf32>
    fuse.yield %s : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

// -----

// f16: fragments, loaded eight lines of 16 bytes at a time; the right factor
// lies along its columns and is transposed on the way. Two stages are ahead.
// CHECK-LABEL: gpu.func @half
// CHECK-COUNT-4: nvgpu.device_async_copy {{.*}}, 8
// CHECK:         scf.for
// CHECK:           nvgpu.device_async_wait {{.*}} {numGroups = 1 : i32}
// CHECK:           nvgpu.ldmatrix {{.*}}numTiles = 4 : i32, transpose = false
// CHECK:           nvgpu.ldmatrix {{.*}}numTiles = 4 : i32, transpose = true
// CHECK:           mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// CHECK-NOT:       math.fma
// OLD-LABEL: gpu.func @half
// OLD-NOT:     mma.sync
// OLD:         math.fma
func.func @half(%x: tensor<64x256xf16>, %y: tensor<256x64xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "half" ins(%x, %y : tensor<64x256xf16>, tensor<256x64xf16>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x256xf16>, %q: tensor<256x64xf16>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %em = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x64xf32>) -> tensor<64x64xf32>
    %m = linalg.matmul ins(%p, %q : tensor<64x256xf16>, tensor<256x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

// A factor that is computed passes through registers, the other one is copied:
// the next tiles are on their way while the present ones are multiplied.
// CHECK-LABEL: gpu.func @prologue
// CHECK-SAME:    nvvm.minctasm = 1
// CHECK:         arith.mulf
// CHECK:         nvgpu.device_async_copy
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           arith.mulf
// CHECK:           nvgpu.device_async_copy
// CHECK:           math.fma
// CHECK:           vector.store {{.*}} #gpu.address_space<workgroup>
func.func @prologue(%x: tensor<64x128xf32>, %y: tensor<128x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "prologue" ins(%x, %y : tensor<64x128xf32>, tensor<128x64xf32>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%p: tensor<64x128xf32>, %q: tensor<128x64xf32>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %es = tensor.empty() : tensor<64x128xf32>
    %s = linalg.mul ins(%p, %p : tensor<64x128xf32>, tensor<64x128xf32>) outs(%es : tensor<64x128xf32>) -> tensor<64x128xf32>
    %em = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x64xf32>) -> tensor<64x64xf32>
    %m = linalg.matmul ins(%s, %q : tensor<64x128xf32>, tensor<128x64xf32>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

// Sixteen blocks share the one tile: each leaves its sums in accesses of 16 bytes,
// and the last one adds those of all, in order, before it stores.
// CHECK-LABEL: gpu.func @shared
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c8_i32
// CHECK:         mma.sync
// CHECK-COUNT-4: vector.store {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK:         llvm.atomicrmw uinc_wrap
// CHECK:         scf.if
// CHECK:           scf.for %{{.*}} = %c0_i32 to %c16_i32
// CHECK-COUNT-4:     vector.load {{.*}} : memref<8192xf32>, vector<4xf32>
// CHECK:           vector.store {{.*}} : memref<512xf32>, vector<4xf32>
func.func @shared(%x: tensor<16x8192xf16>, %y: tensor<8192x32xf16>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x32xf32>
  %r = fuse.kernel "shared" ins(%x, %y : tensor<16x8192xf16>, tensor<8192x32xf16>) outs(%e : tensor<16x32xf32>) -> (tensor<16x32xf32>) {
  ^bb0(%p: tensor<16x8192xf16>, %q: tensor<8192x32xf16>, %o: tensor<16x32xf32>):
    %zero = arith.constant 0.0 : f32
    %em = tensor.empty() : tensor<16x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<16x32xf32>) -> tensor<16x32xf32>
    %m = linalg.matmul ins(%p, %q : tensor<16x8192xf16>, tensor<8192x32xf16>) outs(%f : tensor<16x32xf32>) -> tensor<16x32xf32>
    fuse.yield %m : tensor<16x32xf32>
  }
  return %r : tensor<16x32xf32>
}

// -----

// As many rows as there are: the block finds its tile by dividing by numbers
// that it computes, and rows that do not exist are not stored.
// CHECK-LABEL: gpu.func @dynamic
// CHECK:         arith.minui
// CHECK:         nvgpu.device_async_copy {{.*}}, 8
// CHECK:         mma.sync
// CHECK:         scf.if
// CHECK-NEXT:      vector.store {{.*}} : memref<?xf32>, vector<4xf32>
func.func @dynamic(%x: tensor<?x64xf16>, %y: tensor<64x128xf16>, %n: index) -> tensor<?x128xf32> {
  %e = tensor.empty(%n) : tensor<?x128xf32>
  %r = fuse.kernel "dynamic" ins(%x, %y, %n : tensor<?x64xf16>, tensor<64x128xf16>, index) outs(%e : tensor<?x128xf32>) -> (tensor<?x128xf32>) {
  ^bb0(%p: tensor<?x64xf16>, %q: tensor<64x128xf16>, %k: index, %o: tensor<?x128xf32>):
    %zero = arith.constant 0.0 : f32
    %em = tensor.empty(%k) : tensor<?x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<?x128xf32>) -> tensor<?x128xf32>
    %m = linalg.matmul ins(%p, %q : tensor<?x64xf16>, tensor<64x128xf16>) outs(%f : tensor<?x128xf32>) -> tensor<?x128xf32>
    fuse.yield %m : tensor<?x128xf32>
  }
  return %r : tensor<?x128xf32>
}

// -----

// The tile that the program asks for, three stages of 64 x 32 and 32 x 64
// elements: two steps of 16 in each, so 16 products of a warp. Registers leave room
// for as many blocks as shared memory does.
// CHECK-LABEL: gpu.func @given
// CHECK-SAME:    nvvm.minctasm = 5
// CHECK:         memref.view {{.*}} to memref<6144xf16
// CHECK:         memref.view {{.*}} to memref<6144xf16
// CHECK-COUNT-16: mma.sync
// CHECK-NOT:     mma.sync
func.func @given(%x: tensor<64x64xf16>, %y: tensor<64x128xf16>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %r = fuse.kernel "given" ins(%x, %y : tensor<64x64xf16>, tensor<64x128xf16>) outs(%e : tensor<64x128xf32>) -> (tensor<64x128xf32>) {
  ^bb0(%p: tensor<64x64xf16>, %q: tensor<64x128xf16>, %o: tensor<64x128xf32>):
    %zero = arith.constant 0.0 : f32
    %em = tensor.empty() : tensor<64x128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x128xf32>) -> tensor<64x128xf32>
    %m = linalg.matmul {fuse.tile = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 2, column_warps = 2, stages = 3, group = 1, parts = 1, unit = mma, async = true>} ins(%p, %q : tensor<64x64xf16>, tensor<64x128xf16>) outs(%f : tensor<64x128xf32>) -> tensor<64x128xf32>
    fuse.yield %m : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
}

// -----

// Results of 16 bits: the lanes of a warp exchange sums, 16 rows at a time, until
// each has eight neighbours; the bias and the results are accessed by 16 bytes.
// What the sums begin with is added there, too.
// CHECK-LABEL: gpu.func @stored
// CHECK:         mma.sync
// CHECK:         gpu.barrier
// CHECK:         vector.store {{.*}} #gpu.address_space<workgroup>>, vector<2xf32>
// CHECK:         nvvm.bar.warp.sync
// CHECK-COUNT-2: vector.load {{.*}} #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:         nvvm.bar.warp.sync
// CHECK:         vector.load {{.*}} : memref<4096xf32>, vector<4xf32>
// CHECK-NOT:     vector.store {{.*}} vector<2xf16>
// CHECK:         vector.store {{.*}} : memref<4096xf16>, vector<8xf16>
func.func @stored(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>, %c: tensor<64x64xf32>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = fuse.kernel "stored" ins(%x, %y, %c : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>) outs(%e : tensor<64x64xf16>) -> (tensor<64x64xf16>) {
  ^bb0(%p: tensor<64x64xf16>, %q: tensor<64x64xf16>, %i: tensor<64x64xf32>, %o: tensor<64x64xf16>):
    %em = tensor.empty() : tensor<64x64xf16>
    %m = linalg.matmul ins(%p, %q : tensor<64x64xf16>, tensor<64x64xf16>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%m : tensor<64x64xf32>) outs(%em : tensor<64x64xf16>) {
    ^bb0(%a: f32, %d: f16):
      %t = arith.truncf %a : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    fuse.yield %s : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}

// -----

// Written transposed: a lane's eight neighbours follow each other down the rows.
// CHECK-LABEL: gpu.func @turned
// CHECK:         nvvm.bar.warp.sync
// CHECK:         vector.load {{.*}} #gpu.address_space<workgroup>>, vector<1xf32>
// CHECK:         vector.store {{.*}} : memref<4096xf16>, vector<8xf16>
func.func @turned(%x: tensor<64x64xf16>, %y: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %e = tensor.empty() : tensor<64x64xf16>
  %r = fuse.kernel "turned" ins(%x, %y : tensor<64x64xf16>, tensor<64x64xf16>) outs(%e : tensor<64x64xf16>) -> (tensor<64x64xf16>) {
  ^bb0(%p: tensor<64x64xf16>, %q: tensor<64x64xf16>, %o: tensor<64x64xf16>):
    %zero = arith.constant 0.0 : f32
    %ef = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%ef : tensor<64x64xf32>) -> tensor<64x64xf32>
    %em = tensor.empty() : tensor<64x64xf16>
    %m = linalg.matmul ins(%p, %q : tensor<64x64xf16>, tensor<64x64xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    %s = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%m : tensor<64x64xf32>) outs(%em : tensor<64x64xf16>) {
    ^bb0(%a: f32, %d: f16):
      %t = arith.truncf %a : f32 to f16
      linalg.yield %t : f16
    } -> tensor<64x64xf16>
    fuse.yield %s : tensor<64x64xf16>
  }
  return %r : tensor<64x64xf16>
}
