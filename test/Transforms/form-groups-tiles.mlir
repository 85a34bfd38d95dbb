// The report of a plan names the tiles of contractions and attentions as they will
// be emitted for the device: as chosen, as asked for, and none for other kernels.
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{report=%t.json strategy=none})" -o /dev/null
// RUN: FileCheck %s --input-file=%t.json
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{name=t4},fuse-form-groups{report=%t.old.json strategy=none})" -o /dev/null
// RUN: FileCheck %s --input-file=%t.old.json --check-prefix=OLD
// RUN: %python %S/../Integration/Inputs/make_attention.py --dtype f16 --queries 512 --keys 512 --size 64 | fuse-opt --fuse-plan=report=%t.attention.json -o /dev/null
// RUN: FileCheck %s --input-file=%t.attention.json --check-prefix=ATTENTION

// CHECK: "name": "main_0_matmul"
// CHECK: "tiles": [
// CHECK: "column_warps": {{[0-9]+}},
// CHECK: "unit": "mma"
// CHECK: "name": "main_1_matmul"
// CHECK: "tiles": [
// CHECK-NEXT: {
// CHECK-NEXT: "column_warps": 1,
// CHECK-NEXT: "columns": 64,
// CHECK-NEXT: "depth": 32,
// CHECK-NEXT: "parts": 1,
// CHECK-NEXT: "row_warps": 4,
// CHECK-NEXT: "rows": 128,
// CHECK-NEXT: "stages": 2,
// CHECK-NEXT: "unit": "mma"
// CHECK-NEXT: }
// CHECK-NEXT: ]
// CHECK: "name": "main_2_exp"
// CHECK: "tiles": []

// OLD: "name": "main_0_matmul"
// OLD: "unit": "fma"

// ATTENTION: "path": "attention"
// ATTENTION: "tiles": [
// ATTENTION: "columns": {{16|32|64}},
// ATTENTION-NEXT: "depth": 64,
// ATTENTION: "unit": "mma"
func.func @main(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> (tensor<256x256xf32>, tensor<256x256xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %m = linalg.matmul ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  %n = linalg.matmul {fuse.tile = #fuse.tile<rows = 128, columns = 64, depth = 32, row_warps = 4, column_warps = 1, stages = 2, group = 1, parts = 1, unit = mma, async = true>} ins(%b, %a : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  %x = linalg.exp ins(%m : tensor<256x256xf32>) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %n, %x : tensor<256x256xf32>, tensor<256x256xf32>
}
