// The 1024 blocks of this norm are a few more than fit the device at a time. They
// take memory no two waves: fewer blocks keep it as busy. So the norm stays one
// kernel, although the second of two would find its operand in L2.
// RUN: fuse-opt %s --fuse-form-groups --fuse-print-groups 2>&1 | FileCheck %s

// CHECK: main_0_reduction reduction row 3 {{.*}} 14290 72
// CHECK-NEXT: kernels 1 -> 1
func.func @main(%x: tensor<4096x1024xf32>, %sc: tensor<1024xf32>, %sh: tensor<1024xf32>) -> tensor<4096x1024xf32> {
%z = arith.constant 0.0 : f32
%e1 = tensor.empty() : tensor<4096xf32>
%f1 = linalg.fill ins(%z : f32) outs(%e1 : tensor<4096xf32>) -> tensor<4096xf32>
%sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4096x1024xf32>) outs(%f1 : tensor<4096xf32>) {
^bb0(%x0: f32, %o0: f32):
%r = arith.addf %x0, %o0 : f32
linalg.yield %r : f32
} -> tensor<4096xf32>
%sq = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %sum : tensor<4096x1024xf32>, tensor<4096xf32>) outs(%f1 : tensor<4096xf32>) {
^bb0(%x0: f32, %x1: f32, %o0: f32):
%n = arith.constant 1024.0 : f32
%m = arith.divf %x1, %n : f32
%d = arith.subf %x0, %m : f32
%q = arith.mulf %d, %d : f32
%r = arith.addf %q, %o0 : f32
linalg.yield %r : f32
} -> tensor<4096xf32>
%e2 = tensor.empty() : tensor<4096x1024xf32>
%y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %sum, %sq, %sc, %sh : tensor<4096x1024xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<1024xf32>, tensor<1024xf32>) outs(%e2 : tensor<4096x1024xf32>) {
^bb0(%x0: f32, %x1: f32, %x2: f32, %x3: f32, %x4: f32, %o: f32):
%n = arith.constant 1024.0 : f32
%m = arith.divf %x1, %n : f32
%d = arith.subf %x0, %m : f32
%v = arith.divf %x2, %n : f32
%c = arith.constant 1.0e-05 : f32
%s = arith.addf %v, %c : f32
%i = math.rsqrt %s : f32
%h = arith.mulf %d, %i : f32
%g = arith.mulf %h, %x3 : f32
%r = arith.addf %g, %x4 : f32
linalg.yield %r : f32
} -> tensor<4096x1024xf32>
return %y : tensor<4096x1024xf32>
}
