// What sizes that are known at run time only allow is asked in the kernel.
// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// Rows of unknown length: one launch of a block a row, and in the kernel a
// version for each kind of length. With whole vectors and small tensors the
// arithmetic is in 32 bits and accesses are of 16 bytes; a warp takes a short
// row, longer ones stay in the registers of the block, the longest are looped
// over; all other lengths go element by element.
// CHECK-LABEL: func @rows
// CHECK: %[[ROWS:.*]] = tensor.dim %{{.*}}, %c0
// CHECK: %[[COLUMNS:.*]] = tensor.dim %{{.*}}, %c1
// CHECK: fuse.launch @fuse_kernels{{.*}}::@r grid(%[[ROWS]]) block(%c256)
// CHECK: gpu.func @r(%{{.*}}: memref<f32>, %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index, %{{.*}}: memref<f32>){{.*}} nvvm.minctasm = {{[0-9]+}} : i32
// CHECK: arith.muli %{{.*}} : i64
// CHECK: arith.cmpi ule, %{{.*}}, %c1073741824
// CHECK: %[[REST:.*]] = arith.remui %[[M]], %c4
// CHECK: arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if
// CHECK-COUNT-8: vector.load {{.*}} vector<4xf32>
// CHECK: scf.for
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: } else {
// CHECK: scf.for
// CHECK-NOT: vector.load
// CHECK: gpu.return
func.func @rows(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = fuse.kernel "r" ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?xf32>):
    %zero = arith.constant 0.0 : f32
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?x?xf32>
    %i = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%i : tensor<?xf32>) -> tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
    ^bb0(%p: f32, %acc: f32):
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    fuse.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
