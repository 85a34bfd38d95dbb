// What sizes that are known at run time only allow is asked in the kernel.
// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --split-input-file | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>

// Rows of unknown length: one launch of a block a row, or, for a sum over a long
// one, as many blocks as fill a device; and in the kernel a version for each kind of
// length. With whole vectors and small tensors the
// arithmetic is in 32 bits and accesses are of 16 bytes; a warp takes a short
// row, longer ones stay in the registers of the block, the longest are looped
// over; all other lengths go element by element, and of short ones a block has
// eight rows or 32.
// CHECK-LABEL: func @rows
// CHECK: %[[ROWS:.*]] = tensor.dim %{{.*}}, %c0
// CHECK: %[[COLUMNS:.*]] = tensor.dim %{{.*}}, %c1
// CHECK: %[[TEAMS:.*]] = arith.maxui %[[ROWS]], %c1
// CHECK: %[[MOST:.*]] = arith.divui %c512, %[[TEAMS]]
// CHECK: %[[MORE:.*]] = arith.addi %[[COLUMNS]], %c4095
// CHECK: %[[STEPS:.*]] = arith.divui %[[MORE]], %c4096
// CHECK: %[[WORTH:.*]] = arith.divui %[[STEPS]], %c2
// CHECK: %[[EACH:.*]] = arith.minui %[[MOST]], %[[WORTH]]
// CHECK: %[[PARTS:.*]] = arith.maxui %[[EACH]], %c1
// CHECK: %[[BLOCKS:.*]] = arith.muli %[[ROWS]], %[[PARTS]]
// CHECK: %[[SHORT:.*]] = arith.cmpi ult, %{{.*}}, %c128
// CHECK: arith.divui %{{.*}}, %c8
// CHECK: %[[FEW:.*]] = arith.select %[[SHORT]], %{{.*}}, %[[BLOCKS]]
// CHECK: fuse.launch @fuse_kernels{{.*}}::@r grid(%{{.*}}) block(%c256)
// CHECK: gpu.func @r(%{{.*}}: memref<f32>, %[[N:[a-z0-9]+]]: index, %[[M:[a-z0-9]+]]: index, %{{.*}}: memref<f32>, %{{.*}}: memref<f32>){{.*}} nvvm.minctasm = {{[0-9]+}} : i32
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

// -----

#id = affine_map<(i, j) -> (i, j)>

// A sum over the outer dimension: strips of 128 rows or, of few rows, of 32, and as
// many blocks for each as fill a device and have columns. The kernel asks the same.
// CHECK-LABEL: func @columns
// CHECK: %[[STEPS:.*]] = tensor.dim %{{.*}}, %c0
// CHECK: %[[WIDTH:.*]] = tensor.dim %{{.*}}, %c1
// CHECK: arith.addi %[[WIDTH]], %c31
// CHECK: %[[FEW:.*]] = arith.cmpi ule, %[[WIDTH]], %c64
// CHECK: arith.addi %[[WIDTH]], %c127
// CHECK: %[[GRID:.*]] = arith.select %[[FEW]]
// CHECK: %[[BLOCKS:.*]] = arith.minui %[[GRID]], %c512
// CHECK: %[[PLACES:.*]] = arith.muli %[[BLOCKS]], %c128
// CHECK: tensor.empty(%[[PLACES]]) : tensor<?xf32>
// CHECK: fuse.launch @fuse_kernels{{.*}}::@s grid(%[[GRID]]) block(%c256)
// CHECK: gpu.func @s(
// CHECK: arith.cmpi ule, %{{.*}}, %c1073741824
// CHECK: arith.remui %{{.*}}, %c4
// CHECK: gpu.grid_dim x
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: llvm.atomicrmw uinc_wrap
// CHECK: gpu.grid_dim x
// CHECK: gpu.return
func.func @columns(%x: tensor<?x?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %r = fuse.kernel "s" ins(%x : tensor<?x?xf32>) outs(%e : tensor<?xf32>) -> (tensor<?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?xf32>):
    %zero = arith.constant 0.0 : f32
    %c1 = arith.constant 1 : index
    %n = tensor.dim %a, %c1 : tensor<?x?xf32>
    %i = tensor.empty(%n) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%i : tensor<?xf32>) -> tensor<?xf32>
    %0 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
        ins(%a : tensor<?x?xf32>) outs(%f : tensor<?xf32>) {
    ^bb0(%p: f32, %acc: f32):
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<?xf32>
    fuse.yield %0 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// -----

// A transpose: boxes of 32 x 32, with accesses of 16 bytes on both sides of shared
// memory if both sizes allow them.
// CHECK-LABEL: func @transpose
// CHECK: %[[N:.*]] = tensor.dim %{{.*}}, %c0
// CHECK: %[[M:.*]] = tensor.dim %{{.*}}, %c1
// CHECK: %[[M31:.*]] = arith.addi %[[M]], %c31
// CHECK: %[[DOWN:.*]] = arith.divui %[[M31]], %c32
// CHECK: %[[N31:.*]] = arith.addi %[[N]], %c31
// CHECK: %[[ACROSS:.*]] = arith.divui %[[N31]], %c32
// CHECK: %[[BOXES:.*]] = arith.muli %[[DOWN]], %[[ACROSS]]
// CHECK: fuse.launch @fuse_kernels{{.*}}::@t grid(%[[BOXES]])
// CHECK: gpu.func @t({{.*}}, %[[P:[a-z0-9]+]]: index, %[[Q:[a-z0-9]+]]: index, {{.*}}) kernel
// CHECK-DAG: arith.remui %[[P]], %c4
// CHECK-DAG: arith.remui %[[Q]], %c4
// CHECK: scf.if
// CHECK: vector.load {{.*}} vector<4xf32>
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} vector<4xf32>
// CHECK: } else {
// CHECK-NOT: vector.
// CHECK: gpu.barrier
// CHECK-NOT: vector.
// CHECK: gpu.return
func.func @transpose(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = fuse.kernel "t" ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> (tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %0 = linalg.transpose ins(%a : tensor<?x?xf32>) outs(%o : tensor<?x?xf32>) permutation = [1, 0]
    fuse.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// -----

// Windows over an image of unknown size: indices are divided in 32 bits where no
// tensor is too large.
// CHECK-LABEL: gpu.func @w(
// CHECK: arith.cmpi ule, %{{.*}}, %c1073741824
// CHECK: scf.if
// CHECK: arith.remui %{{.*}} : i32
// CHECK-NOT: arith.remui %{{.*}} : i64
// CHECK: } else {
// CHECK: arith.remui %{{.*}} : i64
// CHECK: gpu.return
func.func @windows(%x: tensor<?x?xf32>, %e: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = fuse.kernel "w" ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> (tensor<?x?xf32>) {
  ^bb0(%a: tensor<?x?xf32>, %o: tensor<?x?xf32>):
    %low = arith.constant 0xFF800000 : f32
    %f = linalg.fill ins(%low : f32) outs(%o : tensor<?x?xf32>) -> tensor<?x?xf32>
    %k = tensor.empty() : tensor<3xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(i, j, w) -> (i, j + w)>, affine_map<(i, j, w) -> (w)>, affine_map<(i, j, w) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %k : tensor<?x?xf32>, tensor<3xf32>) outs(%f : tensor<?x?xf32>) {
    ^bb0(%p: f32, %q: f32, %m: f32):
      %s = arith.maximumf %p, %m : f32
      linalg.yield %s : f32
    } -> tensor<?x?xf32>
    fuse.yield %0 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
