// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-bufferize-host
// RUN: not fuse-opt %s --fuse-bufferize-host=results=sometimes 2>&1 | FileCheck %s

// CHECK: error: expected option 'results' to be 'returned' or 'out-params', but got 'sometimes'

// Tensor computation outside of kernels never runs on the host silently.
func.func @compute(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected tensor computation to be inside a kernel, but got 'linalg.exp' in host code}}
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

func.func @kernel(%x: tensor<8xf32>, %e: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected kernels to be device code already, but got 'fuse.kernel'}}
  %r = fuse.kernel "exp" ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %o: tensor<8xf32>):
    %0 = math.exp %a : tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
