// Sums of f16 and bf16 in f32, where `fuse.half_sums` allows it: the innermost
// operator, function or module that has it counts.
// RUN: fuse-opt %s --fuse-normalize-ops | FileCheck %s
// RUN: fuse-opt %s --fuse-normalize-ops=half-sums=f32 | FileCheck %s --check-prefix=ALL
// RUN: fuse-opt %s --fuse-normalize-ops=half-sums=source | FileCheck %s --check-prefix=NONE
// RUN: not fuse-opt %s --fuse-normalize-ops=half-sums=f64 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: expected half-sums to be source or f32, but got 'f64'

// One kernel each, on matrix units, right values; sums as the source has them on
// multiply-adds.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=unmarked --half-sums=f32 | FileCheck %s --check-prefix=RIGHT
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=marked | FileCheck %s --check-prefix=RIGHT
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=convolution --half-sums=f32 | FileCheck %s --check-prefix=RIGHT
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=dynamic --half-sums=f32 --size=0.0=5 | FileCheck %s --check-prefix=RIGHT
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=rows --half-sums=f32 | FileCheck %s --check-prefix=RIGHT
// RUN: not fuse-run %s --entry=rows --half-sums=f64 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: fuse-opt %s --fuse-plan=half-sums=f32 --fuse-isolate-groups --fuse-select-schedules | FileCheck %s --check-prefix=UNIT
// RUN: fuse-opt %s --fuse-plan --fuse-isolate-groups --fuse-select-schedules | FileCheck %s --check-prefix=SOURCE
// RUN: fuse-explain %s --report=%t.json --half-sums=f32
// RUN: FileCheck %s --check-prefix=EXPLAIN --input-file=%t.json
// RIGHT: {{^}}kernels{{.*}} -> 8{{$}}
// RIGHT: {{^}}verified{{ +}}yes
// VALUE: error: --half-sums: expected source or f32, but got 'f64'
// UNIT: fuse.kernel "unmarked_0_matmul"
// UNIT-SAME: unit = mma
// SOURCE: fuse.kernel "unmarked_0_matmul"
// SOURCE-SAME: unit = fma
// EXPLAIN: "name": "unmarked_0_matmul"
// EXPLAIN: "unit": "mma"

// CHECK-LABEL: @unmarked
// CHECK: linalg.matmul {{.*}} outs({{.*}} : tensor<16x24xbf16>)
// NONE-LABEL: @unmarked
// NONE: linalg.matmul {{.*}} outs({{.*}} : tensor<16x24xbf16>)
// ALL-LABEL: @unmarked
// ALL-SAME: fuse.half_sums = "f32"
// ALL: %[[INIT:.*]] = linalg.fill {{.*}}outs({{.*}} : tensor<16x24xf32>)
// ALL: %[[SUM:.*]] = linalg.matmul {{.*}} ins({{.*}} : tensor<16x32xbf16>, tensor<32x24xbf16>) outs(%[[INIT]] : tensor<16x24xf32>)
// ALL: linalg.generic {{.*}} ins(%[[SUM]] : tensor<16x24xf32>) outs({{.*}} : tensor<16x24xbf16>)
// ALL: arith.truncf
func.func @unmarked(%a: tensor<16x32xbf16>, %b: tensor<32x24xbf16>) -> tensor<16x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<16x24xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<16x24xbf16>) -> tensor<16x24xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<16x32xbf16>, tensor<32x24xbf16>) outs(%f : tensor<16x24xbf16>) -> tensor<16x24xbf16>
  return %r : tensor<16x24xbf16>
}

// An initial value that is computed is widened, too.
// CHECK-LABEL: @marked
// CHECK: %[[INIT:.*]] = linalg.generic
// CHECK: arith.extf
// CHECK: linalg.matmul {{.*}} outs(%[[INIT]] : tensor<16x24xf32>)
// CHECK: arith.truncf
func.func @marked(%a: tensor<16x32xf16>, %b: tensor<32x24xf16>, %c: tensor<16x24xf16>) -> tensor<16x24xf16> attributes {fuse.half_sums = "f32"} {
  %r = linalg.matmul ins(%a, %b : tensor<16x32xf16>, tensor<32x24xf16>) outs(%c : tensor<16x24xf16>) -> tensor<16x24xf16>
  return %r : tensor<16x24xf16>
}

// CHECK-LABEL: @taken_back
// CHECK-NOT: f32
// CHECK: return
// ALL-LABEL: @taken_back
// ALL: linalg.matmul {{.*}} outs({{.*}} : tensor<16x24xf16>)
func.func @taken_back(%a: tensor<16x32xf16>, %b: tensor<32x24xf16>, %c: tensor<16x24xf16>) -> tensor<16x24xf16> {
  %r = linalg.matmul {fuse.half_sums = "source"} ins(%a, %b : tensor<16x32xf16>, tensor<32x24xf16>) outs(%c : tensor<16x24xf16>) -> tensor<16x24xf16>
  return %r : tensor<16x24xf16>
}

// What is to be a kernel of its own stays as it is; a tile is for the sum alone.
// ALL-LABEL: @alone
// ALL: linalg.matmul {{.*}} outs({{.*}} : tensor<16x24xf16>)
func.func @alone(%a: tensor<16x32xf16>, %b: tensor<32x24xf16>, %c: tensor<16x24xf16>) -> tensor<16x24xf16> {
  %r = linalg.matmul {fuse.never_fuse} ins(%a, %b : tensor<16x32xf16>, tensor<32x24xf16>) outs(%c : tensor<16x24xf16>) -> tensor<16x24xf16>
  return %r : tensor<16x24xf16>
}

// ALL-LABEL: @tiled
// ALL: linalg.generic
// ALL-NOT: fuse.tile
// ALL: linalg.matmul {{.*}}fuse.tile
// ALL: linalg.generic
// ALL-NOT: fuse.tile
func.func @tiled(%a: tensor<16x32xf16>, %b: tensor<32x24xf16>, %c: tensor<16x24xf16>) -> tensor<16x24xf16> {
  %r = linalg.matmul {fuse.tile = #fuse.tile<rows = 16, columns = 32, depth = 64, row_warps = 1, column_warps = 1, stages = 3, group = 1, parts = 1, unit = mma, async = true>} ins(%a, %b : tensor<16x32xf16>, tensor<32x24xf16>) outs(%c : tensor<16x24xf16>) -> tensor<16x24xf16>
  return %r : tensor<16x24xf16>
}

// ALL-LABEL: @convolution
// ALL: linalg.conv_2d_nhwc_hwcf {{.*}} outs({{.*}} : tensor<1x6x6x8xf32>)
func.func @convolution(%a: tensor<1x8x8x8xf16>, %b: tensor<3x3x8x8xf16>) -> tensor<1x6x6x8xf16> {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<1x6x6x8xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<1x6x6x8xf16>) -> tensor<1x6x6x8xf16>
  %r = linalg.conv_2d_nhwc_hwcf ins(%a, %b : tensor<1x8x8x8xf16>, tensor<3x3x8x8xf16>) outs(%f : tensor<1x6x6x8xf16>) -> tensor<1x6x6x8xf16>
  return %r : tensor<1x6x6x8xf16>
}

// ALL-LABEL: @dynamic
// ALL: linalg.matmul {{.*}} outs({{.*}} : tensor<?x24xf32>)
func.func @dynamic(%a: tensor<?x32xbf16>, %b: tensor<32x24xbf16>) -> tensor<?x24xbf16> {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x32xbf16>
  %e = tensor.empty(%n) : tensor<?x24xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x24xbf16>) -> tensor<?x24xbf16>
  %r = linalg.matmul ins(%a, %b : tensor<?x32xbf16>, tensor<32x24xbf16>) outs(%f : tensor<?x24xbf16>) -> tensor<?x24xbf16>
  return %r : tensor<?x24xbf16>
}

// Other sums; what is no sum, or one of another type, stays.
// ALL-LABEL: @rows
// ALL: linalg.reduce {{.*}}ins({{.*}} : tensor<40x64xbf16>) outs({{.*}} : tensor<40xf32>)
// ALL: arith.extf {{.*}} : bf16 to f32
// ALL: arith.addf {{.*}} : f32
// ALL: linalg.reduce {{.*}}arith.maximumf{{.*}} outs({{.*}} : tensor<40xbf16>)
func.func @rows(%x: tensor<40x64xbf16>) -> (tensor<40xbf16>, tensor<40xbf16>) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<40xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<40xbf16>) -> tensor<40xbf16>
  %s = linalg.reduce {arith.addf} ins(%x : tensor<40x64xbf16>) outs(%f : tensor<40xbf16>) dimensions = [1]
  %m = linalg.reduce {arith.maximumf} ins(%x : tensor<40x64xbf16>) outs(%f : tensor<40xbf16>) dimensions = [1]
  return %s, %m : tensor<40xbf16>, tensor<40xbf16>
}
