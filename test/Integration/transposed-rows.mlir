// A row kernel stores its rows where a transpose wants them: the owner of an
// element of the input stores the element that is made of it, in one kernel.
// RUN: fuse-run %s | FileCheck %s
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes

func.func @main(%x: tensor<2x64x4x32xf32>) -> tensor<2x4x64x32xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<2x64x4xf32>
  %e = tensor.empty() : tensor<2x64x4x32xf32>
  %f0 = linalg.fill ins(%z : f32) outs(%e0 : tensor<2x64x4xf32>) -> tensor<2x64x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>, affine_map<(a,b,c,d)->(a,b,c)>], iterator_types = ["parallel","parallel","parallel","reduction"]} ins(%x : tensor<2x64x4x32xf32>) outs(%f0 : tensor<2x64x4xf32>) {
  ^bb0(%i: f32, %o: f32):
    %q = arith.mulf %i, %i : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<2x64x4xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(a,b,c,d)->(a,b,c,d)>, affine_map<(a,b,c,d)->(a,b,c)>, affine_map<(a,b,c,d)->(a,b,c,d)>], iterator_types = ["parallel","parallel","parallel","parallel"]} ins(%x, %s : tensor<2x64x4x32xf32>, tensor<2x64x4xf32>) outs(%e : tensor<2x64x4x32xf32>) {
  ^bb0(%i: f32, %m: f32, %o: f32):
    %q = math.rsqrt %m : f32
    %r = arith.mulf %i, %q : f32
    linalg.yield %r : f32
  } -> tensor<2x64x4x32xf32>
  %t0 = tensor.empty() : tensor<2x4x64x32xf32>
  %t = linalg.transpose ins(%n : tensor<2x64x4x32xf32>) outs(%t0 : tensor<2x4x64x32xf32>) permutation = [0, 2, 1, 3]
  return %t : tensor<2x4x64x32xf32>
}
