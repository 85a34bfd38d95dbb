// RUN: fuse-opt %s --fuse-place-buffers --verify-diagnostics

// Before the host is bufferized there is nothing to place.
func.func @tensors(%x: tensor<8xf32>, %g: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{expected a launch on buffers, but got tensors: run 'fuse-bufferize-host' before}}
  %r = fuse.launch @k::@f grid(%g) block(%g) ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  return %r : tensor<8xf32>
}
