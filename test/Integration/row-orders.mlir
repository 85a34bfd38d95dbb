// Rows of two reductions in different orders, for a transpose lies in between: one
// kernel, in which a row is that of the later one.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// CHECK: {{^}}main_0_reduction row
// CHECK: {{^}}kernels{{.*}} 4 -> 1{{$}}
// CHECK: {{^}}verified{{ +}}yes
#id = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#swap = affine_map<(a, b, c) -> (b, a, c)>
func.func @main(%x: tensor<5x7x33xf32>) -> (tensor<7x5x33xf32>, tensor<5x7xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<5x7xf32>
  %f0 = linalg.fill ins(%low : f32) outs(%e0 : tensor<5x7xf32>) -> tensor<5x7xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x : tensor<5x7x33xf32>) outs(%f0 : tensor<5x7xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<5x7xf32>
  %e1 = tensor.empty() : tensor<7x5x33xf32>
  %e = linalg.generic {indexing_maps = [#swap, affine_map<(a, b, c) -> (b, a)>, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %m : tensor<5x7x33xf32>, tensor<5x7xf32>) outs(%e1 : tensor<7x5x33xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    %r = math.exp %s : f32
    linalg.yield %r : f32
  } -> tensor<7x5x33xf32>
  %e2 = tensor.empty() : tensor<7x5xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<7x5xf32>) -> tensor<7x5xf32>
  %l = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%e : tensor<7x5x33xf32>) outs(%f2 : tensor<7x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<7x5xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%e, %l : tensor<7x5x33xf32>, tensor<7x5xf32>) outs(%e1 : tensor<7x5x33xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<7x5x33xf32>
  return %p, %m : tensor<7x5x33xf32>, tensor<5x7xf32>
}
