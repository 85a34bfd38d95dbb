// The tables of a plan; the IR stays as it is.
// RUN: fuse-opt %s --fuse-print-groups | FileCheck %s
// RUN: fuse-opt %s --fuse-print-groups="decisions=false strategy=none" -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-form-groups --fuse-print-groups -o /dev/null | FileCheck %s --check-prefix=AFTER
// RUN: not fuse-opt %s --fuse-print-groups=strategy=luck 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not fuse-opt %s --fuse-print-groups=mode=luck 2>&1 | FileCheck %s --check-prefix=MODE

// CHECK: groups
// CHECK-NEXT: name{{ +}}class{{ +}}path{{ +}}ops{{ +}}bytes read{{ +}}bytes written
// CHECK-NEXT: f_0_exp{{ +}}injective{{ +}}pointwise{{ +}}2{{ +}}32768{{ +}}32768{{ +}}16384{{ +}}2000
// CHECK-NEXT: kernels 2 -> 1, intermediates 1 -> 0, bytes 131072 -> 65536 (compulsory 65536)
// CHECK-NEXT: decisions
// CHECK: producer-consumer{{ +}}yes{{ +}}-{{ +}}2000{{ +}}4000  f:{{[0-9]+}}:linalg.exp:
// CHECK: func.func @f
// CHECK-NOT: fuse.group
// NONE: kernels 2 -> 2
// NONE-NOT: decisions
// AFTER: f_0_exp{{ +}}injective{{ +}}pointwise{{ +}}2
// AFTER: kernels 1 -> 1
// STRATEGY: error: expected strategy greedy, optimal, max, none, policy-xla, policy-tvm, policy-inductor, policy-nvfuser or policy-iree, but got 'luck'
// MODE: error: expected mode 'all', 'producer-consumer' or 'sibling', but got 'luck'
func.func @f(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}
