// An attention is no part of a packed kernel: what has nothing to do with it stays
// a kernel of its own.
// RUN: fuse-opt %s --fuse-plan=cost-model=always | FileCheck %s

// CHECK: fuse.group "beside_0_injective" -> (tensor<i1>)
// CHECK: fuse.yield
// CHECK: fuse.group "beside_1_contraction" -> (tensor<2x2x4xf32>)
// CHECK: fuse.yield
// CHECK-NOT: fuse.group

func.func @beside(%a0: tensor<2x2x8xf32>, %a1: tensor<2x40x8xf32>, %a2: tensor<2x40x4xf32>) -> (tensor<2x2x4xf32>, tensor<1xi1>) {
  %t0_e0 = tensor.empty() : tensor<1xi1>
  %v0 = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      outs(%t0_e0 : tensor<1xi1>) {
    ^bb0(%o0: i1):
      %b0 = linalg.index 0 : index
      %b1 = arith.index_cast %b0 : index to i64
      %b2 = arith.constant 31 : i64
      %b3 = arith.andi %b1, %b2 : i64
      %b4 = arith.constant 16 : i64
      %b5 = arith.subi %b3, %b4 : i64
      %b6 = arith.sitofp %b5 : i64 to f64
      %b7 = arith.constant 1.250000e-01 : f64
      %b8 = arith.mulf %b6, %b7 : f64
      %b9 = arith.addi %b1, %b1 : i64
      %b10 = arith.trunci %b1 : i64 to i1
      linalg.yield %b10 : i1
  } -> tensor<1xi1>
  %t1_a0 = arith.constant 0.0 : f32
  %t1_a1 = tensor.empty() : tensor<2x2x40xf32>
  %t1_a2 = linalg.fill ins(%t1_a0 : f32) outs(%t1_a1 : tensor<2x2x40xf32>) -> tensor<2x2x40xf32>
  %t1_a3 = linalg.generic {indexing_maps = [affine_map<(b, q, k, d) -> (b, q, d)>, affine_map<(b, q, k, d) -> (b, k, d)>, affine_map<(b, q, k, d) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<2x2x8xf32>, tensor<2x40x8xf32>) outs(%t1_a2 : tensor<2x2x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %o, %p : f32
  linalg.yield %s : f32
  } -> tensor<2x2x40xf32>
  %t1_a4 = tensor.empty() : tensor<2x2x40xf32>
  %t1_a5 = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t1_a3 : tensor<2x2x40xf32>) outs(%t1_a4 : tensor<2x2x40xf32>) {
  ^bb0(%a: f32, %o: f32):
  %c = arith.constant 0.5 : f32
  %x = arith.mulf %a, %c : f32
  linalg.yield %x : f32
  } -> tensor<2x2x40xf32>
  %t1_a6 = arith.constant 0xFF800000 : f32
  %t1_a7 = tensor.empty() : tensor<2x2xf32>
  %t1_a8 = linalg.fill ins(%t1_a6 : f32) outs(%t1_a7 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %t1_a9 = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, q)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t1_a5 : tensor<2x2x40xf32>) outs(%t1_a8 : tensor<2x2xf32>) {
  ^bb0(%a: f32, %o: f32):
  %r = arith.maxnumf %a, %o : f32
  linalg.yield %r : f32
  } -> tensor<2x2xf32>
  %t1_a10 = tensor.empty() : tensor<2x2x40xf32>
  %t1_a11 = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, q)>, affine_map<(b, q, k) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t1_a5, %t1_a9 : tensor<2x2x40xf32>, tensor<2x2xf32>) outs(%t1_a10 : tensor<2x2x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
  %d = arith.subf %a, %b : f32
  %r = math.exp %d : f32
  linalg.yield %r : f32
  } -> tensor<2x2x40xf32>
  %t1_a12 = arith.constant 0.0 : f32
  %t1_a13 = tensor.empty() : tensor<2x2xf32>
  %t1_a14 = linalg.fill ins(%t1_a12 : f32) outs(%t1_a13 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %t1_a15 = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, q)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%t1_a11 : tensor<2x2x40xf32>) outs(%t1_a14 : tensor<2x2xf32>) {
  ^bb0(%a: f32, %o: f32):
  %r = arith.addf %a, %o : f32
  linalg.yield %r : f32
  } -> tensor<2x2xf32>
  %t1_a16 = tensor.empty() : tensor<2x2x40xf32>
  %t1_a17 = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, q)>, affine_map<(b, q, k) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t1_a11, %t1_a15 : tensor<2x2x40xf32>, tensor<2x2xf32>) outs(%t1_a16 : tensor<2x2x40xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
  %r = arith.divf %a, %b : f32
  linalg.yield %r : f32
  } -> tensor<2x2x40xf32>
  %t1_a18 = arith.constant 0.0 : f32
  %t1_a19 = tensor.empty() : tensor<2x2x4xf32>
  %t1_a20 = linalg.fill ins(%t1_a18 : f32) outs(%t1_a19 : tensor<2x2x4xf32>) -> tensor<2x2x4xf32>
  %t1_a21 = linalg.generic {indexing_maps = [affine_map<(b, q, d, k) -> (b, q, k)>, affine_map<(b, q, d, k) -> (b, k, d)>, affine_map<(b, q, d, k) -> (b, q, d)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%t1_a17, %a2 : tensor<2x2x40xf32>, tensor<2x40x4xf32>) outs(%t1_a20 : tensor<2x2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
  %p = arith.mulf %a, %b : f32
  %s = arith.addf %o, %p : f32
  linalg.yield %s : f32
  } -> tensor<2x2x4xf32>
  %t1_a22 = tensor.empty() : tensor<2x2x4xf32>
  %v1 = linalg.generic {indexing_maps = [affine_map<(b, q, k) -> (b, q, k)>, affine_map<(b, q, k) -> (b, q, k)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%t1_a21 : tensor<2x2x4xf32>) outs(%t1_a22 : tensor<2x2x4xf32>) {
  ^bb0(%a: f32, %o: f32):
  linalg.yield %a : f32
  } -> tensor<2x2x4xf32>
  return %v1, %v0 : tensor<2x2x4xf32>, tensor<1xi1>
}
