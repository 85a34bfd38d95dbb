// RUN: fuse-opt %s --fuse-classify-ops=print -o /dev/null | FileCheck %s

// A kept dimension of size 1 is written whole; column 0 of four is not.
// CHECK: keep_dim: linalg.generic: reduction, iterator 1 is a reduction
// CHECK: first_column: linalg.generic: opaque
func.func @keep_dim(%x: tensor<8x4xf32>, %o: tensor<8x1xf32>) -> tensor<8x1xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x4xf32>) outs(%o : tensor<8x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<8x1xf32>
  return %0 : tensor<8x1xf32>
}

func.func @first_column(%x: tensor<8xf32>, %o: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0, 0)>], iterator_types = ["parallel"]}
      ins(%x : tensor<8xf32>) outs(%o : tensor<8x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
