// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// Value and place are exchanged together, behind one barrier; of equal values
// the one of the smaller place is kept. Within a thread the elements come in
// order, so that a comparison is enough. Only the initial values are left to
// compare with in the end.
// CHECK-LABEL: gpu.func @argmax
// CHECK:         %[[X:[^ ,]+]] = vector.load {{.*}} vector<4xf32>
// CHECK-NOT:     scf.for
// CHECK:         %[[BETTER:[^ ,]+]] = arith.cmpf ogt, %[[V1:[^ ,]+]], %[[V0:[^ ,]+]] : f32
// CHECK:         arith.select %{{.+}}, %[[V1]], %[[V0]] : f32
// CHECK:         %[[P:[^ ,]+]], %{{[^ ,]+}} = gpu.shuffle  xor %[[OWNP:[^ ,]+]], {{.*}} : i32
// CHECK:         %[[V:[^ ,]+]], %{{[^ ,]+}} = gpu.shuffle  xor %[[OWNV:[^ ,]+]], {{.*}} : f32
// CHECK:         %[[GT:[^ ,]+]] = arith.cmpf ogt, %[[V]], %[[OWNV]] : f32
// CHECK:         %[[EQ:[^ ,]+]] = arith.cmpf oeq, %[[OWNV]], %[[V]] : f32
// CHECK:         %[[LT:[^ ,]+]] = arith.cmpi slt, %[[P]], %[[OWNP]] : i32
// CHECK:         %[[TIE:[^ ,]+]] = arith.andi %[[EQ]], %[[LT]] : i1
// CHECK:         %[[TAKE:[^ ,]+]] = arith.ori %[[GT]], %[[TIE]] : i1
// CHECK:         arith.select %[[TAKE]], %[[P]], %[[OWNP]] : i32
// CHECK:         arith.select %[[TAKE]], %[[V]], %[[OWNV]] : f32
// CHECK:         gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK-NOT:     scf.for
// CHECK:         gpu.return
func.func @argmax(%x: tensor<64x3000xf32>, %e: tensor<64xf32>, %f: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %r:2 = fuse.kernel "argmax" ins(%x : tensor<64x3000xf32>) outs(%e, %f : tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%a: tensor<64x3000xf32>, %o: tensor<64xf32>, %q: tensor<64xi32>):
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<64xf32>
    %1 = tensor.empty() : tensor<64xi32>
    %v0 = linalg.fill ins(%ninf : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %p0 = linalg.fill ins(%zero : i32) outs(%1 : tensor<64xi32>) -> tensor<64xi32>
    %2:2 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<64x3000xf32>) outs(%v0, %p0 : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%in: f32, %best: f32, %where: i32):
      %j = linalg.index 1 : index
      %n = arith.index_cast %j : index to i32
      %c = arith.cmpf ogt, %in, %best : f32
      %m = arith.select %c, %in, %best : f32
      %w = arith.select %c, %n, %where : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %2#0, %2#1 : tensor<64xf32>, tensor<64xi32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xi32>
}

// With a maximum beside it, a NaN sticks, and the place is that of the largest
// element before it: such rows are run in order. Until then it is enough that
// the maximum notices it.
// CHECK-LABEL: gpu.func @stuck
// CHECK-NOT:     arith.cmpf uno
// CHECK:         gpu.barrier
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[NAN:[^ ,]+]] = arith.cmpf uno, %[[TOTAL:[^ ,]+]], %[[TOTAL]] : f32
// CHECK:         scf.if %[[NAN]] -> (i32)
// CHECK:           scf.for
// CHECK:             memref.load
// CHECK:             arith.cmpf ogt
// CHECK:             arith.maximumf
// CHECK:         } else {
// CHECK:         gpu.return
func.func @stuck(%x: tensor<64x3000xf32>, %e: tensor<64xf32>, %f: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %r:2 = fuse.kernel "stuck" ins(%x : tensor<64x3000xf32>) outs(%e, %f : tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  ^bb0(%a: tensor<64x3000xf32>, %o: tensor<64xf32>, %q: tensor<64xi32>):
    %ninf = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<64xf32>
    %1 = tensor.empty() : tensor<64xi32>
    %v0 = linalg.fill ins(%ninf : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %p0 = linalg.fill ins(%zero : i32) outs(%1 : tensor<64xi32>) -> tensor<64xi32>
    %2:2 = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<64x3000xf32>) outs(%v0, %p0 : tensor<64xf32>, tensor<64xi32>) {
    ^bb0(%in: f32, %best: f32, %where: i32):
      %j = linalg.index 1 : index
      %n = arith.index_cast %j : index to i32
      %c = arith.cmpf ogt, %in, %best : f32
      %m = arith.maximumf %in, %best : f32
      %w = arith.select %c, %n, %where : i32
      linalg.yield %m, %w : f32, i32
    } -> (tensor<64xf32>, tensor<64xi32>)
    fuse.yield %2#0, %2#1 : tensor<64xf32>, tensor<64xi32>
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xi32>
}
