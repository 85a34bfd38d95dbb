// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

// Reductions over rows that belong to different places of the rows.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// A sum that the other reduction needs at each of its elements is no reduction of
// the same rows, in whatever order these are placed.
// CHECK: refused by nested-reduction: 'linalg.reduce' would be evaluated again for elements of another operator
func.func @needed_along_the_row(%x: tensor<40x40xf32>) -> tensor<40xf32> {
  %r = fuse.group -> (tensor<40xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<40xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<40x40xf32>) outs(%f : tensor<40xf32>) dimensions = [1]
    %t = linalg.generic {indexing_maps = [#id, #column, #row], iterator_types = ["parallel", "reduction"]}
        ins(%x, %s : tensor<40x40xf32>, tensor<40xf32>) outs(%f : tensor<40xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.maximumf %0, %o : f32
      linalg.yield %1 : f32
    } -> tensor<40xf32>
    fuse.yield %t : tensor<40xf32>
  }
  return %r : tensor<40xf32>
}
