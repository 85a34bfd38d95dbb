// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// Rows of 33 elements begin within sectors: 32 rows are one range of 1056
// elements, copied by 16 bytes; a thread takes a whole row from shared memory.
// CHECK-LABEL: gpu.func @sum
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<64x33xf32>
// CHECK-SAME:    workgroup(%[[S:[a-z0-9]+]] : memref<1056xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64})
// CHECK-NOT:     memref.load
// CHECK:         %[[V:.+]] = vector.load {{.*}} {alignment = 16 : i64} : memref<2112xf32>, vector<4xf32>
// CHECK:         vector.store {{.*}}, %[[S]]{{.*}} {alignment = 16 : i64}
// CHECK:         gpu.barrier
// CHECK-COUNT-33: memref.load %[[S]]
// CHECK-NOT:     memref.load
// CHECK-NOT:     gpu.shuffle
// CHECK:         memref.store
// CHECK:         gpu.return
func.func @sum(%x: tensor<64x33xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = fuse.kernel "sum" ins(%x : tensor<64x33xf32>) outs(%e : tensor<64xf32>) -> (tensor<64xf32>) {
  ^bb0(%a: tensor<64x33xf32>, %o: tensor<64xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<64x33xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    fuse.yield %1 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
