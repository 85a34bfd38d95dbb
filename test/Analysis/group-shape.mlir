// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#tr = affine_map<(d0, d1) -> (d1, d0)>

// A softmax is one row kernel; the normalised rows are its output.
// CHECK:      fuse.group: row 64 x 1000
// CHECK-NEXT:   root linalg.generic (d0, d1)
// CHECK-NEXT:   root linalg.generic (d0, d1)
// CHECK-NEXT:   output (d0, d1)
func.func @softmax(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %r = fuse.group -> (tensor<64x1000xf32>) {
    %e = tensor.empty() : tensor<64x1000xf32>
    %er = tensor.empty() : tensor<64xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
    %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<64x1000xf32>) outs(%m0 : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.maximumf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %ex = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %m : tensor<64x1000xf32>, tensor<64xf32>) outs(%e : tensor<64x1000xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.subf %a, %b : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<64x1000xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%ex : tensor<64x1000xf32>) outs(%s0 : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ex, %s : tensor<64x1000xf32>, tensor<64xf32>) outs(%e : tensor<64x1000xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.divf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<64x1000xf32>
    fuse.yield %y : tensor<64x1000xf32>
  }
  return %r : tensor<64x1000xf32>
}

// A contraction with a transposed operand and an epilogue through views: tiles
// of the result.
// CHECK:      fuse.group: tile 16 x 24
// CHECK-NEXT:   root linalg.matmul (d0, d1, *)
// CHECK-NEXT:   output (d0 floordiv 4, d0 mod 4, d1)
func.func @matmul(%a: tensor<16x32xf32>, %w: tensor<24x32xf32>) -> tensor<4x4x24xf32> {
  %zero = arith.constant 0.0 : f32
  %r = fuse.group -> (tensor<4x4x24xf32>) {
    %et = tensor.empty() : tensor<32x24xf32>
    %t = linalg.transpose ins(%w : tensor<24x32xf32>) outs(%et : tensor<32x24xf32>) permutation = [1, 0]
    %e = tensor.empty() : tensor<16x24xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16x24xf32>) -> tensor<16x24xf32>
    %m = linalg.matmul ins(%a, %t : tensor<16x32xf32>, tensor<32x24xf32>) outs(%f : tensor<16x24xf32>) -> tensor<16x24xf32>
    %v = tensor.expand_shape %m [[0, 1], [2]] output_shape [4, 4, 24] : tensor<16x24xf32> into tensor<4x4x24xf32>
    %ev = tensor.empty() : tensor<4x4x24xf32>
    %y = linalg.exp ins(%v : tensor<4x4x24xf32>) outs(%ev : tensor<4x4x24xf32>) -> tensor<4x4x24xf32>
    fuse.yield %y : tensor<4x4x24xf32>
  }
  return %r : tensor<4x4x24xf32>
}

// The second matmul needs whole rows of the first one, which no block keeps in
// f64.
// CHECK: fuse.group: refused by nested-reduction
func.func @two_matmuls(%a: tensor<16x16xf64>) -> tensor<16x16xf64> {
  %zero = arith.constant 0.0 : f64
  %r = fuse.group -> (tensor<16x16xf64>) {
    %e = tensor.empty() : tensor<16x16xf64>
    %f = linalg.fill ins(%zero : f64) outs(%e : tensor<16x16xf64>) -> tensor<16x16xf64>
    %m = linalg.matmul ins(%a, %a : tensor<16x16xf64>, tensor<16x16xf64>) outs(%f : tensor<16x16xf64>) -> tensor<16x16xf64>
    %n = linalg.matmul ins(%m, %a : tensor<16x16xf64>, tensor<16x16xf64>) outs(%f : tensor<16x16xf64>) -> tensor<16x16xf64>
    fuse.yield %n : tensor<16x16xf64>
  }
  return %r : tensor<16x16xf64>
}

// Row sums and the transposed copy of one input: both outputs are stored from
// the row kernel, the copy at the transposed place.
// CHECK:      fuse.group: row 64 x 32
// CHECK:        output (d0) per row
// CHECK-NEXT:   output (d1, d0)
func.func @sum_and_transpose(%x: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<32x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %r:2 = fuse.group -> (tensor<64xf32>, tensor<32x64xf32>) {
    %et = tensor.empty() : tensor<32x64xf32>
    %t = linalg.transpose ins(%x : tensor<64x32xf32>) outs(%et : tensor<32x64xf32>) permutation = [1, 0]
    %e = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.generic {indexing_maps = [#tr, #row], iterator_types = ["parallel", "reduction"]}
        ins(%t : tensor<32x64xf32>) outs(%f : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    fuse.yield %s, %t : tensor<64xf32>, tensor<32x64xf32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<32x64xf32>
}

// A reduction over the outer dimension: the rows of the space are neighbours
// in memory. What is as large as the space is stored in the operand's order.
// CHECK:      fuse.group: column 12 x 100
// CHECK-NEXT:   root linalg.generic (d1, d0)
// CHECK-NEXT:   output (d1, d0)
#col = affine_map<(d0, d1) -> (d1)>
func.func @center(%x: tensor<100x12xf32>) -> tensor<100x12xf32> {
  %zero = arith.constant 0.0 : f32
  %r = fuse.group -> (tensor<100x12xf32>) {
    %e = tensor.empty() : tensor<12xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<12xf32>) -> tensor<12xf32>
    %s = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<100x12xf32>) outs(%s0 : tensor<12xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<12xf32>
    %ey = tensor.empty() : tensor<100x12xf32>
    %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : tensor<100x12xf32>, tensor<12xf32>) outs(%ey : tensor<100x12xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.subf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<100x12xf32>
    fuse.yield %y : tensor<100x12xf32>
  }
  return %r : tensor<100x12xf32>
}

// Sums of the rows and of the columns: the operand is read at the same places.
// CHECK:      fuse.group: mixed 100 x 12
// CHECK-NEXT:   root linalg.generic (d0, d1)
// CHECK-NEXT:   root linalg.generic (d0, d1)
// CHECK-NEXT:   output (d0) per row
// CHECK-NEXT:   output (d1) per column
func.func @both(%x: tensor<100x12xf32>) -> (tensor<100xf32>, tensor<12xf32>) {
  %zero = arith.constant 0.0 : f32
  %r:2 = fuse.group -> (tensor<100xf32>, tensor<12xf32>) {
    %er = tensor.empty() : tensor<100xf32>
    %r0 = linalg.fill ins(%zero : f32) outs(%er : tensor<100xf32>) -> tensor<100xf32>
    %rows = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<100x12xf32>) outs(%r0 : tensor<100xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<100xf32>
    %ec = tensor.empty() : tensor<12xf32>
    %c0 = linalg.fill ins(%zero : f32) outs(%ec : tensor<12xf32>) -> tensor<12xf32>
    %columns = linalg.generic {indexing_maps = [#id, #col], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<100x12xf32>) outs(%c0 : tensor<12xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<12xf32>
    fuse.yield %rows, %columns : tensor<100xf32>, tensor<12xf32>
  }
  return %r#0, %r#1 : tensor<100xf32>, tensor<12xf32>
}
