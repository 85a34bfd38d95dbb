// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

#full = affine_map<(b, q, k) -> (b, q, k)>
#row = affine_map<(b, q, k) -> (b, q)>
#rows = affine_map<(b, k) -> (b)>
#all = affine_map<(b, k) -> (b, k)>
#mask = affine_map<(b, q, k) -> (q, k)>

// Scores, a mask, a softmax, values, and heads put behind queries.
// CHECK-LABEL: fuse.group: attention 64 x 32
// CHECK-NEXT: stage of 6 operator(s): row 64 x 32
// CHECK-NEXT: root linalg.batch_matmul (d0 floordiv 16, d0 mod 16, d1, s0)
// CHECK: stage of 11 operator(s): row 64 x 32
// CHECK: stage of 6 operator(s): row 64 x 8
// CHECK-NEXT: root linalg.batch_matmul (d0 floordiv 16, d0 mod 16, d1, s0)
// CHECK-NEXT: output (d0 mod 16, d0 floordiv 16, d1)
func.func @masked(%q: tensor<4x16x8xf32>, %k: tensor<4x32x8xf32>, %v: tensor<4x32x8xf32>, %m: tensor<16x32xf32>) -> tensor<16x4x8xf32> {
  %r = fuse.group -> (tensor<16x4x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %ninf = arith.constant 0xFF800000 : f32
    %ekt = tensor.empty() : tensor<4x8x32xf32>
    %kt = linalg.transpose ins(%k : tensor<4x32x8xf32>) outs(%ekt : tensor<4x8x32xf32>) permutation = [0, 2, 1]
    %e = tensor.empty() : tensor<4x16x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %s = linalg.batch_matmul ins(%q, %kt : tensor<4x16x8xf32>, tensor<4x8x32xf32>) outs(%f : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %a = linalg.generic {indexing_maps = [#full, #mask, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%s, %m : tensor<4x16x32xf32>, tensor<16x32xf32>) outs(%e : tensor<4x16x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.addf %x, %y : f32
      linalg.yield %0 : f32
    } -> tensor<4x16x32xf32>
    %er = tensor.empty() : tensor<4x16xf32>
    %fm = linalg.fill ins(%ninf : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
    %mx = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%a : tensor<4x16x32xf32>) outs(%fm : tensor<4x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.maximumf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4x16xf32>
    %p = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%a, %mx : tensor<4x16x32xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.subf %x, %y : f32
      %1 = math.exp %0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x16x32xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
    %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p : tensor<4x16x32xf32>) outs(%fs : tensor<4x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4x16xf32>
    %w = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%p, %sum : tensor<4x16x32xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16x32xf32>) {
    ^bb0(%x: f32, %y: f32, %o: f32):
      %0 = arith.divf %x, %y : f32
      linalg.yield %0 : f32
    } -> tensor<4x16x32xf32>
    %eo = tensor.empty() : tensor<4x16x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %y = linalg.batch_matmul ins(%w, %v : tensor<4x16x32xf32>, tensor<4x32x8xf32>) outs(%fo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %et = tensor.empty() : tensor<16x4x8xf32>
    %t = linalg.transpose ins(%y : tensor<4x16x8xf32>) outs(%et : tensor<16x4x8xf32>) permutation = [1, 0, 2]
    fuse.yield %t : tensor<16x4x8xf32>
  }
  return %r : tensor<16x4x8xf32>
}

// The form that divides after the values are summed up.
// CHECK-LABEL: fuse.group: attention 64 x 32
func.func @divided_last(%q: tensor<4x16x8xf32>, %k: tensor<4x8x32xf32>, %v: tensor<4x32x8xf32>) -> tensor<4x16x8xf32> {
  %r = fuse.group -> (tensor<4x16x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<4x16x8xf32>, tensor<4x8x32xf32>) outs(%f : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %p = linalg.exp ins(%s : tensor<4x16x32xf32>) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %er = tensor.empty() : tensor<4x16xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
    %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p : tensor<4x16x32xf32>) outs(%fs : tensor<4x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4x16xf32>
    %eo = tensor.empty() : tensor<4x16x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x32xf32>, tensor<4x32x8xf32>) outs(%fo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %d = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y, %sum : tensor<4x16x8xf32>, tensor<4x16xf32>) outs(%eo : tensor<4x16x8xf32>) {
    ^bb0(%x: f32, %z: f32, %o: f32):
      %0 = arith.divf %x, %z : f32
      linalg.yield %0 : f32
    } -> tensor<4x16x8xf32>
    fuse.yield %d : tensor<4x16x8xf32>
  }
  return %r : tensor<4x16x8xf32>
}

// One query of each head: the scores have lost that dimension in between.
// CHECK-LABEL: fuse.group: attention 4 x 33
func.func @one_query(%q: tensor<4x1x8xf32>, %k: tensor<4x8x33xf32>, %v: tensor<4x33x8xf32>) -> tensor<4x1x8xf32> {
  %r = fuse.group -> (tensor<4x1x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<4x1x33xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x1x33xf32>) -> tensor<4x1x33xf32>
    %s1 = linalg.batch_matmul ins(%q, %k : tensor<4x1x8xf32>, tensor<4x8x33xf32>) outs(%f : tensor<4x1x33xf32>) -> tensor<4x1x33xf32>
    %s = tensor.collapse_shape %s1 [[0, 1], [2]] : tensor<4x1x33xf32> into tensor<4x33xf32>
    %e = tensor.empty() : tensor<4x33xf32>
    %p = linalg.exp ins(%s : tensor<4x33xf32>) outs(%e : tensor<4x33xf32>) -> tensor<4x33xf32>
    %er = tensor.empty() : tensor<4xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
    %sum = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
        ins(%p : tensor<4x33xf32>) outs(%fs : tensor<4xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %w = linalg.generic {indexing_maps = [#all, #rows, #all], iterator_types = ["parallel", "parallel"]}
        ins(%p, %sum : tensor<4x33xf32>, tensor<4xf32>) outs(%e : tensor<4x33xf32>) {
    ^bb0(%x: f32, %z: f32, %o: f32):
      %0 = arith.divf %x, %z : f32
      linalg.yield %0 : f32
    } -> tensor<4x33xf32>
    %w1 = tensor.expand_shape %w [[0, 1], [2]] output_shape [4, 1, 33] : tensor<4x33xf32> into tensor<4x1x33xf32>
    %eo = tensor.empty() : tensor<4x1x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    %y = linalg.batch_matmul ins(%w1, %v : tensor<4x1x33xf32>, tensor<4x33x8xf32>) outs(%fo : tensor<4x1x8xf32>) -> tensor<4x1x8xf32>
    fuse.yield %y : tensor<4x1x8xf32>
  }
  return %r : tensor<4x1x8xf32>
}

// The weights are used outside: they are stored besides.
// CHECK-LABEL: fuse.group: attention 64 x 32
// CHECK: stage of 7 operator(s): row 64 x 32
// CHECK-NEXT: root linalg.generic (d0 floordiv 16, d0 mod 16, d1)
// CHECK-NEXT: output (d0 floordiv 16, d0 mod 16, d1)
// CHECK-NEXT: output (d0 floordiv 16, d0 mod 16) per row
func.func @weights_outside(%q: tensor<4x16x8xf32>, %k: tensor<4x8x32xf32>, %v: tensor<4x32x8xf32>) -> (tensor<4x16x8xf32>, tensor<4x16x32xf32>) {
  %r:2 = fuse.group -> (tensor<4x16x8xf32>, tensor<4x16x32xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<4x16x8xf32>, tensor<4x8x32xf32>) outs(%f : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %p = linalg.exp ins(%s : tensor<4x16x32xf32>) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %er = tensor.empty() : tensor<4x16xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
    %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p : tensor<4x16x32xf32>) outs(%fs : tensor<4x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4x16xf32>
    %w = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%p, %sum : tensor<4x16x32xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16x32xf32>) {
    ^bb0(%x: f32, %z: f32, %o: f32):
      %0 = arith.divf %x, %z : f32
      linalg.yield %0 : f32
    } -> tensor<4x16x32xf32>
    %eo = tensor.empty() : tensor<4x16x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %y = linalg.batch_matmul ins(%w, %v : tensor<4x16x32xf32>, tensor<4x32x8xf32>) outs(%fo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    fuse.yield %y, %w : tensor<4x16x8xf32>, tensor<4x16x32xf32>
  }
  return %r#0, %r#1 : tensor<4x16x8xf32>, tensor<4x16x32xf32>
}

// The scores are used outside: they cannot stay on chip.
// CHECK-LABEL: fuse.group: refused by row-mismatch
func.func @scores_outside(%q: tensor<4x16x8xf32>, %k: tensor<4x8x32xf32>, %v: tensor<4x32x8xf32>) -> (tensor<4x16x8xf32>, tensor<4x16x32xf32>) {
  %r:2 = fuse.group -> (tensor<4x16x8xf32>, tensor<4x16x32xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<4x16x8xf32>, tensor<4x8x32xf32>) outs(%f : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %p = linalg.exp ins(%s : tensor<4x16x32xf32>) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %er = tensor.empty() : tensor<4x16xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
    %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%p : tensor<4x16x32xf32>) outs(%fs : tensor<4x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4x16xf32>
    %w = linalg.generic {indexing_maps = [#full, #row, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%p, %sum : tensor<4x16x32xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16x32xf32>) {
    ^bb0(%x: f32, %z: f32, %o: f32):
      %0 = arith.divf %x, %z : f32
      linalg.yield %0 : f32
    } -> tensor<4x16x32xf32>
    %eo = tensor.empty() : tensor<4x16x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %y = linalg.batch_matmul ins(%w, %v : tensor<4x16x32xf32>, tensor<4x32x8xf32>) outs(%fo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    fuse.yield %y, %s : tensor<4x16x8xf32>, tensor<4x16x32xf32>
  }
  return %r#0, %r#1 : tensor<4x16x8xf32>, tensor<4x16x32xf32>
}

// Two contractions with element-wise operators between them.
// CHECK-LABEL: fuse.group: attention 64 x 32
// CHECK-NEXT: stage of 4 operator(s): row 64 x 32
// CHECK-NEXT: root linalg.batch_matmul (d0 floordiv 16, d0 mod 16, d1, s0)
// CHECK: stage of 2 operator(s): row 64 x 32
// CHECK: stage of {{[0-9]+}} operator(s): row 64 x 8
// CHECK-NEXT: root linalg.batch_matmul (d0 floordiv 16, d0 mod 16, d1, s0)
func.func @no_softmax(%q: tensor<4x16x8xf32>, %k: tensor<4x8x32xf32>, %v: tensor<4x32x8xf32>) -> tensor<4x16x8xf32> {
  %r = fuse.group -> (tensor<4x16x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<4x16x8xf32>, tensor<4x8x32xf32>) outs(%f : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %p = linalg.exp ins(%s : tensor<4x16x32xf32>) outs(%e : tensor<4x16x32xf32>) -> tensor<4x16x32xf32>
    %eo = tensor.empty() : tensor<4x16x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %y = linalg.batch_matmul ins(%p, %v : tensor<4x16x32xf32>, tensor<4x32x8xf32>) outs(%fo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    fuse.yield %y : tensor<4x16x8xf32>
  }
  return %r : tensor<4x16x8xf32>
}

// The sums of columns of the scores: a query would need all the others.
// CHECK-LABEL: fuse.group: refused by row-mismatch
func.func @wrong_axis(%q: tensor<4x16x8xf32>, %k: tensor<4x8x16xf32>, %v: tensor<4x16x8xf32>) -> tensor<4x16x8xf32> {
  %r = fuse.group -> (tensor<4x16x8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x16x16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
    %s = linalg.batch_matmul ins(%q, %k : tensor<4x16x8xf32>, tensor<4x8x16xf32>) outs(%f : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
    %p = linalg.exp ins(%s : tensor<4x16x16xf32>) outs(%e : tensor<4x16x16xf32>) -> tensor<4x16x16xf32>
    %er = tensor.empty() : tensor<4x16xf32>
    %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<4x16xf32>) -> tensor<4x16xf32>
    %sum = linalg.generic {indexing_maps = [#full, affine_map<(b, q, k) -> (b, k)>], iterator_types = ["parallel", "reduction", "parallel"]}
        ins(%p : tensor<4x16x16xf32>) outs(%fs : tensor<4x16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %0 = arith.addf %x, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4x16xf32>
    %w = linalg.generic {indexing_maps = [#full, affine_map<(b, q, k) -> (b, k)>, #full], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%p, %sum : tensor<4x16x16xf32>, tensor<4x16xf32>) outs(%e : tensor<4x16x16xf32>) {
    ^bb0(%x: f32, %z: f32, %o: f32):
      %0 = arith.divf %x, %z : f32
      linalg.yield %0 : f32
    } -> tensor<4x16x16xf32>
    %eo = tensor.empty() : tensor<4x16x8xf32>
    %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    %y = linalg.batch_matmul ins(%w, %v : tensor<4x16x16xf32>, tensor<4x16x8xf32>) outs(%fo : tensor<4x16x8xf32>) -> tensor<4x16x8xf32>
    fuse.yield %y : tensor<4x16x8xf32>
  }
  return %r : tensor<4x16x8xf32>
}
