// Every decision is a remark; docs/Remarks.md shows these.
// RUN: fuse-opt %s --fuse-form-groups --remarks-filter="fuse-.*" -o /dev/null 2>&1 | FileCheck %s
// RUN: fuse-opt %s --fuse-form-groups -o /dev/null 2>&1 | count 0
// RUN: fuse-opt %s --fuse-form-groups --remarks-filter="fuse-.*" --remark-format=yaml --remarks-output-file=%t.yaml -o /dev/null
// RUN: FileCheck %s --check-prefix=YAML --input-file=%t.yaml

// YAML: --- !Passed
// YAML: Pass: fuse-form-groups
// YAML: Name: Fused
// YAML: Function: fused

// Fused: the price of one kernel is below that of two.
// CHECK: remark: [Passed] Fused | Category:fuse-form-groups | Function=fused
// CHECK-SAME: Reason="saves 2000 ns: 2000 ns fused, 4000 ns apart"
// CHECK-SAME: bytesSaved=65536, costFusedNs=2000, costUnfusedNs=4000, kind=producer-consumer
func.func @fused(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}

// NotProfitable: a power for each row would be taken for each element.
// CHECK: remark: [Missed] NotProfitable | Category:fuse-form-groups | Function=not_profitable
// CHECK-SAME: Reason="{{[0-9]+}} ns fused, {{[0-9]+}} ns apart"
// CHECK-SAME: costFusedNs={{[0-9]+}}, costUnfusedNs={{[0-9]+}}, kind=producer-consumer
func.func @not_profitable(%x: tensor<4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf16>) outs(%e : tensor<4096xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = math.sin %in : f16
    %1 = math.powf %0, %0 : f16
    %2 = math.sin %1 : f16
    %3 = math.powf %2, %2 : f16
    linalg.yield %3 : f16
  } -> tensor<4096xf16>
  %f = tensor.empty() : tensor<4096x4096xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %y : tensor<4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<4096x4096xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.addf %a, %b : f16
    linalg.yield %0 : f16
  } -> tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

// IllegalFusion: the rule is a metric.
// CHECK: remark: [Missed] IllegalFusion | Category:fuse-form-groups | Function=illegal
// CHECK-SAME: costFusedNs=unknown
// CHECK-SAME: kind=producer-consumer, rule=opaque
func.func private @sort(tensor<64xf32>) -> tensor<64xf32>
func.func @illegal(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = func.call @sort(%a) : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}
