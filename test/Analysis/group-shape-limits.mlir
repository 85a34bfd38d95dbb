// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s
// RUN: %python %S/Inputs/halvings.py 14 | fuse-opt --fuse-print-group-shapes -o /dev/null | FileCheck %s --check-prefix=DEEP
// RUN: %python %S/Inputs/halvings.py 6 | fuse-opt --fuse-print-group-shapes -o /dev/null | FileCheck %s --check-prefix=FLAT

// Each of 14 levels is read at two places by the next: 2^14 places. Six levels
// are few enough.
// DEEP: fuse.group: refused by recompute-limit
// FLAT: fuse.group: pointwise 1 x 1

// CHECK: fuse.group: refused by no-output: nothing of the group is used outside
func.func @no_output(%x: tensor<8xf32>) {
  fuse.group {
    %e = tensor.empty() : tensor<8xf32>
    %0 = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield
  }
  return
}

func.func private @sort(tensor<8xf32>) -> tensor<8xf32>

// CHECK: fuse.group: refused by unsupported-op: 'func.call' has no code generation
func.func @unsupported(%x: tensor<8xf32>) -> tensor<8xf32> {
  %r = fuse.group -> (tensor<8xf32>) {
    %0 = func.call @sort(%x) : (tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
