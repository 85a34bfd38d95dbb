// RUN: fuse-opt %s --split-input-file --fuse-isolate-groups --verify-diagnostics

// A size that only the kernel knows.
func.func @size(%x: tensor<4xindex>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  %ex = tensor.empty() : tensor<4xindex>
  %g = fuse.group -> (tensor<?xf32>) {
    %0 = linalg.map { arith.addi } ins(%x, %x : tensor<4xindex>, tensor<4xindex>)
        outs(%ex : tensor<4xindex>)
    %n = tensor.extract %0[%c0] : tensor<4xindex>
    %e = tensor.empty(%n) : tensor<?xf32>
    // expected-error @below {{the size of dimension 0 of a kernel's result is not known outside of it}}
    %1 = linalg.fill ins(%one : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %1 : tensor<?xf32>
  }
  return %g : tensor<?xf32>
}
