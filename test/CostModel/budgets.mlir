// Budgets of fused kernels: each refuses what exceeds it, by its rule, and
// nothing that does not. A kernel of one operator is never refused.
// RUN: fuse-opt %s --fuse-print-groups -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-print-groups=max-registers=10 -o /dev/null | FileCheck %s --check-prefix=REGISTERS
// RUN: fuse-opt %s --fuse-print-groups=max-registers=200 -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-print-groups=max-shared-bytes=1 -o /dev/null | FileCheck %s --check-prefix=SHARED
// RUN: fuse-opt %s --fuse-print-groups=max-shared-bytes=49152 -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-print-groups=max-peak-bytes=33570816 -o /dev/null | FileCheck %s --check-prefix=NONE
// RUN: not fuse-opt %s --fuse-print-groups=max-registers=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: fuse-opt %s --fuse-plan="max-registers=10" | FileCheck %s --check-prefix=PLAN

// NONE: kernels 2 -> 1
// NONE-NOT: -budget
// NONE-NOT: peak-memory
// REGISTERS: kernels 2 -> 2
// REGISTERS: producer-consumer{{ +}}no{{ +}}register-budget{{.*}}the registers of a thread would be {{[0-9]+}}, but the budget is 10
// SHARED: kernels 2 -> 2
// SHARED: producer-consumer{{ +}}no{{ +}}shared-budget{{.*}}the bytes of shared memory of a block would be {{[0-9]+}}, but the budget is 1
// NEGATIVE: --max-registers option: '-1' value invalid
// PLAN-COUNT-2: fuse.group
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<1024x4096xf32>) -> tensor<1024x4096xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%er : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1024x4096xf32>) outs(%i : tensor<1024xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.addf %a, %acc : f32
    linalg.yield %0 : f32
  } -> tensor<1024xf32>
  %e = tensor.empty() : tensor<1024x4096xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1024x4096xf32>, tensor<1024xf32>) outs(%e : tensor<1024x4096xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<1024x4096xf32>
  return %r : tensor<1024x4096xf32>
}
