// Sizes of dynamic types that are all known from others: two and two columns are
// four, which are the steps of the product, and so the rows of all tensors.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=max --size=0.0=4,1.0=4 | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --size=0.0=4,1.0=4 | FileCheck %s
// CHECK: main_0_matmul tile
// CHECK: verified{{ +}}yes
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<?x2xf32>, %b: tensor<?x3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %rows = tensor.dim %b, %c0 : tensor<?x3xf32>
  %both = tensor.concat dim(1) %a, %a : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x?xf32>
  %e = tensor.empty(%rows) : tensor<?x3xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %m = linalg.matmul ins(%both, %b : tensor<?x?xf32>, tensor<?x3xf32>) outs(%f : tensor<?x3xf32>) -> tensor<?x3xf32>
  %n = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.negf %v : f32
    linalg.yield %r : f32
  } -> tensor<?x3xf32>
  return %n, %m : tensor<?x3xf32>, tensor<?x3xf32>
}
