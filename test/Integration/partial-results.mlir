// A result that an operator does not write element by element keeps what it
// starts from: it runs on the host, between kernels.
// RUN: fuse-run %s --entry=diagonal | FileCheck %s
// CHECK: verified {{ *}}yes

func.func @diagonal(%x: tensor<6xf32>) -> tensor<6x6xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6x6xf32>
  %ones = linalg.fill ins(%one : f32) outs(%e : tensor<6x6xf32>)
      -> tensor<6x6xf32>
  %exp = math.exp %x : tensor<6xf32>
  %0 = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>],
      iterator_types = ["parallel"]}
      ins(%exp : tensor<6xf32>) outs(%ones : tensor<6x6xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
  } -> tensor<6x6xf32>
  %1 = math.absf %0 : tensor<6x6xf32>
  return %1 : tensor<6x6xf32>
}
