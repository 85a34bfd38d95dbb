// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

// Where the operand of a reduction is gathered, what the group computes of it
// says how threads lie and who stores.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>

// The place of each element is computed from the data.
// CHECK:      fuse.group: row 64 x 128
// CHECK-NEXT:   root linalg.generic (d0, d1)
// CHECK-NEXT:   output (d0) per row
func.func @segments(%x: tensor<8192xf32>, %offset: tensor<64xi32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %ninf = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x128xf32>
    %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%offset : tensor<64xi32>) outs(%e : tensor<64x128xf32>) {
    ^bb0(%o: i32, %out: f32):
      %j = linalg.index 1 : index
      %first = arith.index_cast %o : i32 to index
      %k = arith.addi %first, %j : index
      %v = tensor.extract %x[%k] : tensor<8192xf32>
      linalg.yield %v : f32
    } -> tensor<64x128xf32>
    %er = tensor.empty() : tensor<64xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
    %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%g : tensor<64x128xf32>) outs(%m0 : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.maximumf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    fuse.yield %m : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}

// The same over the other dimension: threads lie along what is kept.
// CHECK:      fuse.group: column 128 x 64
// CHECK-NEXT:   root linalg.generic (d1, d0)
// CHECK-NEXT:   output (d0) per row
func.func @across_segments(%x: tensor<8192xf32>, %offset: tensor<64xi32>) -> tensor<128xf32> {
  %r = fuse.group -> (tensor<128xf32>) {
    %ninf = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x128xf32>
    %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%offset : tensor<64xi32>) outs(%e : tensor<64x128xf32>) {
    ^bb0(%o: i32, %out: f32):
      %j = linalg.index 1 : index
      %first = arith.index_cast %o : i32 to index
      %k = arith.addi %first, %j : index
      %v = tensor.extract %x[%k] : tensor<8192xf32>
      linalg.yield %v : f32
    } -> tensor<64x128xf32>
    %er = tensor.empty() : tensor<128xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%er : tensor<128xf32>) -> tensor<128xf32>
    %m = linalg.generic {indexing_maps = [#id, #column], iterator_types = ["reduction", "parallel"]}
        ins(%g : tensor<64x128xf32>) outs(%m0 : tensor<128xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.maximumf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<128xf32>
    fuse.yield %m : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}

// Rows of a table that is smaller than what is gathered, normalised and stored
// transposed: the owner of a row's element stores it.
// CHECK:      fuse.group: row 64 x 128
// CHECK-NEXT:   root linalg.generic (d0, d1)
// CHECK-NEXT:   output (d1, d0)
func.func @transposed(%table: tensor<8x128xf32>, %ids: tensor<64xi64>) -> tensor<128x64xf32> {
  %r = fuse.group -> (tensor<128x64xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64x128xf32>
    %g = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%ids : tensor<64xi64>) outs(%e : tensor<64x128xf32>) {
    ^bb0(%id: i64, %out: f32):
      %j = linalg.index 1 : index
      %i = arith.index_cast %id : i64 to index
      %v = tensor.extract %table[%i, %j] : tensor<8x128xf32>
      linalg.yield %v : f32
    } -> tensor<64x128xf32>
    %er = tensor.empty() : tensor<64xf32>
    %s0 = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%g : tensor<64x128xf32>) outs(%s0 : tensor<64xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<64xf32>
    %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%g, %s : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.divf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<64x128xf32>
    %et = tensor.empty() : tensor<128x64xf32>
    %t = linalg.transpose ins(%y : tensor<64x128xf32>) outs(%et : tensor<128x64xf32>) permutation = [1, 0]
    fuse.yield %t : tensor<128x64xf32>
  }
  return %r : tensor<128x64xf32>
}

// What is combined was never a tensor, and elements of both operands serve
// several results: threads lie where they ask for fewer sectors.
// CHECK:      fuse.group: column 4096 x 32
// CHECK-NEXT:   root linalg.generic (d0 floordiv 64, d0 mod 64, d1)
// CHECK-NEXT:   output (d0 floordiv 64, d0 mod 64) per row
func.func @tropical(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %r = fuse.group -> (tensor<64x64xf32>) {
    %ninf = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<64x64xf32>
    %m0 = linalg.fill ins(%ninf : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
    %m = linalg.generic {indexing_maps = [#left, #right, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>) outs(%m0 : tensor<64x64xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.addf %x, %y : f32
      %1 = arith.maximumf %0, %o : f32
      linalg.yield %1 : f32
    } -> tensor<64x64xf32>
    fuse.yield %m : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
