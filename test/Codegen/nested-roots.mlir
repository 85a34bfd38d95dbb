// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu | FileCheck %s

// The smallest element of a column is found once, before the loop that adds up
// the distances from it with alternating signs (threads could not share it): the loops
// are not nested.
// CHECK-LABEL: gpu.func @distances
// CHECK:         %[[MIN:.+]] = scf.for
// CHECK-NOT:     scf.for
// CHECK:         arith.minsi
// CHECK:         %[[SUM:.+]] = scf.for
// CHECK-NOT:     scf.for
// CHECK:         arith.subi %{{.+}}, %[[MIN]]
// CHECK-NOT:     scf.for
// CHECK:         memref.store %[[SUM]]
func.func @distances(%x: tensor<300x2xi32>) -> tensor<2xi32> {
  %e = tensor.empty() : tensor<2xi32>
  %r = fuse.kernel "distances" ins(%x : tensor<300x2xi32>) outs(%e : tensor<2xi32>) -> (tensor<2xi32>) {
  ^bb0(%a: tensor<300x2xi32>, %o: tensor<2xi32>):
    %big = arith.constant 1000 : i32
    %zero = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<2xi32>
    %f = linalg.fill ins(%big : i32) outs(%0 : tensor<2xi32>) -> tensor<2xi32>
    %min = linalg.reduce { arith.minsi } ins(%a : tensor<300x2xi32>) outs(%f : tensor<2xi32>) dimensions = [0]
    %g = linalg.fill ins(%zero : i32) outs(%0 : tensor<2xi32>) -> tensor<2xi32>
    %sum = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>],
        iterator_types = ["reduction", "parallel"]}
        ins(%a, %min : tensor<300x2xi32>, tensor<2xi32>) outs(%g : tensor<2xi32>) {
    ^bb0(%in: i32, %least: i32, %acc: i32):
      %1 = arith.subi %in, %least : i32
      %2 = arith.subi %1, %acc : i32
      linalg.yield %2 : i32
    } -> tensor<2xi32>
    fuse.yield %sum : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}
