// RUN: fuse-opt %s --fuse-select-schedules | FileCheck %s --check-prefix=SCHEDULE
// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu | FileCheck %s

// All parts have the threads of the largest: the row of 3000 gets 256, so the
// elements do, too.
// SCHEDULE-LABEL: func @parts
// SCHEDULE: #fuse.schedule<packed, grid = 7, threads = 256, parts = [
// SCHEDULE-SAME: #fuse.schedule<pointwise, rows = 5000, columns = 1, grid = 5, threads = 256, positions = 1, vector = 4,
// SCHEDULE-SAME: #fuse.schedule<row, rows = 2, columns = 3000, grid = 2, threads = 256, positions = 3, vector = 4, residency = registers, layout = (d0, d1, d2, d3) -> (d0, (d2 * 256 + d1) * 4 + d3)>]>

// The blocks of a part are numbered from 0 again. Barriers are in one branch
// whose condition is the same for all threads of a block; shared memory is
// dynamic, so that the parts use the same bytes.
// CHECK-LABEL: gpu.func @parts
// CHECK-NOT: workgroup(
// CHECK: %[[ID:.*]] = gpu.block_id x
// CHECK: %[[BLOCK:.*]] = arith.index_cast %[[ID]] : index to i32
// CHECK: %[[FIRST:.*]] = arith.cmpi sle, %[[BLOCK]], %c4_i32
// CHECK: %[[ROW:.*]] = arith.addi %[[BLOCK]], %c-5_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NOT: gpu.barrier
// CHECK: vector.store
// CHECK: } else {
// CHECK: arith.muli %[[ROW]], %c3000_i32
// CHECK: gpu.dynamic_shared_memory
// CHECK: gpu.barrier
// CHECK: gpu.return
func.func @parts(%x: tensor<5000xf32>, %y: tensor<2x3000xf32>,
                 %o: tensor<5000xf32>, %p: tensor<2xf32>)
    -> (tensor<5000xf32>, tensor<2xf32>) {
  %r:2 = fuse.kernel "parts" ins(%x, %y : tensor<5000xf32>, tensor<2x3000xf32>)
      outs(%o, %p : tensor<5000xf32>, tensor<2xf32>)
      -> (tensor<5000xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<5000xf32>, %b: tensor<2x3000xf32>, %c: tensor<5000xf32>,
       %d: tensor<2xf32>):
    %zero = arith.constant 0.0 : f32
    %e1_ = tensor.empty() : tensor<5000xf32>
    %0 = linalg.negf ins(%a : tensor<5000xf32>) outs(%e1_ : tensor<5000xf32>) -> tensor<5000xf32>
    %e = tensor.empty() : tensor<2xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
    %1 = linalg.reduce ins(%b : tensor<2x3000xf32>) outs(%f : tensor<2xf32>)
        dimensions = [1] (%v: f32, %acc: f32) {
      %s = arith.addf %v, %acc : f32
      linalg.yield %s : f32
    }
    fuse.yield %0, %1 : tensor<5000xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<5000xf32>, tensor<2xf32>
}

// A part without elements has a block that does nothing.
// CHECK-LABEL: gpu.func @no_elements
// CHECK: scf.if %{{.*}} {
// CHECK-NEXT: } else {
// CHECK: memref.store
func.func @no_elements(%x: tensor<0xf32>, %y: tensor<7xf32>, %o: tensor<0xf32>,
                       %p: tensor<7xf32>) -> (tensor<0xf32>, tensor<7xf32>) {
  %r:2 = fuse.kernel "no_elements" ins(%x, %y : tensor<0xf32>, tensor<7xf32>)
      outs(%o, %p : tensor<0xf32>, tensor<7xf32>)
      -> (tensor<0xf32>, tensor<7xf32>) {
  ^bb0(%a: tensor<0xf32>, %b: tensor<7xf32>, %c: tensor<0xf32>,
       %d: tensor<7xf32>):
    %e2_ = tensor.empty() : tensor<0xf32>
    %0 = linalg.negf ins(%a : tensor<0xf32>) outs(%e2_ : tensor<0xf32>) -> tensor<0xf32>
    %e3_ = tensor.empty() : tensor<7xf32>
    %1 = linalg.negf ins(%b : tensor<7xf32>) outs(%e3_ : tensor<7xf32>) -> tensor<7xf32>
    fuse.yield %0, %1 : tensor<0xf32>, tensor<7xf32>
  }
  return %r#0, %r#1 : tensor<0xf32>, tensor<7xf32>
}
