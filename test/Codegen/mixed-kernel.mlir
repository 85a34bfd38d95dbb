// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --split-input-file --canonicalize --cse --verify-diagnostics | FileCheck %s

// A row is read once, for its own sum and for those of the columns, which a
// thread carries from row to row. The last block of a team of sixteen combines what
// the team has, the last team all.
// CHECK-LABEL: func.func @main
// CHECK:         fuse.launch @fuse_kernels::@both {{.*}} outs(%{{.+}}, %{{.+}}, %{{.+}} : tensor<4096xf32>, tensor<256xf32>, tensor<65536xf32>)
// CHECK:       llvm.mlir.global internal @[[ALL:.+]]() {{.*}} : !llvm.array<1 x i32>
// CHECK:       llvm.mlir.global internal @both_arrivals() {{.*}} : !llvm.array<16 x i32>
// CHECK-LABEL: gpu.func @both
// CHECK-SAME:    (%{{.+}}: memref<4096x256xf32>, %[[ROWS:.+]]: memref<4096xf32>, %[[COLUMNS:.+]]: memref<256xf32>, %[[PARTS:.+]]: memref<65536xf32>)
// CHECK-DAG:     %[[TEAM:.+]] = llvm.mlir.addressof @both_arrivals :
// CHECK-DAG:     %[[EVERY:.+]] = llvm.mlir.addressof @[[ALL]] :
// CHECK:         %[[SUMS:.+]]:8 = scf.for
// CHECK-COUNT-2:   vector.load {{.*}} vector<4xf32>
// CHECK-NOT:       vector.load
// CHECK:           gpu.shuffle
// CHECK:           memref.store {{.*}} %[[ROWS]]
// CHECK:           scf.yield
// CHECK:         gpu.barrier
// CHECK:         vector.store {{.*}} %[[PARTS]]
// CHECK:         llvm.getelementptr %[[TEAM]]
// CHECK:         llvm.atomicrmw uinc_wrap
// CHECK:         scf.if
// CHECK:           vector.load %[[PARTS]]
// CHECK:           vector.store {{.*}} %[[PARTS]]
// CHECK:           llvm.atomicrmw uinc_wrap %[[EVERY]]
// CHECK:           scf.if
// CHECK:             vector.load %[[PARTS]]
// CHECK:             vector.store {{.*}} %[[COLUMNS]]
func.func @main(%x: tensor<4096x256xf32>, %e: tensor<4096xf32>, %g: tensor<256xf32>) -> (tensor<4096xf32>, tensor<256xf32>) {
  %r:2 = fuse.kernel "both" ins(%x : tensor<4096x256xf32>) outs(%e, %g : tensor<4096xf32>, tensor<256xf32>) -> (tensor<4096xf32>, tensor<256xf32>) {
  ^bb0(%a: tensor<4096x256xf32>, %o: tensor<4096xf32>, %p: tensor<256xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<4096xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<4096xf32>) -> tensor<4096xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<4096x256xf32>) outs(%f : tensor<4096xf32>) dimensions = [1]
    %2 = tensor.empty() : tensor<256xf32>
    %h = linalg.fill ins(%zero : f32) outs(%2 : tensor<256xf32>) -> tensor<256xf32>
    %3 = linalg.reduce { arith.addf } ins(%a : tensor<4096x256xf32>) outs(%h : tensor<256xf32>) dimensions = [0]
    fuse.yield %1, %3 : tensor<4096xf32>, tensor<256xf32>
  }
  return %r#0, %r#1 : tensor<4096xf32>, tensor<256xf32>
}

// -----

// Of 32 rows at once a thread adds up those of its columns in a loop, whose
// code and registers do not grow with their number.
// CHECK-LABEL: gpu.func @short
// CHECK:         vector.load {{.*}} vector<4xf32>
// CHECK:         gpu.barrier
// CHECK:         vector.load {{.*}} vector<4xf32>
// CHECK-NOT:     vector.load
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           vector.load {{.*}} vector<4xf32>
// CHECK-NOT:       vector.load
// CHECK:           scf.yield
// CHECK-NOT:     vector.load
// CHECK:         gpu.return
func.func @short_rows(%x: tensor<16x32xf32>, %e: tensor<16xf32>, %g: tensor<32xf32>) -> (tensor<16xf32>, tensor<32xf32>) {
  %r:2 = fuse.kernel "short" ins(%x : tensor<16x32xf32>) outs(%e, %g : tensor<16xf32>, tensor<32xf32>) -> (tensor<16xf32>, tensor<32xf32>) {
  ^bb0(%a: tensor<16x32xf32>, %o: tensor<16xf32>, %p: tensor<32xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<16xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<16xf32>) -> tensor<16xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<16x32xf32>) outs(%f : tensor<16xf32>) dimensions = [1]
    %2 = tensor.empty() : tensor<32xf32>
    %h = linalg.fill ins(%zero : f32) outs(%2 : tensor<32xf32>) -> tensor<32xf32>
    %3 = linalg.reduce { arith.addf } ins(%a : tensor<16x32xf32>) outs(%h : tensor<32xf32>) dimensions = [0]
    fuse.yield %1, %3 : tensor<16xf32>, tensor<32xf32>
  }
  return %r#0, %r#1 : tensor<16xf32>, tensor<32xf32>
}

// -----

// Rows that are shared by 48 threads: no butterfly of shuffles combines them.
func.func @odd(%x: tensor<64x192xf32>, %e: tensor<64xf32>, %g: tensor<192xf32>) -> (tensor<64xf32>, tensor<192xf32>) {
  // expected-error @below {{has a layout that gives no rows to blocks}}
  %r:2 = fuse.kernel "both" ins(%x : tensor<64x192xf32>) outs(%e, %g : tensor<64xf32>, tensor<192xf32>) -> (tensor<64xf32>, tensor<192xf32>) attributes {
      schedule = #fuse.schedule<mixed, rows = 64, columns = 192, grid = 1, threads = 48, positions = 64, vector = 4, residency = registers, layout = (b, t, p, e) -> (b * 64 + p, t * 4 + e)>} {
  ^bb0(%a: tensor<64x192xf32>, %o: tensor<64xf32>, %p: tensor<192xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<64x192xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %2 = tensor.empty() : tensor<192xf32>
    %h = linalg.fill ins(%zero : f32) outs(%2 : tensor<192xf32>) -> tensor<192xf32>
    %3 = linalg.reduce { arith.addf } ins(%a : tensor<64x192xf32>) outs(%h : tensor<192xf32>) dimensions = [0]
    fuse.yield %1, %3 : tensor<64xf32>, tensor<192xf32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<192xf32>
}
