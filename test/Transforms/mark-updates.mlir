// RUN: fuse-opt %s --fuse-mark-updates --split-input-file | FileCheck %s

// The variable of a loop that the result becomes again. What reads it before is no
// hindrance.
// CHECK-LABEL: @variable
// CHECK: scf.for
// CHECK: linalg.exp
// CHECK: tensor.insert_slice {{.*}} {fuse.in_place}
func.func @variable(%init: tensor<16x64xf32>, %n: index) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> tensor<16x64xf32> {
    %s = tensor.extract_slice %acc[0, 0] [1, 64] [1, 1]
        : tensor<16x64xf32> to tensor<1x64xf32>
    %e = tensor.empty() : tensor<1x64xf32>
    %t = linalg.exp ins(%s : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>)
        -> tensor<1x64xf32>
    %next = tensor.insert_slice %t into %acc[%i, 0] [1, 64] [1, 1]
        : tensor<1x64xf32> into tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}

// -----

// Not if the loop's variable is needed afterwards, becomes another one, or if the
// result does not become the variable.
// CHECK-LABEL: @needed
// CHECK-NOT: fuse.in_place
func.func @needed(%a: tensor<8xf32>, %b: tensor<8xf32>, %x: tensor<1xf32>,
                  %n: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:3 = scf.for %i = %c0 to %n step %c1
      iter_args(%p = %a, %q = %b, %old = %a)
      -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
    %s = tensor.insert_slice %x into %p[%i] [1] [1]
        : tensor<1xf32> into tensor<8xf32>
    %t = tensor.insert_slice %x into %q[%i] [1] [1]
        : tensor<1xf32> into tensor<8xf32>
    scf.yield %t, %s, %p : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// An argument is the caller's; what is made of a tensor.empty or by an operator is
// left to fusion.
// CHECK-LABEL: @no_owner
// CHECK-NOT: fuse.in_place
func.func @no_owner(%a: tensor<8xf32>, %x: tensor<1xf32>, %i: index)
    -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = tensor.insert_slice %x into %a[%i] [1] [1]
      : tensor<1xf32> into tensor<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %1 = tensor.insert_slice %x into %e[%i] [1] [1]
      : tensor<1xf32> into tensor<8xf32>
  %f = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>)
      -> tensor<8xf32>
  %2 = tensor.insert_slice %x into %f[%i] [1] [1]
      : tensor<1xf32> into tensor<8xf32>
  return %0, %1, %2 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Through two insertions, a branch that does it or not, and an inner loop; then into
// the loop's result.
// CHECK-LABEL: @chain
// CHECK-COUNT-5: fuse.in_place
// CHECK-NOT: fuse.in_place
func.func @chain(%init: tensor<8xf32>, %x: tensor<1xf32>, %n: index, %c: i1)
    -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> tensor<8xf32> {
    %0 = tensor.insert_slice %x into %acc[%i] [1] [1]
        : tensor<1xf32> into tensor<8xf32>
    %1 = tensor.insert_slice %x into %0[0] [1] [1]
        : tensor<1xf32> into tensor<8xf32>
    %2 = scf.if %c -> tensor<8xf32> {
      %3 = tensor.insert_slice %x into %1[1] [1] [1]
          : tensor<1xf32> into tensor<8xf32>
      scf.yield %3 : tensor<8xf32>
    } else {
      scf.yield %1 : tensor<8xf32>
    }
    %4 = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %2)
        -> tensor<8xf32> {
      %5 = tensor.insert_slice %x into %inner[%j] [1] [1]
          : tensor<1xf32> into tensor<8xf32>
      scf.yield %5 : tensor<8xf32>
    }
    scf.yield %4 : tensor<8xf32>
  }
  %6 = tensor.insert_slice %x into %r[2] [1] [1]
      : tensor<1xf32> into tensor<8xf32>
  return %6 : tensor<8xf32>
}

// -----

// While loops hand the variable through the condition.
// CHECK-LABEL: @while
// CHECK: tensor.insert_slice {{.*}} {fuse.in_place}
func.func @while(%init: tensor<8xf32>, %x: tensor<1xf32>, %n: index)
    -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%acc = %init, %i = %c0)
      : (tensor<8xf32>, index) -> (tensor<8xf32>, index) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %acc, %i : tensor<8xf32>, index
  } do {
  ^bb0(%now: tensor<8xf32>, %j: index):
    %next = tensor.insert_slice %x into %now[%j] [1] [1]
        : tensor<1xf32> into tensor<8xf32>
    %k = arith.addi %j, %c1 : index
    scf.yield %next, %k : tensor<8xf32>, index
  }
  return %r#0 : tensor<8xf32>
}

// -----

// A step that is not constant, and an operator that the user has marked.
// CHECK-LABEL: @refused
// CHECK-NOT: fuse.in_place
func.func @refused(%init: tensor<8xf32>, %x: tensor<2xf32>, %n: index)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %init, %b = %init)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %0 = tensor.insert_slice %x into %a[0] [2] [%n]
        : tensor<2xf32> into tensor<8xf32>
    %1 = tensor.insert_slice %x into %b[%i] [2] [1] {fuse.never_fuse}
        : tensor<2xf32> into tensor<8xf32>
    scf.yield %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// An argument that the caller leaves to the function, unless it is used again.
// CHECK-LABEL: func.func @left
// CHECK:         tensor.insert_slice {{.*}} {fuse.in_place}
func.func @left(%cache: tensor<8x4xf32> {bufferization.writable = true}, %x: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %r = tensor.insert_slice %x into %cache[3, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}
// CHECK-LABEL: func.func @left_and_used
// CHECK-NOT:     fuse.in_place
// CHECK:         return
func.func @left_and_used(%cache: tensor<8x4xf32> {bufferization.writable = true}, %x: tensor<1x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %r = tensor.insert_slice %x into %cache[3, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %r, %cache : tensor<8x4xf32>, tensor<8x4xf32>
}
// CHECK-LABEL: func.func @kept
// CHECK-NOT:     fuse.in_place
// CHECK:         return
func.func @kept(%cache: tensor<8x4xf32> {bufferization.writable = false}, %x: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %r = tensor.insert_slice %x into %cache[3, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// -----

// What no operator of the loop makes is copied by one, which can become a kernel;
// what is taken from the destination, by one that stays alone.
// CHECK-LABEL: @copied
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x64xf32>
// CHECK: scf.for
// CHECK: %[[C:.*]] = linalg.copy ins(%[[X]]
// CHECK: tensor.insert_slice %[[C]] {{.*}} {fuse.in_place}
// CHECK: %[[S:.*]] = tensor.extract_slice
// CHECK: %[[D:.*]] = linalg.copy {fuse.never_fuse} ins(%[[S]]
// CHECK: tensor.insert_slice %[[D]] {{.*}} {fuse.in_place}
func.func @copied(%x: tensor<1x64xf32>, %init: tensor<16x64xf32>,
                  %n: index) -> tensor<16x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %init)
      -> tensor<16x64xf32> {
    %a = tensor.insert_slice %x into %acc[%i, 0] [1, 64] [1, 1]
        : tensor<1x64xf32> into tensor<16x64xf32>
    %s = tensor.extract_slice %a[0, 0] [1, 64] [1, 1]
        : tensor<16x64xf32> to tensor<1x64xf32>
    %next = tensor.insert_slice %s into %a[%i, 0] [1, 64] [1, 1]
        : tensor<1x64xf32> into tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  return %r : tensor<16x64xf32>
}
