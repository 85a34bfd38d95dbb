// The budget of device memory bounds the peak of the whole program: what would
// raise it beyond the budget is refused, with both figures; what does not raise
// it is not, even if the budget is smaller. Two arguments of 4 MiB, one kernel
// each: 12 MiB at the second one (its argument and both results), 16 MiB if
// both are read by one launch.
// RUN: fuse-opt %s --fuse-print-groups -o /dev/null | FileCheck %s --check-prefix=FREE
// RUN: fuse-opt %s --fuse-print-groups=max-peak-bytes=16777216 -o /dev/null | FileCheck %s --check-prefix=FREE
// RUN: fuse-opt %s --fuse-print-groups=max-peak-bytes=12582912 -o /dev/null | FileCheck %s --check-prefix=TIGHT
// RUN: fuse-opt %s --fuse-print-groups="max-peak-bytes=12582912 strategy=optimal" -o /dev/null | FileCheck %s --check-prefix=TIGHT
// RUN: fuse-opt %s --fuse-plan="max-peak-bytes=12582912 report=-" -o /dev/null | FileCheck %s --check-prefix=REPORT
// RUN: fuse-opt %s --fuse-plan="max-peak-bytes=1" --remarks-filter="fuse-.*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not fuse-opt %s --fuse-plan="max-peak-bytes=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// FREE: kernels 4 -> 2
// FREE-NOT: device memory would
// TIGHT: kernels 4 -> 3
// TIGHT: independent{{ +}}no{{ +}}peak-memory{{.*}}the program's device memory would be 16777216 bytes at its peak, at 'linalg.{{[a-z]+}}' (now 12582912), but the budget is 12582912
// REPORT: "peak_bytes": 12582912,
// ABOVE: PeakAboveBudget{{.*}}Reason="the device memory of the plan is 12582912 bytes at its peak, but the budget is 1", budget=1, peakBytes=12582912
// NEGATIVE: max-peak-bytes{{.*}}'-1' value invalid
func.func @two(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> (tensor<1024x1024xf32>, tensor<1024x1024xf32>) {
  %e = tensor.empty() : tensor<1024x1024xf32>
  %x = linalg.exp ins(%a : tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %y = linalg.tanh ins(%b : tensor<1024x1024xf32>) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %x, %y : tensor<1024x1024xf32>, tensor<1024x1024xf32>
}

// A chain holds two tensors at a time, however many operators it has; one
// kernel of it holds no more. So it is fused, whatever the budget.
func.func @chain(%a: tensor<1024xf32>) -> tensor<1024xf32> {
  %e = tensor.empty() : tensor<1024xf32>
  %x = linalg.exp ins(%a : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  %y = linalg.tanh ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>) -> tensor<1024xf32>
  return %y : tensor<1024xf32>
}
