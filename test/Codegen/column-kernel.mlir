// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --split-input-file --canonicalize --cse --verify-diagnostics | FileCheck %s

// Threads lie along the rows, four each, with accesses of 16 bytes. The eight
// threads of a row exchange through shared memory, behind one barrier. Blocks
// that share rows leave partial results in scratch memory that the launch gets
// beside its outputs; the last one to count itself combines them.
// CHECK-LABEL: func.func @main
// CHECK:         %[[SCRATCH:.+]] = tensor.empty() : tensor<12288xf32>
// CHECK:         %[[R:.+]]:2 = fuse.launch @fuse_kernels::@sum {{.*}} outs(%{{.+}}, %[[SCRATCH]] : tensor<768xf32>, tensor<12288xf32>)
// CHECK:         return %[[R]]#0
// CHECK:       llvm.mlir.global internal @sum_arrivals() {addr_space = 1 : i32, alignment = 4 : i64} : !llvm.array<6 x i32>
// CHECK:         llvm.mlir.zero
// CHECK-LABEL: gpu.func @sum
// CHECK-SAME:    (%[[X:.+]]: memref<1024x768xf32>, %[[OUT:.+]]: memref<768xf32>, %[[PARTS:.+]]: memref<12288xf32>)
// CHECK-NOT:     scf.for
// CHECK-COUNT-8: vector.load {{.*}} : memref<786432xf32>, vector<4xf32>
// CHECK:         vector.store {{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:         gpu.barrier
// CHECK-COUNT-8: vector.load {{.*}} : memref<1024xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK-NOT:     gpu.barrier
// CHECK:         scf.if
// CHECK:           vector.store {{.*}} %[[PARTS]]
// CHECK:         gpu.barrier
// CHECK:         scf.if
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:           llvm.atomicrmw uinc_wrap {{.*}} syncscope("device") monotonic
// CHECK:           llvm.fence syncscope("device") acq_rel
// CHECK:         llvm.call_intrinsic "llvm.nvvm.barrier.cta.red.or.aligned.all"
// CHECK:         scf.if
// CHECK:           vector.load %[[PARTS]]
// CHECK:           vector.store {{.*}} %[[OUT]]
func.func @main(%x: tensor<1024x768xf32>, %e: tensor<768xf32>) -> tensor<768xf32> {
  %r = fuse.kernel "sum" ins(%x : tensor<1024x768xf32>) outs(%e : tensor<768xf32>) -> (tensor<768xf32>) {
  ^bb0(%a: tensor<1024x768xf32>, %o: tensor<768xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<768xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<768xf32>) -> tensor<768xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<1024x768xf32>) outs(%f : tensor<768xf32>) dimensions = [0]
    fuse.yield %1 : tensor<768xf32>
  }
  return %r : tensor<768xf32>
}

// -----

// A layout of the user's that gives a row to two blocks, and the same columns
// to both, is no strip of rows.
func.func @overlap(%x: tensor<64x128xf32>, %e: tensor<128xf32>) -> tensor<128xf32> {
  // expected-error @below {{has a layout that gives no rows to threads}}
  %r = fuse.kernel "sum" ins(%x : tensor<64x128xf32>) outs(%e : tensor<128xf32>) -> (tensor<128xf32>) attributes {
      schedule = #fuse.schedule<column, rows = 128, columns = 64, grid = 2, threads = 32, positions = 64, vector = 4, residency = none, layout = (b, t, p, e) -> (t * 4 + e, p)>} {
  ^bb0(%a: tensor<64x128xf32>, %o: tensor<128xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<128xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<128xf32>) -> tensor<128xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<64x128xf32>) outs(%f : tensor<128xf32>) dimensions = [0]
    fuse.yield %1 : tensor<128xf32>
  }
  return %r : tensor<128xf32>
}
