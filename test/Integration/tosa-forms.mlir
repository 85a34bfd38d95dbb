// TOSA's control flow, scatter and transposed convolution, which upstream's
// passes to linalg leave to others.
// RUN: split-file %s %t
// RUN: fuse-run %t/flow.mlir | FileCheck %s --check-prefix=FLOW
// FLOW: {{^}}kernels{{ +}}6 -> 4
// FLOW: verified{{ +}}yes,
// RUN: fuse-run %t/scatter.mlir | FileCheck %s --check-prefix=SCATTER
// SCATTER: {{^}}kernels{{ +}}3 -> 2
// SCATTER: verified{{ +}}yes, max error 0 (
// RUN: fuse-run %t/transposed.mlir | FileCheck %s --check-prefix=TRANSPOSED
// TRANSPOSED: {{^}}kernels{{ +}}10 -> 2
// TRANSPOSED: verified{{ +}}yes,

// A dimension of unknown size is broadcast if it is 1; not where both sizes are
// the same one.
// RUN: fuse-run %t/rows.mlir --size=0.0=3,1.0=3 | FileCheck %s --check-prefix=ROWS
// ROWS: {{^}}kernels{{ +}}7 -> 1
// ROWS: verified{{ +}}yes,
// RUN: fuse-opt %t/rows.mlir --fuse-normalize-ops | FileCheck %s --check-prefix=BRANCHES
// BRANCHES-NOT: scf.if
// RUN: fuse-opt %t/reshaped.mlir --fuse-normalize-ops | FileCheck %s --check-prefix=BRANCHES
// RUN: fuse-opt %t/two.mlir --fuse-normalize-ops | FileCheck %s --check-prefix=TWO
// TWO-COUNT-2: scf.if
// RUN: fuse-run %t/two.mlir --size=0.0=1,1.0=3 | FileCheck %s --check-prefix=RUNS
// RUNS: verified{{ +}}yes,

//--- flow.mlir
func.func @main(%x: tensor<6xf32>, %y: tensor<6xf32>, %c: tensor<i1>) -> tensor<6xf32> {
  %zero = "tosa.const"() {values = dense<0> : tensor<i32>} : () -> tensor<i32>
  %three = "tosa.const"() {values = dense<3> : tensor<i32>} : () -> tensor<i32>
  %one = "tosa.const"() {values = dense<1> : tensor<i32>} : () -> tensor<i32>
  %0 = "tosa.cond_if"(%c, %x, %y) ({
  ^bb0(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %1 = tosa.add %a, %b : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    tosa.yield %1 : tensor<6xf32>
  }, {
  ^bb0(%a: tensor<6xf32>, %b: tensor<6xf32>):
    %1 = tosa.sub %a, %b : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    tosa.yield %1 : tensor<6xf32>
  }) : (tensor<i1>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %2:2 = "tosa.while_loop"(%zero, %0) ({
  ^bb0(%i: tensor<i32>, %a: tensor<6xf32>):
    %more = tosa.greater %three, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %more : tensor<i1>
  }, {
  ^bb0(%i: tensor<i32>, %a: tensor<6xf32>):
    %next = tosa.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %s = tosa.sigmoid %a : (tensor<6xf32>) -> tensor<6xf32>
    %r = tosa.add %s, %y : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    tosa.yield %next, %r : tensor<i32>, tensor<6xf32>
  }) : (tensor<i32>, tensor<6xf32>) -> (tensor<i32>, tensor<6xf32>)
  return %2#1 : tensor<6xf32>
}

//--- scatter.mlir
func.func @main(%v: tensor<2x5x3xf32>, %s: tensor<2x4x3xf32>) -> tensor<2x5x3xf32> {
  %i = "tosa.const"() {values = dense<[[0, 4, 2, 1], [3, 1, 0, 2]]> : tensor<2x4xi32>} : () -> tensor<2x4xi32>
  %0 = tosa.scatter %v, %i, %s : (tensor<2x5x3xf32>, tensor<2x4xi32>, tensor<2x4x3xf32>) -> tensor<2x5x3xf32>
  %1 = tosa.abs %0 : (tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  return %1 : tensor<2x5x3xf32>
}

//--- transposed.mlir
func.func @main(%x: tensor<1x4x5x2xf32>, %w: tensor<3x3x3x2xf32>, %b: tensor<3xf32>) -> tensor<1x9x11x3xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.transpose_conv2d %x, %w, %b, %z, %z {acc_type = f32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x5x2xf32>, tensor<3x3x3x2xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x9x11x3xf32>
  return %0 : tensor<1x9x11x3xf32>
}

//--- rows.mlir
func.func @main(%a: tensor<?x5x8xf32>, %b: tensor<?x8x7xf32>) -> tensor<?x5x7xf32> {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<?x5x8xf32>, tensor<?x8x7xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<?x5x7xf32>
  %1 = tosa.reduce_max %0 {axis = 2 : i32} : (tensor<?x5x7xf32>) -> tensor<?x5x1xf32>
  %2 = tosa.sub %0, %1 : (tensor<?x5x7xf32>, tensor<?x5x1xf32>) -> tensor<?x5x7xf32>
  %3 = tosa.exp %2 : (tensor<?x5x7xf32>) -> tensor<?x5x7xf32>
  %4 = tosa.reduce_sum %3 {axis = 2 : i32} : (tensor<?x5x7xf32>) -> tensor<?x5x1xf32>
  %5 = tosa.reciprocal %4 : (tensor<?x5x1xf32>) -> tensor<?x5x1xf32>
  %6 = tosa.mul %3, %5, %shift : (tensor<?x5x7xf32>, tensor<?x5x1xf32>, tensor<1xi8>) -> tensor<?x5x7xf32>
  return %6 : tensor<?x5x7xf32>
}

//--- reshaped.mlir
func.func @main(%a: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %three = tosa.const_shape {values = dense<[1, -1, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
  %two = tosa.const_shape {values = dense<[-1, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %a, %three : (tensor<?x8xf32>, !tosa.shape<3>) -> tensor<1x?x8xf32>
  %1 = tosa.exp %0 : (tensor<1x?x8xf32>) -> tensor<1x?x8xf32>
  %2 = tosa.reshape %1, %two : (tensor<1x?x8xf32>, !tosa.shape<2>) -> tensor<?x8xf32>
  %3 = tosa.add %2, %a : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  return %3 : tensor<?x8xf32>
}

//--- two.mlir
func.func @main(%a: tensor<?x5xf32>, %b: tensor<?x5xf32>) -> tensor<?x5xf32> {
  %0 = tosa.add %a, %b : (tensor<?x5xf32>, tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
