// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// What both spaces need stands in both parts; constants go where they are used.
// CHECK-LABEL: fuse.group: packed 18 x 1
// CHECK-NEXT:   part of 5 operator(s): pointwise 12 x 1
// CHECK-NEXT:     output (d0)
// CHECK-NEXT:   part of 5 operator(s): pointwise 6 x 1
// CHECK-NEXT:     output (d0)
func.func @slices(%x: tensor<12xf32>) -> (tensor<12xf32>, tensor<6xf32>) {
  %r:2 = fuse.group -> (tensor<12xf32>, tensor<6xf32>) {
    %c = arith.constant dense<2.0> : tensor<12xf32>
    %e1_ = tensor.empty() : tensor<12xf32>
    %e = linalg.exp ins(%x : tensor<12xf32>) outs(%e1_ : tensor<12xf32>) -> tensor<12xf32>
    %em = tensor.empty() : tensor<12xf32>
    %m = linalg.mul ins(%e, %c : tensor<12xf32>, tensor<12xf32>)
        outs(%em : tensor<12xf32>) -> tensor<12xf32>
    %s = tensor.extract_slice %e[0] [6] [2] : tensor<12xf32> to tensor<6xf32>
    %e2_ = tensor.empty() : tensor<6xf32>
    %n = linalg.negf ins(%s : tensor<6xf32>) outs(%e2_ : tensor<6xf32>) -> tensor<6xf32>
    fuse.yield %m, %n : tensor<12xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<12xf32>, tensor<6xf32>
}

// Portions of equally many places are one part: the elements of the first
// output are read by the reduction, too. The third is a space of its own.
// CHECK-LABEL: fuse.group: packed 34 x 1
// CHECK-NEXT:   part of {{[0-9]+}} operator(s): row 4 x 8
// CHECK-NEXT:     root linalg.generic (d0, d1)
// CHECK-NEXT:     output (d0, d1)
// CHECK-NEXT:     output (d0) per row
// CHECK-NEXT:   part of 3 operator(s): pointwise 2 x 1
func.func @joined(%x: tensor<4x8xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>, tensor<2x1xf32>) {
  %r:3 = fuse.group -> (tensor<4x8xf32>, tensor<4xf32>, tensor<2x1xf32>) {
    %zero = arith.constant 0.0 : f32
    %e3_ = tensor.empty() : tensor<4x8xf32>
    %e = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e3_ : tensor<4x8xf32>) -> tensor<4x8xf32>
    %er = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %l = tensor.extract_slice %x[0, 0] [2, 1] [1, 1] : tensor<4x8xf32> to tensor<2x1xf32>
    %e4_ = tensor.empty() : tensor<2x1xf32>
    %n = linalg.negf ins(%l : tensor<2x1xf32>) outs(%e4_ : tensor<2x1xf32>) -> tensor<2x1xf32>
    fuse.yield %e, %s, %n : tensor<4x8xf32>, tensor<4xf32>, tensor<2x1xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<4x8xf32>, tensor<4xf32>, tensor<2x1xf32>
}

// Equal sizes without anything in common but a tensor of one element.
// CHECK-LABEL: fuse.group: packed 16 x 1
// CHECK-NEXT:   part of 2 operator(s): pointwise 8 x 1
// CHECK-NEXT:     output (d0)
// CHECK-NEXT:   part of 2 operator(s): pointwise 8 x 1
func.func @apart(%x: tensor<8xf32>, %y: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = fuse.group -> (tensor<8xf32>, tensor<8xf32>) {
    %e5_ = tensor.empty() : tensor<8xf32>
    %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e5_ : tensor<8xf32>) -> tensor<8xf32>
    %e6_ = tensor.empty() : tensor<8xf32>
    %b = linalg.exp ins(%y : tensor<8xf32>) outs(%e6_ : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %a, %b : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// The same with an input in common: one space, the input is read once.
// CHECK-LABEL: fuse.group: pointwise 8 x 1
func.func @together(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = fuse.group -> (tensor<8xf32>, tensor<8xf32>) {
    %e7_ = tensor.empty() : tensor<8xf32>
    %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e7_ : tensor<8xf32>) -> tensor<8xf32>
    %e8_ = tensor.empty() : tensor<8xf32>
    %b = linalg.abs ins(%x : tensor<8xf32>) outs(%e8_ : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %a, %b : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// A reduction is evaluated by one part only: the row kernel of the first output
// and the loop of the second would both need the sum.
// CHECK-LABEL: fuse.group: refused by shared-reduction: outputs of different spaces need the same reduction
func.func @shared(%x: tensor<4x8xf32>, %w: tensor<4x16xf32>)
    -> (tensor<4x8xf32>, tensor<4xf32>) {
  %r:2 = fuse.group -> (tensor<4x8xf32>, tensor<4xf32>) {
    %zero = arith.constant 0.0 : f32
    %er = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %e = tensor.empty() : tensor<4x8xf32>
    %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : tensor<4x8xf32>, tensor<4xf32>) outs(%e : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.subf %a, %b : f32
      linalg.yield %0 : f32
    } -> tensor<4x8xf32>
    %t = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
        ins(%w, %s : tensor<4x16xf32>, tensor<4xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %0, %o : f32
      linalg.yield %1 : f32
    } -> tensor<4xf32>
    fuse.yield %d, %t : tensor<4x8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4xf32>
}

// Outputs of different spaces that no part can have either: the reason is that
// of the whole.
// CHECK-LABEL: fuse.group: refused by output-domain: an output has 2 elements in a space of 4 x 8
func.func @no_part(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %r:2 = fuse.group -> (tensor<4xf32>, tensor<2xf32>) {
    %zero = arith.constant 0.0 : f32
    %er = tensor.empty() : tensor<4xf32>
    %f = linalg.fill ins(%zero : f32) outs(%er : tensor<4xf32>) -> tensor<4xf32>
    %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) {
    ^bb0(%a: f32, %o: f32):
      %0 = arith.addf %a, %o : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    %l = tensor.extract_slice %s[1] [2] [1] : tensor<4xf32> to tensor<2xf32>
    fuse.yield %s, %l : tensor<4xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<2xf32>
}

// Products of one factor with equally many results, but other rows and columns,
// are tiles of two parts, not loops of one thread for each result.
// CHECK-LABEL: fuse.group: packed 120 x 1
// CHECK-NEXT:   part of {{[0-9]+}} operator(s): tile 10 x 6
// CHECK:        part of {{[0-9]+}} operator(s): tile 6 x 10
func.func @products(%x: tensor<10x10xf32>, %y: tensor<10x6xf32>, %z: tensor<6x10xf32>, %i: tensor<10x6xf32>, %j: tensor<6x10xf32>) -> (tensor<10x6xf32>, tensor<6x10xf32>) {
  %r:2 = fuse.group -> (tensor<10x6xf32>, tensor<6x10xf32>) {
    %m = linalg.matmul ins(%x, %y : tensor<10x10xf32>, tensor<10x6xf32>) outs(%i : tensor<10x6xf32>) -> tensor<10x6xf32>
    %n = linalg.matmul ins(%z, %x : tensor<6x10xf32>, tensor<10x10xf32>) outs(%j : tensor<6x10xf32>) -> tensor<6x10xf32>
    fuse.yield %m, %n : tensor<10x6xf32>, tensor<6x10xf32>
  }
  return %r#0, %r#1 : tensor<10x6xf32>, tensor<6x10xf32>
}
