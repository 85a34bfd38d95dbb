// The results of a tile are found in its registers where its rows carry into
// the digits behind them (rows of 64 in images of 56 lines): only the loop of the
// product is there, none that computes single elements again.
// RUN: fuse-opt %s --fuse-plan --fuse-groups-to-gpu | FileCheck %s
// CHECK: gpu.func
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: gpu.return
#m2 = affine_map<(d0,d1)->(d0,d1)>
#b2 = affine_map<(d0,d1)->(d1)>
#m4 = affine_map<(d0,d1,d2,d3)->(d0,d1,d2,d3)>
func.func @main(%x: tensor<4x56x56x128xf16>, %w: tensor<128x512xf16>, %bias: tensor<512xf32>) -> tensor<4x56x56x512xf16> {
  %z = arith.constant 0.0 : f32
  %a = tensor.collapse_shape %x [[0,1,2],[3]] : tensor<4x56x56x128xf16> into tensor<12544x128xf16>
  %e = tensor.empty() : tensor<12544x512xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<12544x512xf32>) -> tensor<12544x512xf32>
  %m = linalg.matmul ins(%a, %w : tensor<12544x128xf16>, tensor<128x512xf16>) outs(%f : tensor<12544x512xf32>) -> tensor<12544x512xf32>
  %e6 = tensor.empty() : tensor<12544x512xf16>
  %s = linalg.generic {indexing_maps=[#m2,#b2,#m2], iterator_types=["parallel","parallel"]} ins(%m, %bias : tensor<12544x512xf32>, tensor<512xf32>) outs(%e6 : tensor<12544x512xf16>) {
  ^bb0(%p: f32, %q: f32, %o: f16):
    %r = arith.addf %p, %q : f32
    %t = arith.truncf %r : f32 to f16
    linalg.yield %t : f16
  } -> tensor<12544x512xf16>
  %x4 = tensor.expand_shape %s [[0,1,2],[3]] output_shape [4,56,56,512] : tensor<12544x512xf16> into tensor<4x56x56x512xf16>
  %e4 = tensor.empty() : tensor<4x56x56x512xf16>
  %c2 = arith.constant 2.0 : f16
  %c1 = arith.constant 1.0 : f16
  %ch = arith.constant 0.5 : f16
  %g = linalg.generic {indexing_maps=[#m4,#m4], iterator_types=["parallel","parallel","parallel","parallel"]} ins(%x4 : tensor<4x56x56x512xf16>) outs(%e4 : tensor<4x56x56x512xf16>) {
  ^bb0(%in: f16, %out: f16):
      %60 = math.sqrt %c2 : f16
      %61 = arith.divf %in, %60 : f16
      %62 = math.erf %61 : f16
      %63 = arith.addf %62, %c1 : f16
      %64 = arith.mulf %63, %ch : f16
      %65 = arith.mulf %in, %64 : f16
      linalg.yield %65 : f16
  } -> tensor<4x56x56x512xf16>
  return %g : tensor<4x56x56x512xf16>
}
