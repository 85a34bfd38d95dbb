// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-select-schedules | FileCheck %s

// Short rows: eight threads for each, sixteen rows per block.
// CHECK-LABEL: func.func @short_rows
func.func @short_rows(%x: tensor<4096x32xf32>, %e: tensor<4096xf32>) -> tensor<4096xf32> {
  // CHECK: schedule = #fuse.schedule<row, rows = 4096, columns = 32, grid = 256, threads = 128, positions = 1, vector = 4, residency = registers, layout = (d0, d1, d2, d3) -> (d0 * 16 + d1 floordiv 8, (d2 * 8 + d1 mod 8) * 4 + d3)>
  %r = fuse.kernel "k" ins(%x : tensor<4096x32xf32>) outs(%e : tensor<4096xf32>) -> (tensor<4096xf32>) {
  ^bb0(%a: tensor<4096x32xf32>, %o: tensor<4096xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<4096xf32>) -> tensor<4096xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4096x32xf32>) outs(%f : tensor<4096xf32>) dimensions = [1]
    fuse.yield %1 : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// -----

// Rows that start within a sector: the layout is shifted to the sector.
// CHECK-LABEL: func.func @misaligned
// CHECK: columns = 4097, grid = 64, threads = {{[0-9]+}}, positions = {{[0-9]+}}, vector = 1, residency = none, layout = (d0, d1, d2, d3) -> (d0, d2 * {{[0-9]+}} + d1 + d3 - (d0 * 4097) mod 8)>
func.func @misaligned(%x: tensor<64x4097xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.kernel "k" ins(%x : tensor<64x4097xf32>) outs(%e : tensor<64xf32>) -> (tensor<64xf32>) {
  ^bb0(%a: tensor<64x4097xf32>, %o: tensor<64xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<64x4097xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    fuse.yield %1 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// -----

// No operand is as large as the space: threads own as many neighbours as if one
// of this type were.
// CHECK-LABEL: func.func @computed
// CHECK: columns = 512, grid = 128, threads = 64, positions = 4, vector = 4, residency = registers
func.func @computed(%x: tensor<256xf32>, %e: tensor<256xf32>) -> tensor<256xf32> {
  %r = fuse.kernel "k" ins(%x : tensor<256xf32>) outs(%e : tensor<256xf32>) -> (tensor<256xf32>) {
  ^bb0(%a: tensor<256xf32>, %o: tensor<256xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<256xf32>
    %1 = tensor.empty() : tensor<256x512xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<256xf32>) -> tensor<256xf32>
    %2 = linalg.broadcast ins(%a : tensor<256xf32>) outs(%1 : tensor<256x512xf32>) dimensions = [1]
    %3 = linalg.reduce { arith.addf } ins(%2 : tensor<256x512xf32>) outs(%f : tensor<256xf32>) dimensions = [1]
    fuse.yield %3 : tensor<256xf32>
  }
  return %r : tensor<256xf32>
}

// -----

// The rows of the space are neighbours in memory: a warp lies along them, four
// rows per thread, and eight threads share each. Blocks share the rows, because
// six strips of them would not fill a device.
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<1024x768xf32>, %e: tensor<768xf32>) -> tensor<768xf32> {
  // CHECK: schedule = #fuse.schedule<column, rows = 768, columns = 1024, grid = 96, threads = 256, positions = 8, vector = 4, residency = none, layout = (d0, d1, d2, d3) -> ((d0 floordiv 16) * 128 + (d1 mod 32) * 4 + d3, ((d0 mod 16) * 8 + d2) * 8 + d1 floordiv 32)>
  %r = fuse.kernel "k" ins(%x : tensor<1024x768xf32>) outs(%e : tensor<768xf32>) -> (tensor<768xf32>) {
  ^bb0(%a: tensor<1024x768xf32>, %o: tensor<768xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<768xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<768xf32>) -> tensor<768xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<1024x768xf32>) outs(%f : tensor<768xf32>) dimensions = [0]
    fuse.yield %1 : tensor<768xf32>
  }
  return %r : tensor<768xf32>
}

// -----

// Two rows of 16-bit elements: a thread has both, the next one the next column,
// as they lie in memory.
// CHECK-LABEL: func.func @few_columns
// CHECK: schedule = #fuse.schedule<column, rows = 2, columns = 100000, grid = 11, threads = 256, positions = 36, vector = 2, residency = none, layout = (d0, d1, d2, d3) -> ((d0 floordiv 11) * 2 + d3, ((d0 mod 11) * 36 + d2) * 256 + d1)>
func.func @few_columns(%x: tensor<100000x2xf16>, %e: tensor<2xf16>) -> tensor<2xf16> {
  %r = fuse.kernel "k" ins(%x : tensor<100000x2xf16>) outs(%e : tensor<2xf16>) -> (tensor<2xf16>) {
  ^bb0(%a: tensor<100000x2xf16>, %o: tensor<2xf16>):
    %zero = arith.constant 0.0 : f16
    %0 = tensor.empty() : tensor<2xf16>
    %f = linalg.fill ins(%zero : f16) outs(%0 : tensor<2xf16>) -> tensor<2xf16>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<100000x2xf16>) outs(%f : tensor<2xf16>) dimensions = [0]
    fuse.yield %1 : tensor<2xf16>
  }
  return %r : tensor<2xf16>
}

// -----

// One long row: as many blocks share it as keep a device's memory busy.
// CHECK-LABEL: func.func @everything
// CHECK: schedule = #fuse.schedule<row, rows = 1, columns = 4194304, grid = 256, threads = 256, positions = 16, vector = 4, residency = none, layout = (d0, d1, d2, d3) -> (d0 floordiv 256, (((d0 mod 256) * 16 + d2) * 256 + d1) * 4 + d3)>
func.func @everything(%x: tensor<4096x1024xf32>, %e: tensor<f32>) -> tensor<f32> {
  %r = fuse.kernel "k" ins(%x : tensor<4096x1024xf32>) outs(%e : tensor<f32>) -> (tensor<f32>) {
  ^bb0(%a: tensor<4096x1024xf32>, %o: tensor<f32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<f32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<f32>) -> tensor<f32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4096x1024xf32>) outs(%f : tensor<f32>) dimensions = [0, 1]
    fuse.yield %1 : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Rows and columns: a block of eight warps visits eight rows at once, twice (three
// times would leave some of the 171 blocks with rows that do not exist), and all
// blocks share the columns.
// CHECK-LABEL: func.func @both
// CHECK: schedule = #fuse.schedule<mixed, rows = 4096, columns = 256, grid = 256, threads = 256, positions = 4, vector = 4, residency = registers, layout = (d0, d1, d2, d3) -> ((d0 * 2 + d2 floordiv 2) * 8 + d1 floordiv 32, ((d2 mod 2) * 32 + d1 mod 32) * 4 + d3)>
func.func @both(%x: tensor<4096x256xf32>, %e: tensor<4096xf32>, %g: tensor<256xf32>) -> (tensor<4096xf32>, tensor<256xf32>) {
  %r:2 = fuse.kernel "k" ins(%x : tensor<4096x256xf32>) outs(%e, %g : tensor<4096xf32>, tensor<256xf32>) -> (tensor<4096xf32>, tensor<256xf32>) {
  ^bb0(%a: tensor<4096x256xf32>, %o: tensor<4096xf32>, %p: tensor<256xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<4096xf32>) -> tensor<4096xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4096x256xf32>) outs(%f : tensor<4096xf32>) dimensions = [1]
    %2 = tensor.empty() : tensor<256xf32>
    %h = linalg.fill ins(%zero : f32) outs(%2 : tensor<256xf32>) -> tensor<256xf32>
    %3 = linalg.reduce { arith.addf } ins(%a : tensor<4096x256xf32>) outs(%h : tensor<256xf32>) dimensions = [0]
    fuse.yield %1, %3 : tensor<4096xf32>, tensor<256xf32>
  }
  return %r#0, %r#1 : tensor<4096xf32>, tensor<256xf32>
}

// -----

// Rows that a warp's registers do not hold: several warps have one.
// CHECK-LABEL: func.func @both_wide
// CHECK: schedule = #fuse.schedule<mixed, rows = 1024, columns = 4096, grid = 128, threads = 512, positions = 16, vector = 4, residency = registers, layout = (d0, d1, d2, d3) -> ((d0 * 4 + d2 floordiv 4) * 2 + d1 floordiv 256, ((d2 mod 4) * 256 + d1 mod 256) * 4 + d3)>
func.func @both_wide(%x: tensor<1024x4096xf32>, %e: tensor<1024xf32>, %g: tensor<4096xf32>) -> (tensor<1024xf32>, tensor<4096xf32>) {
  %r:2 = fuse.kernel "k" ins(%x : tensor<1024x4096xf32>) outs(%e, %g : tensor<1024xf32>, tensor<4096xf32>) -> (tensor<1024xf32>, tensor<4096xf32>) {
  ^bb0(%a: tensor<1024x4096xf32>, %o: tensor<1024xf32>, %p: tensor<4096xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<1024xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<1024xf32>) -> tensor<1024xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<1024x4096xf32>) outs(%f : tensor<1024xf32>) dimensions = [1]
    %2 = tensor.empty() : tensor<4096xf32>
    %h = linalg.fill ins(%zero : f32) outs(%2 : tensor<4096xf32>) -> tensor<4096xf32>
    %3 = linalg.reduce { arith.addf } ins(%a : tensor<1024x4096xf32>) outs(%h : tensor<4096xf32>) dimensions = [0]
    fuse.yield %1, %3 : tensor<1024xf32>, tensor<4096xf32>
  }
  return %r#0, %r#1 : tensor<1024xf32>, tensor<4096xf32>
}

// -----

// Sizes that are known at run time only: those of the schedule are assumed.
// CHECK-LABEL: func @dynamic
// CHECK: #fuse.schedule<pointwise, rows = 592, columns = 1, grid = 1, threads = 256, positions = 1, vector = 4,
func.func @dynamic(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = fuse.kernel "k" ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %1 = linalg.exp ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// Few rows: what is read in their order comes while threads add, so that fewer
// of them are enough; elements whose places are data wait for these first.
// CHECK-LABEL: func.func @few_rows
// CHECK: rows = 4, columns = 1024, grid = 4, threads = 64, positions = 4, vector = 4
func.func @few_rows(%x: tensor<4x1024xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.kernel "k" ins(%x : tensor<4x1024xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4x1024xf32>, %o: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4x1024xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @few_gathered
// CHECK: rows = 4, columns = 1024, grid = 4, threads = 256, positions = 1, vector = 4
func.func @few_gathered(%x: tensor<4x1024xi32>, %t: tensor<5000xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.kernel "k" ins(%x, %t : tensor<4x1024xi32>, tensor<5000xf32>) outs(%e : tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4x1024xi32>, %b: tensor<5000xf32>, %o: tensor<4xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<4x1024xi32>) outs(%f : tensor<4xf32>) {
    ^bb0(%place: i32, %sum: f32):
      %i = arith.index_cast %place : i32 to index
      %v = tensor.extract %b[%i] : tensor<5000xf32>
      %s = arith.addf %sum, %v : f32
      linalg.yield %s : f32
    } -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
