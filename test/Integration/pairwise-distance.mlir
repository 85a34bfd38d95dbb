// Pairwise distances: a row for each pair, whose sum of squares runs over what
// both have in common.
// RUN: fuse-run %s | FileCheck %s
// CHECK: main_0_reduction row
// CHECK: kernels         {{[0-9]+}} -> 1
// CHECK: verified        yes
func.func @main(%x: tensor<37x96xf32>, %y: tensor<29x96xf32>) -> tensor<37x29xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x29xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37x29xf32>) -> tensor<37x29xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %y : tensor<37x96xf32>, tensor<29x96xf32>) outs(%f : tensor<37x29xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %q = arith.mulf %d, %d : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<37x29xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<37x29xf32>) outs(%e : tensor<37x29xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = math.sqrt %a : f32
    linalg.yield %r : f32
  } -> tensor<37x29xf32>
  return %t : tensor<37x29xf32>
}
