// The report of a plan, and the identities in it.
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{name=a100},fuse-form-groups{report=%t.json model=two})" -o /dev/null
// RUN: FileCheck %s --input-file=%t.json
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{report=- strategy=none})" -o /dev/null | FileCheck %s --check-prefix=NONE

// CHECK: "bytes": 65536,
// CHECK: "bytes_unfused": 131072,
// CHECK: "compulsory_bytes": 65536,
// CHECK: "cost_model": "analytic",
// CHECK: "decisions": [
// CHECK: "accepted": true,
// CHECK-NEXT: "bytes_saved": 65536,
// CHECK-NEXT: "consumer": "f:6:linalg.abs:{{.*}}form-groups-report.mlir:54:8",
// CHECK-NEXT: "cost_fused_ns": 2000,
// CHECK-NEXT: "cost_unfused_ns": 4000,
// CHECK-NEXT: "kind": "producer-consumer",
// CHECK-NEXT: "producer": "f:42:linalg.exp:{{.*}}form-groups-report.mlir:53:8",
// CHECK-NEXT: "reason": "saves 2000 ns: 2000 ns fused, 4000 ns apart",
// CHECK-NEXT: "rule": ""
// CHECK: "device": "a100",
// CHECK: "flops": 16384,
// CHECK: "groups": [
// CHECK: "bytes_read": 32768,
// CHECK: "bytes_written": 32768,
// CHECK: "class": "injective",
// CHECK: "counted_sectors": null,
// CHECK: "flops": 16384,
// CHECK: "name": "f_0_exp",
// CHECK: "ops": [
// CHECK-NEXT: "f:42:linalg.exp:
// CHECK-NEXT: "f:6:linalg.abs:
// CHECK: "path": "pointwise",
// CHECK: "predicted_ns": 2000,
// CHECK: "registers": null,
// CHECK: "registers_predicted": {{[0-9]+}},
// CHECK: "intermediates": 0,
// CHECK: "intermediates_unfused": 1,
// CHECK: "kernels": 1,
// CHECK: "kernels_unfused": 2,
// CHECK: "max_error": null,
// CHECK: "model": "two",
// CHECK: "seconds_planning":
// CHECK: "strategy": "greedy",
// CHECK: "verified": null

// NONE: "bytes": 131072,
// NONE: "decisions": [],
// NONE: "kernels": 2,
// NONE: "model": "form-groups-report",
// An ordinal of the input is kept.
func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp {fuse.ordinal = 42 : i64} ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}
