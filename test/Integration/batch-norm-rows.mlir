// Statistics of channels over images and places: a row is 32 runs of 3136
// elements, and a cluster of four blocks of 1024 threads keeps it. A thread has 64
// registers there, which have to do for the addresses, too.
// REQUIRES: ptxas
// RUN: fuse-run %s --no-run | FileCheck %s
// CHECK: main_0_reduction row 256 x 1024 {{[1-4][0-9]}} 0 {{[0-9]+}} 25.7 MB
// CHECK: kernels         4 -> 1
#full = affine_map<(n, c, i, j) -> (n, c, i, j)>
#channel = affine_map<(n, c, i, j) -> (c)>
func.func @main(%x: tensor<32x64x56x56xf32>, %scale: tensor<64xf32>, %shift: tensor<64xf32>) -> tensor<32x64x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 100352.0 : f32
  %eps = arith.constant 1.0e-05 : f32
  %e = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.generic {indexing_maps = [#full, #channel], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%x : tensor<32x64x56x56xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %mean = linalg.generic {indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>], iterator_types = ["parallel"]} ins(%sum : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.divf %a, %count : f32
    linalg.yield %m : f32
  } -> tensor<64xf32>
  %squares = linalg.generic {indexing_maps = [#full, #channel, #channel], iterator_types = ["reduction", "parallel", "reduction", "reduction"]} ins(%x, %mean : tensor<32x64x56x56xf32>, tensor<64xf32>) outs(%f : tensor<64xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %q = arith.mulf %d, %d : f32
    %s = arith.addf %q, %o : f32
    linalg.yield %s : f32
  } -> tensor<64xf32>
  %y = tensor.empty() : tensor<32x64x56x56xf32>
  %r = linalg.generic {indexing_maps = [#full, #channel, #channel, #channel, #channel, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%x, %mean, %squares, %scale, %shift : tensor<32x64x56x56xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%y : tensor<32x64x56x56xf32>) {
  ^bb0(%a: f32, %m: f32, %q: f32, %g: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %v = arith.divf %q, %count : f32
    %w = arith.addf %v, %eps : f32
    %i = math.rsqrt %w : f32
    %h = arith.mulf %d, %i : f32
    %k = arith.mulf %h, %g : f32
    %s = arith.addf %k, %b : f32
    linalg.yield %s : f32
  } -> tensor<32x64x56x56xf32>
  return %r : tensor<32x64x56x56xf32>
}
