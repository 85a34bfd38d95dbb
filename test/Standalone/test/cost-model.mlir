// RUN: tiny-opt %s --fuse-print-groups=cost-model=tiny{launch-ns=7} \
// RUN:   | FileCheck %s
// RUN: not tiny-opt %s --fuse-form-groups=cost-model=tiny{launch-us=7} 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OPTION
// RUN: not fuse-opt %s --fuse-form-groups=cost-model=tiny 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN

// Our cost model is found by its name, takes options and sets the price:
// 7 ns and one for each of the 512 bytes. It is ours alone: fuse-opt has none.

// CHECK: 519
// OPTION: cost model 'tiny': expected launch-ns=INTEGER, but got 'launch-us=7'
// UNKNOWN: error: {{.*}}'tiny'
func.func @exp(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>)
      -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
