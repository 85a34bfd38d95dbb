// A gate and what it opens, from one contraction with the weights of both: halves of
// a projection (SwiGLU), its even and odd columns, those for one row, and channels of
// a causal 1-D convolution. One kernel each.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/halves.mlir | FileCheck %s --check-prefixes=TILE,ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/interleaved.mlir | FileCheck %s --check-prefixes=TILE,ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/row.mlir | FileCheck %s --check-prefixes=ROW,ONE
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/convolution.mlir | FileCheck %s --check-prefixes=TILE,ONE
// TILE: main_0_{{.*}} tile
// ROW: main_0_{{.*}} row
// ONE: kernels {{.*}}-> 1
// ONE: verified{{ +}}yes

//--- halves.mlir
func.func @main(%arg0: tensor<64x96xf16>, %arg1: tensor<96x96xf16>, %arg2: tensor<96xf16>) -> (tensor<64x48xf16>) {
  %c1 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<64x96xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<64x96xf32>) -> tensor<64x96xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d2)>, affine_map<(d0,d1,d2) -> (d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<64x96xf16>, tensor<96x96xf16>) outs(%f3 : tensor<64x96xf32>) {
  ^bb0(%b4i0: f16, %b4i1: f16, %b4o0: f32):
    %t5 = arith.extf %b4i0 : f16 to f32
    %t6 = arith.extf %b4i1 : f16 to f32
    %t7 = arith.mulf %t5, %t6 : f32
    %t8 = arith.addf %b4o0, %t7 : f32
    linalg.yield %t8 : f32
  } -> tensor<64x96xf32>
  %e10 = tensor.empty() : tensor<64x96xf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9, %arg2 : tensor<64x96xf32>, tensor<96xf16>) outs(%e10 : tensor<64x96xf16>) {
  ^bb0(%b11i0: f32, %b11i1: f16, %b11o0: f16):
    %t12 = arith.truncf %b11i0 : f32 to f16
    %t13 = arith.addf %t12, %b11i1 : f16
    linalg.yield %t13 : f16
  } -> tensor<64x96xf16>
  %e15 = tensor.empty() : tensor<64x96xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v14 : tensor<64x96xf16>) outs(%e15 : tensor<64x96xf32>) {
  ^bb0(%b16i0: f16, %b16o0: f32):
    %t17 = arith.extf %b16i0 : f16 to f32
    linalg.yield %t17 : f32
  } -> tensor<64x96xf32>
  %v19 = tensor.extract_slice %v18[0, 0] [64, 48] [1, 1] : tensor<64x96xf32> to tensor<64x48xf32>
  %v20 = tensor.extract_slice %v18[0, 48] [64, 48] [1, 1] : tensor<64x96xf32> to tensor<64x48xf32>
  %e21 = tensor.empty() : tensor<64x48xf16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v19, %v20 : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e21 : tensor<64x48xf16>) {
  ^bb0(%b22i0: f32, %b22i1: f32, %b22o0: f16):
    %t23 = arith.negf %b22i0 : f32
    %t24 = math.exp %t23 : f32
    %t25 = arith.constant 1.0 : f32
    %t26 = arith.addf %t24, %t25 : f32
    %t27 = arith.divf %b22i0, %t26 : f32
    %t28 = arith.mulf %t27, %b22i1 : f32
    %t29 = arith.truncf %t28 : f32 to f16
    linalg.yield %t29 : f16
  } -> tensor<64x48xf16>
  return %v30 : tensor<64x48xf16>
}

//--- interleaved.mlir
func.func @main(%arg0: tensor<33x96xf16>, %arg1: tensor<100x96xf16>, %arg2: tensor<100xf16>) -> (tensor<33x50xf16>) {
  %c1 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<33x100xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<33x100xf32>) -> tensor<33x100xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d2)>, affine_map<(d0,d1,d2) -> (d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<33x96xf16>, tensor<100x96xf16>) outs(%f3 : tensor<33x100xf32>) {
  ^bb0(%b4i0: f16, %b4i1: f16, %b4o0: f32):
    %t5 = arith.extf %b4i0 : f16 to f32
    %t6 = arith.extf %b4i1 : f16 to f32
    %t7 = arith.mulf %t5, %t6 : f32
    %t8 = arith.addf %b4o0, %t7 : f32
    linalg.yield %t8 : f32
  } -> tensor<33x100xf32>
  %e10 = tensor.empty() : tensor<33x100xf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9, %arg2 : tensor<33x100xf32>, tensor<100xf16>) outs(%e10 : tensor<33x100xf16>) {
  ^bb0(%b11i0: f32, %b11i1: f16, %b11o0: f16):
    %t12 = arith.truncf %b11i0 : f32 to f16
    %t13 = arith.addf %t12, %b11i1 : f16
    linalg.yield %t13 : f16
  } -> tensor<33x100xf16>
  %e15 = tensor.empty() : tensor<33x100xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v14 : tensor<33x100xf16>) outs(%e15 : tensor<33x100xf32>) {
  ^bb0(%b16i0: f16, %b16o0: f32):
    %t17 = arith.extf %b16i0 : f16 to f32
    linalg.yield %t17 : f32
  } -> tensor<33x100xf32>
  %v19 = tensor.extract_slice %v18[0, 0] [33, 50] [1, 2] : tensor<33x100xf32> to tensor<33x50xf32>
  %v20 = tensor.extract_slice %v18[0, 1] [33, 50] [1, 2] : tensor<33x100xf32> to tensor<33x50xf32>
  %e21 = tensor.empty() : tensor<33x50xf16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v19, %v20 : tensor<33x50xf32>, tensor<33x50xf32>) outs(%e21 : tensor<33x50xf16>) {
  ^bb0(%b22i0: f32, %b22i1: f32, %b22o0: f16):
    %t23 = arith.negf %b22i0 : f32
    %t24 = math.exp %t23 : f32
    %t25 = arith.constant 1.0 : f32
    %t26 = arith.addf %t24, %t25 : f32
    %t27 = arith.divf %b22i0, %t26 : f32
    %t28 = arith.mulf %t27, %b22i1 : f32
    %t29 = arith.truncf %t28 : f32 to f16
    linalg.yield %t29 : f16
  } -> tensor<33x50xf16>
  return %v30 : tensor<33x50xf16>
}

//--- row.mlir
func.func @main(%arg0: tensor<1x96xf16>, %arg1: tensor<96x96xf16>, %arg2: tensor<96xf16>) -> (tensor<1x48xf16>) {
  %c1 = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<1x96xf32>
  %f3 = linalg.fill ins(%c1 : f32) outs(%e2 : tensor<1x96xf32>) -> tensor<1x96xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d2)>, affine_map<(d0,d1,d2) -> (d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<1x96xf16>, tensor<96x96xf16>) outs(%f3 : tensor<1x96xf32>) {
  ^bb0(%b4i0: f16, %b4i1: f16, %b4o0: f32):
    %t5 = arith.extf %b4i0 : f16 to f32
    %t6 = arith.extf %b4i1 : f16 to f32
    %t7 = arith.mulf %t5, %t6 : f32
    %t8 = arith.addf %b4o0, %t7 : f32
    linalg.yield %t8 : f32
  } -> tensor<1x96xf32>
  %e10 = tensor.empty() : tensor<1x96xf16>
  %v14 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9, %arg2 : tensor<1x96xf32>, tensor<96xf16>) outs(%e10 : tensor<1x96xf16>) {
  ^bb0(%b11i0: f32, %b11i1: f16, %b11o0: f16):
    %t12 = arith.truncf %b11i0 : f32 to f16
    %t13 = arith.addf %t12, %b11i1 : f16
    linalg.yield %t13 : f16
  } -> tensor<1x96xf16>
  %e15 = tensor.empty() : tensor<1x96xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v14 : tensor<1x96xf16>) outs(%e15 : tensor<1x96xf32>) {
  ^bb0(%b16i0: f16, %b16o0: f32):
    %t17 = arith.extf %b16i0 : f16 to f32
    linalg.yield %t17 : f32
  } -> tensor<1x96xf32>
  %v19 = tensor.extract_slice %v18[0, 0] [1, 48] [1, 1] : tensor<1x96xf32> to tensor<1x48xf32>
  %v20 = tensor.extract_slice %v18[0, 48] [1, 48] [1, 1] : tensor<1x96xf32> to tensor<1x48xf32>
  %e21 = tensor.empty() : tensor<1x48xf16>
  %v30 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v19, %v20 : tensor<1x48xf32>, tensor<1x48xf32>) outs(%e21 : tensor<1x48xf16>) {
  ^bb0(%b22i0: f32, %b22i1: f32, %b22o0: f16):
    %t23 = arith.negf %b22i0 : f32
    %t24 = math.exp %t23 : f32
    %t25 = arith.constant 1.0 : f32
    %t26 = arith.addf %t24, %t25 : f32
    %t27 = arith.divf %b22i0, %t26 : f32
    %t28 = arith.mulf %t27, %b22i1 : f32
    %t29 = arith.truncf %t28 : f32 to f16
    linalg.yield %t29 : f16
  } -> tensor<1x48xf16>
  return %v30 : tensor<1x48xf16>
}

//--- convolution.mlir
func.func @main(%arg0: tensor<2x16x50xf16>, %arg1: tensor<64x16x3xf16>) -> (tensor<2x32x50xf32>) {
  %c1 = arith.constant 0.0 : f16
  %v2 = tensor.pad %arg0 low[0,0,4] high[0,0,0] {
  ^bb0(%v2p0: index, %v2p1: index, %v2p2: index):
    tensor.yield %c1 : f16
  } : tensor<2x16x50xf16> to tensor<2x16x54xf16>
  %c3 = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<2x64x50xf32>
  %f5 = linalg.fill ins(%c3 : f32) outs(%e4 : tensor<2x64x50xf32>) -> tensor<2x64x50xf32>
  %v11 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2,d3,d4) -> (d0,d3,d2*1+d4*2)>, affine_map<(d0,d1,d2,d3,d4) -> (d1,d3,d4)>, affine_map<(d0,d1,d2,d3,d4) -> (d0,d1,d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%v2, %arg1 : tensor<2x16x54xf16>, tensor<64x16x3xf16>) outs(%f5 : tensor<2x64x50xf32>) {
  ^bb0(%b6i0: f16, %b6i1: f16, %b6o0: f32):
    %t7 = arith.extf %b6i0 : f16 to f32
    %t8 = arith.extf %b6i1 : f16 to f32
    %t9 = arith.mulf %t7, %t8 : f32
    %t10 = arith.addf %b6o0, %t9 : f32
    linalg.yield %t10 : f32
  } -> tensor<2x64x50xf32>
  %v12 = tensor.extract_slice %v11[0, 0, 0] [2, 32, 50] [1, 1, 1] : tensor<2x64x50xf32> to tensor<2x32x50xf32>
  %v13 = tensor.extract_slice %v11[0, 32, 0] [2, 32, 50] [1, 1, 1] : tensor<2x64x50xf32> to tensor<2x32x50xf32>
  %e14 = tensor.empty() : tensor<2x32x50xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v12, %v13 : tensor<2x32x50xf32>, tensor<2x32x50xf32>) outs(%e14 : tensor<2x32x50xf32>) {
  ^bb0(%b15i0: f32, %b15i1: f32, %b15o0: f32):
    %t16 = math.tanh %b15i0 : f32
    %t17 = arith.mulf %t16, %b15i1 : f32
    linalg.yield %t17 : f32
  } -> tensor<2x32x50xf32>
  return %v18 : tensor<2x32x50xf32>
}

