// Slices of a contraction that meet in an element-wise operator, and are all that is
// read of it, are contractions of slices of the factor.
// RUN: fuse-opt %s --fuse-normalize-ops | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
#left = affine_map<(i, j, k) -> (i, k)>
#right = affine_map<(i, j, k) -> (j, k)>
#sums = affine_map<(i, j, k) -> (i, j)>

// Halves of one projection, with a bias in between and a gate behind.
// CHECK-LABEL: @halves
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[W:.*]]: tensor<96x64xf32>, %[[B:.*]]: tensor<96xf32>)
// CHECK-DAG: %[[GATE:.*]] = tensor.extract_slice %[[W]][0, 0] [48, 64] [1, 1]
// CHECK-DAG: %[[UP:.*]] = tensor.extract_slice %[[W]][48, 0] [48, 64] [1, 1]
// CHECK-DAG: linalg.generic {{.*}} ins(%[[X]], %[[GATE]] : {{.*}} outs({{.*}} : tensor<8x48xf32>)
// CHECK-DAG: linalg.generic {{.*}} ins(%[[X]], %[[UP]] : {{.*}} outs({{.*}} : tensor<8x48xf32>)
// CHECK-DAG: tensor.extract_slice %[[B]][0] [48] [1]
// CHECK-DAG: tensor.extract_slice %[[B]][48] [48] [1]
// CHECK-NOT: tensor<8x96xf32>
// CHECK: return
func.func @halves(%x: tensor<8x64xf32>, %w: tensor<96x64xf32>, %b: tensor<96xf32>) -> tensor<8x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x96xf32>) -> tensor<8x96xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<8x64xf32>, tensor<96x64xf32>) outs(%i : tensor<8x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x96xf32>
  %z = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%y, %b : tensor<8x96xf32>, tensor<96xf32>) outs(%e : tensor<8x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.addf %l, %r : f32
    linalg.yield %0 : f32
  } -> tensor<8x96xf32>
  %gate = tensor.extract_slice %z[0, 0] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %up = tensor.extract_slice %z[0, 48] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %re = tensor.empty() : tensor<8x48xf32>
  %r = linalg.mul ins(%gate, %up : tensor<8x48xf32>, tensor<8x48xf32>) outs(%re : tensor<8x48xf32>) -> tensor<8x48xf32>
  return %r : tensor<8x48xf32>
}

// One row, whose unit dimension slices drop.
// CHECK-LABEL: @row
// CHECK-COUNT-2: linalg.generic {{.*}} outs({{.*}} : tensor<48xf32>)
// CHECK: return
func.func @row(%x: tensor<1x64xf32>, %w: tensor<96x64xf32>) -> tensor<1x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x96xf32>) -> tensor<1x96xf32>
  %y = linalg.generic {indexing_maps = [#left, #right, #sums], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1x64xf32>, tensor<96x64xf32>) outs(%i : tensor<1x96xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1x96xf32>
  %gate = tensor.extract_slice %y[0, 0] [1, 48] [1, 1] : tensor<1x96xf32> to tensor<1x48xf32>
  %up = tensor.extract_slice %y[0, 48] [1, 48] [1, 1] : tensor<1x96xf32> to tensor<1x48xf32>
  %re = tensor.empty() : tensor<1x48xf32>
  %r = linalg.mul ins(%gate, %up : tensor<1x48xf32>, tensor<1x48xf32>) outs(%re : tensor<1x48xf32>) -> tensor<1x48xf32>
  return %r : tensor<1x48xf32>
}

// Not where slices are results of their own, overlap, or take every second column
// of a factor whose columns are neighbours; not four of them, nor if marked.
// CHECK-LABEL: @apart
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<8x96xf32>)
func.func @apart(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %i: tensor<8x96xf32>) -> (tensor<8x48xf32>, tensor<8x48xf32>) {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  %gate = tensor.extract_slice %y[0, 0] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %up = tensor.extract_slice %y[0, 48] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  return %gate, %up : tensor<8x48xf32>, tensor<8x48xf32>
}

// CHECK-LABEL: @overlapping
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<8x96xf32>)
func.func @overlapping(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %i: tensor<8x96xf32>) -> tensor<8x64xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  %a = tensor.extract_slice %y[0, 0] [8, 64] [1, 1] : tensor<8x96xf32> to tensor<8x64xf32>
  %b = tensor.extract_slice %y[0, 32] [8, 64] [1, 1] : tensor<8x96xf32> to tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %r = linalg.mul ins(%a, %b : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// CHECK-LABEL: @strided
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<8x96xf32>)
func.func @strided(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %i: tensor<8x96xf32>) -> tensor<8x48xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  %a = tensor.extract_slice %y[0, 0] [8, 48] [1, 2] : tensor<8x96xf32> to tensor<8x48xf32>
  %b = tensor.extract_slice %y[0, 1] [8, 48] [1, 2] : tensor<8x96xf32> to tensor<8x48xf32>
  %e = tensor.empty() : tensor<8x48xf32>
  %r = linalg.mul ins(%a, %b : tensor<8x48xf32>, tensor<8x48xf32>) outs(%e : tensor<8x48xf32>) -> tensor<8x48xf32>
  return %r : tensor<8x48xf32>
}

// CHECK-LABEL: @four
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<8x96xf32>)
func.func @four(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %i: tensor<8x96xf32>) -> tensor<8x24xf32> {
  %y = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  %a = tensor.extract_slice %y[0, 0] [8, 24] [1, 1] : tensor<8x96xf32> to tensor<8x24xf32>
  %b = tensor.extract_slice %y[0, 24] [8, 24] [1, 1] : tensor<8x96xf32> to tensor<8x24xf32>
  %c = tensor.extract_slice %y[0, 48] [8, 24] [1, 1] : tensor<8x96xf32> to tensor<8x24xf32>
  %d = tensor.extract_slice %y[0, 72] [8, 24] [1, 1] : tensor<8x96xf32> to tensor<8x24xf32>
  %e = tensor.empty() : tensor<8x24xf32>
  %p = linalg.mul ins(%a, %b : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %q = linalg.mul ins(%c, %d : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %r = linalg.add ins(%p, %q : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %r : tensor<8x24xf32>
}

// CHECK-LABEL: @marked
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<8x96xf32>)
func.func @marked(%x: tensor<8x64xf32>, %w: tensor<64x96xf32>, %i: tensor<8x96xf32>) -> tensor<8x48xf32> {
  %y = linalg.matmul {fuse.never_fuse} ins(%x, %w : tensor<8x64xf32>, tensor<64x96xf32>) outs(%i : tensor<8x96xf32>) -> tensor<8x96xf32>
  %a = tensor.extract_slice %y[0, 0] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %b = tensor.extract_slice %y[0, 48] [8, 48] [1, 1] : tensor<8x96xf32> to tensor<8x48xf32>
  %e = tensor.empty() : tensor<8x48xf32>
  %r = linalg.mul ins(%a, %b : tensor<8x48xf32>, tensor<8x48xf32>) outs(%e : tensor<8x48xf32>) -> tensor<8x48xf32>
  return %r : tensor<8x48xf32>
}
