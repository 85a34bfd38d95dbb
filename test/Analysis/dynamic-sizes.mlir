// Sizes that are known at run time only are equal where the operators say so.
// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// One space from three operands: both loops have one size each.
// CHECK: fuse.group: pointwise s0 * s1 x 1
// CHECK-NEXT: output (d0 floordiv s1, d0 mod s1)
func.func @broadcast(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %r = fuse.group -> (tensor<?x?xf32>) {
    %e = tensor.empty(%n, %m) : tensor<?x?xf32>
    %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %y : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    fuse.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// A collapse and an expand cancel: the expanded size is the first one.
// CHECK: fuse.group: pointwise s0 * 3 x 1
func.func @views(%x: tensor<?x3xf32>, %k: index, %m: index) -> tensor<3x?xf32> {
  %r = fuse.group -> (tensor<3x?xf32>) {
    %f = tensor.collapse_shape %x [[0, 1]] : tensor<?x3xf32> into tensor<?xf32>
    %e = tensor.empty(%k) : tensor<?xf32>
    %0 = linalg.exp ins(%f : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %g = tensor.expand_shape %0 [[0, 1]] output_shape [3, %m] : tensor<?xf32> into tensor<3x?xf32>
    %e1 = tensor.empty(%m) : tensor<3x?xf32>
    %1 = linalg.abs ins(%g : tensor<3x?xf32>) outs(%e1 : tensor<3x?xf32>) -> tensor<3x?xf32>
    fuse.yield %1 : tensor<3x?xf32>
  }
  return %r : tensor<3x?xf32>
}

// Rows of unknown length, and what depends on their sums at each element.
// CHECK: fuse.group: row s0 x s1
// CHECK-NEXT: root linalg.reduce (d0, d1)
// CHECK-NEXT: output (d0, d1)
func.func @rows(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32
  %r = fuse.group -> (tensor<?x?xf32>) {
    %e1 = tensor.empty(%n) : tensor<?xf32>
    %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
    %e = tensor.empty(%n, %m) : tensor<?x?xf32>
    %0 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %q = arith.divf %a, %b : f32
      linalg.yield %q : f32
    } -> tensor<?x?xf32>
    fuse.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// Nothing says that the two tensors are equally large.
// CHECK: fuse.group: refused by output-domain: an output has s0 elements in a space of s1 x 1
func.func @unrelated(%x: tensor<?xf32>, %y: tensor<?xf32>, %e: tensor<?xf32>, %f: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r:2 = fuse.group -> (tensor<?xf32>, tensor<?xf32>) {
    %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %1 = linalg.abs ins(%y : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// Sizes computed from sizes: (2 * n) / 2 is n, and so is a cast there and back.
// CHECK: fuse.group: pointwise s0 x 1
func.func @computed(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %r:2 = fuse.group -> (tensor<?xf32>, tensor<?xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %twice = arith.muli %n, %c2 : index
    %half = arith.divsi %twice, %c2 : index
    %wide = arith.index_cast %half : index to i64
    %back = arith.index_cast %wide : i64 to index
    %e = tensor.empty(%n) : tensor<?xf32>
    %f = tensor.empty(%back) : tensor<?xf32>
    %0 = linalg.exp ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %1 = linalg.abs ins(%x : tensor<?xf32>) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %0, %1 : tensor<?xf32>, tensor<?xf32>
  }
  return %r#0, %r#1 : tensor<?xf32>, tensor<?xf32>
}

// Rows of a contraction are as many as there are, in all of its uses.
// CHECK: fuse.group: tile s0 x 768
func.func @projection(%x: tensor<?x512xf16>, %w: tensor<512x768xf16>, %b: tensor<768xf32>, %n: index) -> tensor<?x768xf32> {
  %r = fuse.group -> (tensor<?x768xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%n) : tensor<?x768xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x768xf32>) -> tensor<?x768xf32>
    %0 = linalg.matmul ins(%x, %w : tensor<?x512xf16>, tensor<512x768xf16>) outs(%f : tensor<?x768xf32>) -> tensor<?x768xf32>
    %1 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%0, %b : tensor<?x768xf32>, tensor<768xf32>) outs(%e : tensor<?x768xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x768xf32>
    fuse.yield %1 : tensor<?x768xf32>
  }
  return %r : tensor<?x768xf32>
}
