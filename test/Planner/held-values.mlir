// What a thread keeps of a row between two reductions is the sum, not both
// operands of it: 32 elements for a lane of a warp that owns the row. Where the
// operands are needed again, by the output, they are kept, and the row belongs
// to more threads.
// RUN: fuse-run %s --no-run --entry=sum | FileCheck %s --check-prefix=SUM
// RUN: sed 's|ins(%%t, %%q :|ins(%%y, %%q :|' %s > %t.mlir && fuse-run %t.mlir --no-run --entry=sum --strategy=max | FileCheck %s --check-prefix=BOTH
// SUM:  sum_0_reduction row 1024 x 128
// SUM:  kernels         3 -> 1
// BOTH: sum_0_reduction row 4096 x
// BOTH: kernels         3 -> 1
func.func @sum(%x: tensor<4096x1024xf32>, %y: tensor<4096x1024xf32>) -> (tensor<4096x1024xf32>, tensor<4096x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x1024xf32>
  %t = linalg.add ins(%x, %y : tensor<4096x1024xf32>, tensor<4096x1024xf32>) outs(%e : tensor<4096x1024xf32>) -> tensor<4096x1024xf32>
  %r = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<4096xf32>) -> tensor<4096xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<4096x1024xf32>) outs(%f : tensor<4096xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  } -> tensor<4096xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%t, %q : tensor<4096x1024xf32>, tensor<4096xf32>) outs(%e : tensor<4096x1024xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.divf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4096x1024xf32>
  return %t, %n : tensor<4096x1024xf32>, tensor<4096x1024xf32>
}
