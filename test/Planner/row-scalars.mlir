// What follows the sum of a row runs in each thread of the row: twelve functions
// in each of the threads of 65,536 short rows take longer than to write and read
// the sums (18.2 us instead of 12.4 by counted events). One does not.
// RUN: split-file %s %t
// RUN: fuse-run %t/many.mlir --no-run --assemble=false | FileCheck %s --check-prefix=TWO
// RUN: fuse-run %t/one.mlir --no-run --assemble=false | FileCheck %s --check-prefix=ONE
// TWO: main_0_reduce {{ *}}row
// TWO: main_1_injective {{ *}}pointwise
// TWO: kernels         13 -> 2
// ONE: main_0_reduce {{ *}}row
// ONE: kernels         2 -> 1

//--- many.mlir
func.func @main(%x: tensor<65536x128xf32>) -> tensor<65536xf32> {
  %z = arith.constant dense<0.0> : tensor<65536xf32>
  %s = linalg.reduce ins(%x : tensor<65536x128xf32>) outs(%z : tensor<65536xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %q = arith.addf %a, %b : f32
    linalg.yield %q : f32
  }
  %t0 = math.exp %s : tensor<65536xf32>
  %u0 = math.tanh %t0 : tensor<65536xf32>
  %t1 = math.exp %u0 : tensor<65536xf32>
  %u1 = math.tanh %t1 : tensor<65536xf32>
  %t2 = math.exp %u1 : tensor<65536xf32>
  %u2 = math.tanh %t2 : tensor<65536xf32>
  %t3 = math.exp %u2 : tensor<65536xf32>
  %u3 = math.tanh %t3 : tensor<65536xf32>
  %t4 = math.exp %u3 : tensor<65536xf32>
  %u4 = math.tanh %t4 : tensor<65536xf32>
  %t5 = math.exp %u4 : tensor<65536xf32>
  %u5 = math.tanh %t5 : tensor<65536xf32>
  return %u5 : tensor<65536xf32>
}

//--- one.mlir
func.func @main(%x: tensor<65536x128xf32>) -> tensor<65536xf32> {
  %z = arith.constant dense<0.0> : tensor<65536xf32>
  %s = linalg.reduce ins(%x : tensor<65536x128xf32>) outs(%z : tensor<65536xf32>) dimensions = [1] (%a: f32, %b: f32) {
    %q = arith.addf %a, %b : f32
    linalg.yield %q : f32
  }
  %t = math.exp %s : tensor<65536xf32>
  return %t : tensor<65536xf32>
}
