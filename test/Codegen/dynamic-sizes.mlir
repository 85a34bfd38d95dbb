// Kernels with sizes that are known at run time only: the device function takes
// each size once, host code computes it and the grid.
// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>

// The two sizes come from the first operand that has them; the second operand
// has to fit. ceil(n * m / 1024) blocks.
// CHECK-LABEL: func @broadcast
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32>, %[[Y:.*]]: tensor<?xf32>, %[[E:.*]]: tensor<?x?xf32>
// CHECK-DAG: %[[N:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[M:.*]] = tensor.dim %[[X]], %c1
// CHECK: %[[OTHER:.*]] = tensor.dim %[[Y]], %c0
// CHECK: %[[FITS:.*]] = arith.cmpi eq, %[[OTHER]], %[[M]]
// CHECK: cf.assert %[[FITS]], "operands of kernel 'k' have sizes that do not fit together"
// CHECK: %[[ALL:.*]] = arith.muli %[[N]], %[[M]]
// CHECK: %[[MORE:.*]] = arith.addi %[[ALL]], %c1023
// CHECK: %[[GRID:.*]] = arith.divui %[[MORE]], %c1024
// CHECK: fuse.launch @fuse_kernels::@k grid(%[[GRID]]) block(%c256)
// CHECK-SAME: ins(%[[X]], %[[Y]], %[[N]], %[[M]] : tensor<?x?xf32>, tensor<?xf32>, index, index)
// CHECK-SAME: outs(%[[E]] : tensor<?x?xf32>)
// CHECK: gpu.func @k(%{{.*}}: memref<f32>, %{{.*}}: memref<f32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<f32>) kernel
func.func @broadcast(%x: tensor<?x?xf32>, %y: tensor<?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = fuse.kernel "k" ins(%x, %y : tensor<?x?xf32>, tensor<?xf32>) outs(%e : tensor<?x?xf32>) -> (tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %b: tensor<?xf32>, %o: tensor<?x?xf32>):
    %0 = linalg.generic {indexing_maps = [#id, #column, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : tensor<?x?xf32>, tensor<?xf32>) outs(%o : tensor<?x?xf32>) {
    ^bb0(%p: f32, %q: f32, %z: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    fuse.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
