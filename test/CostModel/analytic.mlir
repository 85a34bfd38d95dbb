// What the analytic model makes of one fusion at a time: each term of it decides
// one of these.
// RUN: fuse-opt %s --fuse-print-groups -o /dev/null | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// Bytes: 64 MB in, 64 MB out at 0.91 x 4800 GB/s take 30.7 us; 1.3 us launch.
// CHECK-DAG: bytes_0_exp {{.*}} 67108864 {{ *}}67108864 {{ *}}16777216 {{ *}}3{{[2-4]}}{{[0-9][0-9][0-9]}} {{ *}}
func.func @bytes(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %e = tensor.empty() : tensor<4096x4096xf32>
  %a = linalg.exp ins(%x : tensor<4096x4096xf32>) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %a : tensor<4096x4096xf32>
}

// Launches: small kernels take the floor of 2 us, two of them 4 us.
// CHECK-DAG: producer-consumer{{ +}}yes{{ +}}-{{ +}}2000{{ +}}4000  floor:
func.func @floor(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// Recomputation: a chain of exponentials per row, evaluated for each of 4096
// columns, costs more than the 8 KB that a kernel of its own moves.
// CHECK-DAG: producer-consumer{{ +}}no{{ +}}-{{ +}}{{[0-9]+}}{{ +}}{{[0-9]+}}  recompute:{{[0-9]+}}:linalg.generic:
func.func @recompute(%x: tensor<4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf16>) outs(%e : tensor<4096xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = math.exp %in : f16
    %1 = math.exp %0 : f16
    %2 = math.exp %1 : f16
    %3 = math.exp %2 : f16
    %4 = math.exp %3 : f16
    %5 = math.exp %4 : f16
    %6 = math.exp %5 : f16
    %7 = math.exp %6 : f16
    linalg.yield %7 : f16
  } -> tensor<4096xf16>
  %f = tensor.empty() : tensor<4096x4096xf16>
  %r = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %y : tensor<4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<4096x4096xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.addf %a, %b : f16
    linalg.yield %0 : f16
  } -> tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// One addition per row instead is no reason for a kernel of its own.
// CHECK-DAG: producer-consumer{{ +}}yes{{ +}}-{{ +}}{{[0-9]+}}{{ +}}{{[0-9]+}}  cheap:
func.func @cheap(%x: tensor<4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096xf16>
  %p = linalg.add ins(%x, %x : tensor<4096xf16>, tensor<4096xf16>) outs(%e : tensor<4096xf16>) -> tensor<4096xf16>
  %f = tensor.empty() : tensor<4096x4096xf16>
  %r = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %y : tensor<4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<4096x4096xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.addf %a, %b : f16
    linalg.yield %0 : f16
  } -> tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// Footprints: a slice counts as far as it is read, a broadcast once, a table
// whole.
// CHECK-DAG: slice_0_exp {{.*}} 2 {{ *}}1024 {{ *}}1024
func.func @slice(%x: tensor<4096x16xf32>) -> tensor<16x16xf32> {
  %s = tensor.extract_slice %x[0, 0] [16, 16] [1, 1] : tensor<4096x16xf32> to tensor<16x16xf32>
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.exp ins(%s : tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %a : tensor<16x16xf32>
}
// CHECK-DAG: gather_0_{{.*}} 1 {{ *}}16448 {{ *}}512
func.func @gather(%t: tensor<256x16xf32>, %i: tensor<8xi64>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %a = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<8xi64>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%in: i64, %out: f32):
    %r = arith.index_cast %in : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %t[%r, %c] : tensor<256x16xf32>
    linalg.yield %v : f32
  } -> tensor<8x16xf32>
  return %a : tensor<8x16xf32>
}

// Flops: a matmul has two for each of its iterations.
// CHECK-DAG: flops_0_matmul {{ *}}contraction {{ *}}tile {{ *}}1 {{ *}}32768 {{ *}}16384 {{ *}}524288
func.func @flops(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = linalg.matmul ins(%x, %w : tensor<64x64xf32>, tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %a : tensor<64x64xf32>
}
