// Results that no kernel gives element by element: loops of the host give them,
// and what they leave out of an init stays as it was.
// RUN: split-file %s %t
// RUN: fuse-run %t/diagonal.mlir | FileCheck %s --check-prefix=DIAGONAL
// DIAGONAL: {{^}}kernels{{ +}}2 -> 2
// DIAGONAL: verified{{ +}}yes,
// RUN: fuse-run %t/running.mlir --size=0.0=3,0.1=5 | FileCheck %s --check-prefix=RUNNING
// RUNNING: {{^}}kernels{{ +}}2 -> 2
// RUNNING: verified{{ +}}yes,
// RUN: fuse-run %t/last.mlir | FileCheck %s --check-prefix=LAST
// LAST: {{^}}kernels{{ +}}2 -> 1
// LAST: verified{{ +}}yes,

//--- diagonal.mlir
func.func @main(%x: tensor<4xf32>, %o: tensor<4x4xf32>, %p: tensor<9xf32>)
    -> (tensor<4x4xf32>, tensor<9xf32>) {
  %e = math.exp %x : tensor<4xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i, i)>], iterator_types = ["parallel"]} ins(%e : tensor<4xf32>) outs(%o : tensor<4x4xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<4x4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (2 * i + 2)>], iterator_types = ["parallel"]} ins(%e : tensor<4xf32>) outs(%p : tensor<9xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<9xf32>
  %n = math.absf %s : tensor<9xf32>
  return %d, %n : tensor<4x4xf32>, tensor<9xf32>
}

// A sum, and the sums on the way to it.
//--- running.mlir
func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %w = tensor.empty(%m, %n) : tensor<?x?xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%f, %w : tensor<?xf32>, tensor<?x?xf32>) {
  ^bb0(%a: f32, %sum: f32, %old: f32):
    %j = linalg.index 1 : index
    %number = arith.index_cast %j : index to i32
    %odd = arith.trunci %number : i32 to i1
    %s = arith.addf %a, %sum : f32
    %t = arith.select %odd, %s, %a : f32
    linalg.yield %s, %t : f32, f32
  } -> (tensor<?xf32>, tensor<?x?xf32>)
  %q = math.exp %r#1 : tensor<?x?xf32>
  return %r#0, %q : tensor<?xf32>, tensor<?x?xf32>
}

// Loop j is called parallel; all of its rounds write one element.
//--- last.mlir
func.func @main(%x: tensor<4x3xf32>, %o: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %l = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x3xf32>) outs(%o : tensor<4xf32>) {
  ^bb0(%a: f32, %old: f32):
    %b = arith.addf %a, %old : f32
    linalg.yield %b : f32
  } -> tensor<4xf32>
  return %l, %s : tensor<4xf32>, tensor<4xf32>
}

// A body with vectors runs on the host; one with a switch, and with indices
// taken apart, in a kernel.
// RUN: fuse-run %t/bodies.mlir | FileCheck %s --check-prefix=BODIES
// BODIES: {{^}}kernels{{ +}}2 -> 1
// BODIES: verified{{ +}}yes,
//--- bodies.mlir
func.func @main(%x: tensor<12xf32>, %y: tensor<9xf32>) -> (tensor<12xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<12xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<12xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %p:2 = affine.delinearize_index %i into (3, 4) : index, index
    %l = affine.linearize_index [%p#1, %p#0] by (4, 3) : index
    %v = tensor.extract %x[%l] : tensor<12xf32>
    %s = scf.index_switch %p#0 -> f32
    case 1 {
      %n = arith.negf %v : f32
      scf.yield %n : f32
    }
    default {
      scf.yield %v : f32
    }
    linalg.yield %s : f32
  } -> tensor<12xf32>
  %t = math.exp %r : tensor<12xf32>
  %f = tensor.empty() : tensor<9xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%y : tensor<9xf32>) outs(%f : tensor<9xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = vector.broadcast %a : f32 to vector<4xf32>
    %s = vector.reduction <add>, %v : vector<4xf32> into f32
    linalg.yield %s : f32
  } -> tensor<9xf32>
  return %t, %q : tensor<12xf32>, tensor<9xf32>
}

// Sums and maxima over the middle dimension, the maxima transposed.
// RUN: fuse-run %t/orders.mlir | FileCheck %s --check-prefix=ORDERS
// ORDERS: {{^}}kernels{{ +}}3 -> 2
// ORDERS: verified{{ +}}yes,
//--- orders.mlir
func.func @main(%x: tensor<6x5x4xf32>, %m: tensor<4x6xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>) {
  %zero = arith.constant dense<0.0> : tensor<6x4xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, k, j) -> (i, k, j)>, affine_map<(i, k, j) -> (i, j)>, affine_map<(i, k, j) -> (j, i)>], iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : tensor<6x5x4xf32>) outs(%zero, %m : tensor<6x4xf32>, tensor<4x6xf32>) {
  ^bb0(%a: f32, %sum: f32, %max: f32):
    %s = arith.addf %sum, %a : f32
    %n = arith.maximumf %max, %a : f32
    linalg.yield %s, %n : f32, f32
  } -> (tensor<6x4xf32>, tensor<4x6xf32>)
  return %r#0, %r#1 : tensor<6x4xf32>, tensor<4x6xf32>
}

// Parts of a constant, and a loop that is called a reduction but is none.
// RUN: fuse-run %t/kinds.mlir | FileCheck %s --check-prefix=KINDS
// KINDS: {{^}}kernels{{ +}}1 -> 1
// KINDS: verified{{ +}}yes, max error 0 (
//--- kinds.mlir
func.func @main(%x: tensor<4x5xf32>) -> (tensor<4x2x5xf32>, tensor<5x4xf32>) {
  %c = arith.constant dense<1.5> : tensor<4x2x5xf32>
  %d = arith.constant dense<2.5> : tensor<5x4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, 1, j)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%c : tensor<4x2x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x2x5xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%d : tensor<5x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.subf %o, %a : f32
    linalg.yield %t : f32
  } -> tensor<5x4xf32>
  return %r, %s : tensor<4x2x5xf32>, tensor<5x4xf32>
}
