// Complex numbers between real elements are their two parts; undefined values
// beside tensors (here, of a border that is overwritten) go into kernels.
// RUN: fuse-run %s | FileCheck %s
// CHECK: {{^}}kernels{{ +}}4 -> 1
// CHECK: verified{{ +}}yes,
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e, %e : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32, %p: f32):
    %i = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>
    %c = complex.create %a, %b : complex<f32>
    %s = complex.mul %c, %i : complex<f32>
    %q = complex.exp %s : complex<f32>
    %re = complex.re %q : complex<f32>
    %m = complex.abs %c : complex<f32>
    linalg.yield %re, %m : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  %t = math.exp %r#0 : tensor<4xf32>
  %u = ub.poison : f32
  %w = tensor.pad %x low[2] high[2] {
  ^bb0(%i: index):
    tensor.yield %u : f32
  } : tensor<4xf32> to tensor<8xf32>
  %v = tensor.insert_slice %x into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %z = tensor.insert_slice %x into %v[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  return %t, %r#1, %z : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>
}
