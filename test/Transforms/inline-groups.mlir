// RUN: fuse-opt %s --fuse-inline-groups | FileCheck %s
// RUN: fuse-opt %s --fuse-isolate-groups --fuse-inline-groups | FileCheck %s --check-prefix=BACK

// CHECK-LABEL: func @all
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[O:.*]]: tensor<4xf32>)
// CHECK: %[[A:.*]] = linalg.exp ins(%[[X]] : tensor<4xf32>) outs(%[[O]]
// CHECK: %[[B:.*]] = linalg.abs ins(%[[A]] : tensor<4xf32>) outs(%[[O]]
// CHECK: return %[[B]], %[[A]]
// CHECK-NOT: fuse.
// BACK-LABEL: func @all
// BACK: linalg.exp
// BACK: linalg.abs
// BACK-NOT: fuse.
func.func @all(%x: tensor<4xf32>, %o: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %g = fuse.group "g" -> (tensor<4xf32>) {
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>)
        -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  %b = fuse.boundary %g : tensor<4xf32>
  %k = fuse.kernel "k" ins(%b : tensor<4xf32>) outs(%o : tensor<4xf32>)
      -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %d: tensor<4xf32>):
    %0 = linalg.abs ins(%a : tensor<4xf32>) outs(%d : tensor<4xf32>)
        -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %k, %b : tensor<4xf32>, tensor<4xf32>
}
