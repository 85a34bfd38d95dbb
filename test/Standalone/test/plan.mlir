// RUN: tiny-opt %s --tiny-plan | FileCheck %s
// RUN: tiny-opt %s --tiny-lower-ops --fuse-form-groups=cost-model=never \
// RUN:   | FileCheck %s --check-prefix=NEVER

// The pipeline lowers our op, and our cost model, by which only bytes count,
// lets the two operators share a kernel.
// CHECK-LABEL: func.func @square_then_exp
// NEVER-LABEL: func.func @square_then_exp
func.func @square_then_exp(%x: tensor<64xf32>) -> tensor<64xf32> {
  // CHECK:     fuse.group
  // CHECK:       linalg.square
  // CHECK:       linalg.exp
  // CHECK-NOT: fuse.group
  // NEVER-COUNT-2: fuse.group
  %0 = tiny.square %x : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %1 = linalg.exp ins(%0 : tensor<64xf32>) outs(%e : tensor<64xf32>)
      -> tensor<64xf32>
  return %1 : tensor<64xf32>
}
