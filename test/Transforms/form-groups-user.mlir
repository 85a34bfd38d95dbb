// What the user says about fusion is done, or it is an error with the rule.
// RUN: fuse-opt %s --split-input-file --fuse-form-groups --verify-diagnostics | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-form-groups=cost-model=never --verify-diagnostics | FileCheck %s --check-prefix=NEVER

// A group made by hand stays as it is, between the planner's.
// CHECK-LABEL: func @by_hand
// CHECK: %[[A:.*]] = fuse.group "by_hand_0_exp"
// CHECK: %[[B:.*]] = fuse.group "mine" -> (tensor<8xf32>) {
// CHECK-NEXT: linalg.abs ins(%[[A]] :
// CHECK-NEXT: fuse.yield
// CHECK: fuse.group "by_hand_2_negf"
// CHECK: linalg.negf ins(%[[B]]
func.func @by_hand(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %g = fuse.group "mine" -> (tensor<8xf32>) {
    %b = linalg.abs ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    fuse.yield %b : tensor<8xf32>
  }
  %c = linalg.negf ins(%g : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// Equal tags share a kernel whatever the prices say.
// NEVER-LABEL: func @must
// NEVER: fuse.group
// NEVER-NOT: fuse.group
// NEVER: return
// CHECK-LABEL: func @must
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK-NOT: fuse.group
// CHECK: return
func.func @must(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs {fuse.must_fuse = "t"} ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// A fill that the host needs is such an operator, too.
// NEVER-LABEL: func @must_fill
// NEVER: %{{.*}}:2 = fuse.group
// NEVER-NOT: fuse.group
// NEVER: return
func.func @must_fill(%s: f32, %x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill {fuse.must_fuse = "t"} ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.reduce {arith.addf} ins(%x : tensor<8x4xf32>) outs(%a : tensor<8xf32>) dimensions = [1] {fuse.must_fuse = "t"}
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// What only kernels read of fills is in each of them: nothing is left to ask.
// NEVER-LABEL: func @must_copied
// NEVER: fuse.group
// NEVER: linalg.fill
// NEVER: linalg.reduce
// NEVER-NOT: fuse.group
// NEVER: return
func.func @must_copied(%s: f32, %x: tensor<8x4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.fill {fuse.must_fuse = "t"} ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.reduce {arith.addf} ins(%x : tensor<8x4xf32>) outs(%a : tensor<8xf32>) dimensions = [1] {fuse.must_fuse = "t"}
  return %b : tensor<8xf32>
}

// -----

// Other tags ask for nothing.
// NEVER-LABEL: func @no_must
// NEVER: fuse.group
// NEVER: fuse.group
func.func @no_must(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs {fuse.must_fuse = "u"} ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// -----

// What lies between two tagged operators comes along.
// CHECK-LABEL: func @must_between
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @must_between(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.negf {fuse.must_fuse = "t"} ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// A host operator between two tagged ones.
func.func private @f(tensor<8xf32>) -> tensor<8xf32>
func.func @must_cycle(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = func.call @f(%a) : (tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{illegal 'fuse.must_fuse': another kernel or host operator lies between the two (cycle)}}
  %c = linalg.negf {fuse.must_fuse = "t"} ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// A boundary between two tagged ones.
func.func @must_boundary(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = fuse.boundary %a : tensor<8xf32>
  // expected-error @below {{illegal 'fuse.must_fuse': 'fuse.boundary' lies between (boundary)}}
  %c = linalg.negf {fuse.must_fuse = "t"} ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// Must and never at once.
func.func @must_never(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{illegal 'fuse.must_fuse': the operator has 'fuse.never_fuse' (never-fuse)}}
  %c = linalg.negf {fuse.must_fuse = "t", fuse.never_fuse} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

// One kernel holds two sizes, each on blocks of its own.
// CHECK-LABEL: func @must_pack
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK-NOT: fuse.group
// CHECK: return
func.func @must_pack(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<9xf32>
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs {fuse.must_fuse = "t"} ins(%y : tensor<9xf32>) outs(%f : tensor<9xf32>) -> tensor<9xf32>
  return %a, %b : tensor<8xf32>, tensor<9xf32>
}

// -----

// A contraction of the result of another one: legal, but no single kernel. The
// group is made; isolation takes it apart.
// CHECK-LABEL: func @must_stages
// CHECK: fuse.group
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK-NOT: fuse.group
// CHECK: return
func.func @must_stages(%x: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %a = linalg.matmul {fuse.must_fuse = "t"} ins(%x, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = linalg.matmul {fuse.must_fuse = "t"} ins(%a, %y : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
