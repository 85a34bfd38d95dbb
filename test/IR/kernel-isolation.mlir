// RUN: fuse-opt %s --canonicalize --cse | FileCheck %s
// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(fuse.kernel(canonicalize)))' \
// RUN:   | FileCheck %s --check-prefix=NESTED

// Neither canonicalize nor cse takes anything out of a kernel or brings
// anything in, although the same constant and the same value stand outside.
// CHECK-LABEL: func.func @keep
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>, %[[O:.*]]: tensor<8xf32>)
func.func @keep(%x: tensor<8xf32>, %o: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[ONE:.*]] = arith.constant dense<1.0
  %one = arith.constant dense<1.0> : tensor<8xf32>
  // CHECK: %[[ADD:.*]] = arith.addf %[[X]], %[[ONE]]
  %add = arith.addf %x, %one : tensor<8xf32>
  // CHECK: %[[R:.*]] = fuse.kernel "add" ins(%[[X]] : tensor<8xf32>) outs(%[[O]] : tensor<8xf32>)
  %r = fuse.kernel "add" ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>)
      -> (tensor<8xf32>) {
  // CHECK: ^bb0(%[[A:.*]]: tensor<8xf32>, %{{.*}}: tensor<8xf32>):
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    // CHECK: %[[INNER_ONE:.*]] = arith.constant dense<1.0
    %c = arith.constant dense<1.0> : tensor<8xf32>
    // CHECK: %[[INNER:.*]] = arith.addf %[[A]], %[[INNER_ONE]]
    %0 = arith.addf %a, %c : tensor<8xf32>
    // CHECK: fuse.yield %[[INNER]]
    fuse.yield %0 : tensor<8xf32>
  }
  // CHECK: return %[[ADD]], %[[R]]
  return %add, %r : tensor<8xf32>, tensor<8xf32>
}

// A pass can be nested on a kernel: it works there, and only there.
// NESTED-LABEL: func.func @nested
func.func @nested(%x: tensor<8xf32>, %o: tensor<8xf32>)
    -> (tensor<8xf32>, i32) {
  %c1 = arith.constant 1 : i32
  // NESTED: arith.addi
  %two = arith.addi %c1, %c1 : i32
  // NESTED: fuse.kernel "dead"
  %r = fuse.kernel "dead" ins(%x : tensor<8xf32>) outs(%o : tensor<8xf32>)
      -> (tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>, %d: tensor<8xf32>):
    // NESTED-NOT: math.exp
    %unused = math.exp %a : tensor<8xf32>
    // NESTED: math.tanh
    %0 = math.tanh %a : tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  return %r, %two : tensor<8xf32>, i32
}
