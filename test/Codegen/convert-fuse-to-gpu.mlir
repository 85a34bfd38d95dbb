// RUN: fuse-opt %s --split-input-file --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// A pointwise kernel: vector accesses of 16 bytes, no guard.
// CHECK-LABEL: func.func @relu
// CHECK-DAG:     %[[GRID:.+]] = arith.constant 8 : index
// CHECK-DAG:     %[[BLOCK:.+]] = arith.constant 128 : index
// CHECK:         fuse.launch @fuse_kernels::@relu grid(%[[GRID]]) block(%[[BLOCK]]) ins(%{{.*}} : tensor<64x64xf32>) outs(
// CHECK:       gpu.module @fuse_kernels
// CHECK:         gpu.func @relu(%[[X:.+]]: memref<64x64xf32>, %[[R:.+]]: memref<64x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 8, 1, 1>}
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
// CHECK-COUNT-4:   arith.maximumf
// CHECK:           vector.store {{.*}} {alignment = 16 : i64} : memref<4096xf32>, vector<4xf32>
// CHECK-NOT:       memref.load
// CHECK:           gpu.return
#id = affine_map<(i, j) -> (i, j)>
func.func @relu(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "relu" ins(%x : tensor<64x64xf32>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<64x64xf32>
    %1 = linalg.generic {indexing_maps = [#id, #id],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<64x64xf32>) outs(%0 : tensor<64x64xf32>) {
    ^bb0(%in: f32, %out: f32):
      %2 = arith.maximumf %in, %zero : f32
      linalg.yield %2 : f32
    } -> tensor<64x64xf32>
    fuse.yield %1 : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

// A pad is a guarded read: no load and no division outside of the branch.
// CHECK-LABEL: gpu.func @pad
// CHECK-NOT:     memref.load
// CHECK:         scf.if
// CHECK:           memref.load
// CHECK:         } else {
// CHECK-NEXT:      scf.yield
func.func @pad(%x: tensor<5xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<9xf32>
  %r = fuse.kernel "pad" ins(%x : tensor<5xf32>) outs(%e : tensor<9xf32>) -> (tensor<9xf32>) {
  ^bb0(%a: tensor<5xf32>, %o: tensor<9xf32>):
    %one = arith.constant 1.0 : f32
    %0 = tensor.pad %a low[1] high[3] {
    ^bb0(%i: index):
      tensor.yield %one : f32
    } : tensor<5xf32> to tensor<9xf32>
    fuse.yield %0 : tensor<9xf32>
  }
  return %r : tensor<9xf32>
}

// -----

// A row sum: shuffles in the warp, one exchange between warps, the initial
// value once, one store per row.
// CHECK-LABEL: gpu.func @sum
// CHECK-SAME:    workgroup(%[[WG:.+]] : memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-NOT:     memref.load
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK:         scf.if
// CHECK:           memref.store %{{.*}}, %[[WG]]
// CHECK:         gpu.barrier
// CHECK:         memref.load %[[WG]]
// CHECK-COUNT-3: gpu.shuffle xor
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.if
// CHECK:           memref.store
func.func @sum(%x: tensor<4x2048xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = fuse.kernel "sum" ins(%x : tensor<4x2048xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) attributes {
      schedule = #fuse.schedule<row, rows = 4, columns = 2048, grid = 4, threads = 256, positions = 2, vector = 4, residency = registers, layout = (b, t, p, e) -> (b, (p * 256 + t) * 4 + e)>} {
  ^bb0(%a: tensor<4x2048xf32>, %o: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4x2048xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Distances of all pairs: neighbouring results are those of threads, and each
// thread has some of the steps, with a fused multiply-add. The name is not an
// instruction of PTX.
// CHECK-LABEL: gpu.func @k_add
// CHECK:         math.fma
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           memref.store
func.func @distances(%x: tensor<33x17xf32>, %y: tensor<17x5xf32>) -> tensor<33x5xf32> {
  %e = tensor.empty() : tensor<33x5xf32>
  %r = fuse.kernel "add" ins(%x, %y : tensor<33x17xf32>, tensor<17x5xf32>) outs(%e : tensor<33x5xf32>) -> (tensor<33x5xf32>) {
  ^bb0(%a: tensor<33x17xf32>, %b : tensor<17x5xf32>, %o: tensor<33x5xf32>):
    %zero = arith.constant 0.0 : f32
    %em = tensor.empty() : tensor<33x5xf32>
    %f0 = linalg.fill ins(%zero : f32) outs(%em : tensor<33x5xf32>) -> tensor<33x5xf32>
    %m = linalg.generic {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<33x17xf32>, tensor<17x5xf32>) outs(%f0 : tensor<33x5xf32>) {
    ^bb0(%p: f32, %q: f32, %acc: f32):
      %d = arith.subf %p, %q : f32
      %s = arith.mulf %d, %d : f32
      %n = arith.addf %acc, %s : f32
      linalg.yield %n : f32
    } -> tensor<33x5xf32>
    fuse.yield %m : tensor<33x5xf32>
  }
  return %r : tensor<33x5xf32>
}

// -----

// Nothing to compute: no launch.
// CHECK-LABEL: func.func @nothing
// CHECK:         %[[E:.+]] = tensor.empty
// CHECK:         return %[[E]]
// CHECK-NOT:   gpu.module
func.func @nothing(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %e = tensor.empty() : tensor<0x4xf32>
  %r = fuse.kernel "nothing" ins(%x : tensor<0x4xf32>) outs(%e : tensor<0x4xf32>) -> (tensor<0x4xf32>) {
  ^bb0(%a: tensor<0x4xf32>, %o: tensor<0x4xf32>):
    %1 = linalg.exp ins(%a : tensor<0x4xf32>) outs(%o : tensor<0x4xf32>) -> tensor<0x4xf32>
    fuse.yield %1 : tensor<0x4xf32>
  }
  return %r : tensor<0x4xf32>
}

// -----

// An input without elements is not passed; the sum over nothing is the initial
// value.
// CHECK-LABEL: func.func @empty_sum
// CHECK:         fuse.launch @fuse_kernels::@empty_sum {{.*}} outs(
// CHECK:       gpu.func @empty_sum(%{{[a-z0-9]+}}: memref<3xf32>) kernel
// CHECK-NOT:     memref.load
func.func @empty_sum(%x: tensor<3x0xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %r = fuse.kernel "empty_sum" ins(%x : tensor<3x0xf32>) outs(%e : tensor<3xf32>) -> (tensor<3xf32>) {
  ^bb0(%a: tensor<3x0xf32>, %o: tensor<3xf32>):
    %k = arith.constant 2.5 : f32
    %0 = tensor.empty() : tensor<3xf32>
    %f = linalg.fill ins(%k : f32) outs(%0 : tensor<3xf32>) -> tensor<3xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<3x0xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
    fuse.yield %1 : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// -----

// Sums of four bits are exchanged as bytes.
// CHECK-LABEL: gpu.func @nibbles
// CHECK-SAME:    workgroup(%[[S:[a-z0-9]+]] : memref<{{[0-9]+}}xi8, #gpu.address_space<workgroup>>
// CHECK:         %[[WIDE:.+]] = arith.extui %{{.+}} : i4 to i8
// CHECK:         memref.store %[[WIDE]], %[[S]]
// CHECK:         %[[BYTE:.+]] = memref.load %[[S]]
// CHECK:         arith.trunci %[[BYTE]] : i8 to i4
func.func @main(%x: tensor<8x1600xi32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %r = fuse.kernel "nibbles" ins(%x : tensor<8x1600xi32>) outs(%e : tensor<8xi32>) -> (tensor<8xi32>) {
  ^bb0(%a: tensor<8x1600xi32>, %o: tensor<8xi32>):
    %k = arith.constant 0 : i4
    %0 = tensor.empty() : tensor<8xi4>
    %f = linalg.fill ins(%k : i4) outs(%0 : tensor<8xi4>) -> tensor<8xi4>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]} ins(%a : tensor<8x1600xi32>) outs(%f : tensor<8xi4>) {
    ^bb0(%p: i32, %s: i4):
      %n = arith.trunci %p : i32 to i4
      %t = arith.addi %n, %s : i4
      linalg.yield %t : i4
    } -> tensor<8xi4>
    %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
        iterator_types = ["parallel"]} ins(%1 : tensor<8xi4>) outs(%o : tensor<8xi32>) {
    ^bb0(%p: i4, %q: i32):
      %t = arith.extsi %p : i4 to i32
      linalg.yield %t : i32
    } -> tensor<8xi32>
    fuse.yield %2 : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}
