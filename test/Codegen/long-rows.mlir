// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// A row of 40000 f32 does not fit the registers of a block: it is read once
// into dynamic shared memory, and all loops read there. The exchange between
// warps uses the same memory.
// CHECK-LABEL: func.func @softmax
// CHECK:         %[[BYTES:.+]] = arith.constant 160128 : i32
// CHECK:         fuse.launch @fuse_kernels::@norm {{.*}} shared(%[[BYTES]])
// CHECK-LABEL: gpu.func @norm
// CHECK-NOT:     workgroup(
// CHECK:         %[[ALL:.+]] = gpu.dynamic_shared_memory
// CHECK:         %[[ROW:.+]] = memref.view %[[ALL]]{{.*}} to memref<40000xf32
// CHECK:         scf.for
// CHECK:           vector.load %{{.*}} : memref<8000000xf32>, vector<4xf32>
// CHECK:           vector.store %{{.*}}, %[[ROW]]
// CHECK:         gpu.barrier
// CHECK:         scf.for
// CHECK:           vector.load %[[ROW]]
// CHECK:         memref.view {{.*}} to memref<32xf32
// CHECK:         scf.for
// CHECK:           vector.load %[[ROW]]
// CHECK:           vector.store
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @softmax(%x: tensor<200x40000xf32>) -> tensor<200x40000xf32> {
  %e = tensor.empty() : tensor<200x40000xf32>
  %r = fuse.kernel "norm" ins(%x : tensor<200x40000xf32>) outs(%e : tensor<200x40000xf32>) -> (tensor<200x40000xf32>) {
  ^bb0(%a: tensor<200x40000xf32>, %o: tensor<200x40000xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<200xf32>
    %1 = tensor.empty() : tensor<200x40000xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<200xf32>) -> tensor<200xf32>
    %s = linalg.reduce { arith.addf } ins(%a : tensor<200x40000xf32>) outs(%f : tensor<200xf32>) dimensions = [1]
    %d = linalg.generic {indexing_maps = [#full, #row, #full],
                         iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<200x40000xf32>, tensor<200xf32>) outs(%1 : tensor<200x40000xf32>) {
    ^bb0(%in: f32, %sum: f32, %out: f32):
      %2 = arith.divf %in, %sum : f32
      linalg.yield %2 : f32
    } -> tensor<200x40000xf32>
    fuse.yield %d : tensor<200x40000xf32>
  }
  return %r : tensor<200x40000xf32>
}
