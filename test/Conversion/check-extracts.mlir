// RUN: fuse-opt %s --fuse-check-extracts | FileCheck %s

// An index from data may be anything: negative ones are large as unsigned.
// CHECK-LABEL: func.func @from_data
// CHECK:         %[[SIZE:.*]] = arith.constant 8 : index
// CHECK:         %[[OK:.*]] = arith.cmpi ult, %arg1, %[[SIZE]] : index
// CHECK:         cf.assert %[[OK]], "{{.*}}check-extracts.mlir:[[#@LINE+3]]:8: index 0 of 'tensor.extract' is outside of the tensor"
// CHECK-NEXT:    tensor.extract
func.func @from_data(%x: tensor<8xf32>, %n: index) -> f32 {
  %v = tensor.extract %x[%n] : tensor<8xf32>
  return %v : f32
}

// Each dimension by itself; of sizes that are known at run time only, too.
// CHECK-LABEL: func.func @insert
// CHECK:         %[[DIM:.*]] = tensor.dim %arg0, %{{.*}} : tensor<4x?xf32>
// CHECK:         arith.cmpi ult, %arg1, %[[DIM]] : index
// CHECK:         cf.assert %{{.*}}, "{{.*}}index 1 of 'tensor.insert' is outside of the tensor"
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @insert(%x: tensor<4x?xf32>, %n: index, %v: f32) -> tensor<4x?xf32> {
  %c3 = arith.constant 3 : index
  %r = tensor.insert %v into %x[%c3, %n] : tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// What is known to be right is not checked: constants, counters of loops.
// CHECK-LABEL: func.func @known
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @known(%x: tensor<?xf32>, %y: tensor<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %first = tensor.extract %y[%c7] : tensor<8xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %first) -> f32 {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  return %sum : f32
}

// So may a dimension. The size of one that no vector has is not looked up, here as
// the bound of a loop; the rank of an unranked tensor is not known.
// CHECK-LABEL: func.func @dimensions
// CHECK:         %[[NO:.*]] = arith.constant false
// CHECK:         cf.assert %[[NO]], "{{.*}}check-extracts.mlir:[[#@LINE+11]]:8: 'tensor.dim' asks for a dimension that a shape of rank 1 does not have"
// CHECK-NEXT:    %[[ZERO:.*]] = arith.constant 0 : index
// CHECK:         %[[OK:.*]] = arith.cmpi ult, %arg2, %{{.*}} : index
// CHECK:         cf.assert %[[OK]], "{{.*}}of rank 1 does not have"
// CHECK:         tensor.dim %arg0, %arg2
// CHECK-NOT:     cf.assert
// CHECK:         scf.for %{{.*}} to %[[ZERO]]
func.func @dimensions(%x: tensor<?xf32>, %u: tensor<*xf32>, %i: index, %s: f32) -> (f32, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9223372036854775807 : index
  %n = tensor.dim %x, %c9 : tensor<?xf32>
  %m = tensor.dim %x, %i : tensor<?xf32>
  %r = tensor.dim %u, %i : tensor<*xf32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%t = %s) -> f32 {
    %v = tensor.extract %x[%k] : tensor<?xf32>
    %w = arith.addf %t, %v : f32
    scf.yield %w : f32
  }
  return %sum, %m, %r : f32, index, index
}

// Bodies of operators become kernels, which have their own checks.
// CHECK-LABEL: func.func @body
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @body(%x: tensor<8xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%n: index, %o: f32):
    %v = tensor.extract %x[%n] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @padding
// CHECK-NOT:     cf.assert
// CHECK:         return
func.func @padding(%x: tensor<2xf32>, %t: tensor<5xf32>) -> tensor<5xf32> {
  %p = tensor.pad %x low[2] high[1] {
  ^bb0(%i: index):
    %v = tensor.extract %t[%i] : tensor<5xf32>
    tensor.yield %v : f32
  } : tensor<2xf32> to tensor<5xf32>
  return %p : tensor<5xf32>
}
