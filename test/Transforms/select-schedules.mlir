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
// CHECK: columns = 4097, grid = 64, threads = {{[0-9]+}}, positions = {{[0-9]+}}, vector = 1, residency = registers, layout = (d0, d1, d2, d3) -> (d0, d2 * {{[0-9]+}} + d1 + d3 - (d0 * 4097) mod 8)>
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

func.func @dynamic(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{dynamic shapes are not supported yet}}
  %r = fuse.kernel "k" ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%a: tensor<?xf32>, %o: tensor<?xf32>):
    %1 = linalg.exp ins(%a : tensor<?xf32>) outs(%o : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
