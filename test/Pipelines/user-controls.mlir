// What the user says about fusion survives normalization: on generics with unit
// dimensions, on named operators, on operators that are taken apart.
// RUN: fuse-opt %s --split-input-file --fuse-plan --verify-diagnostics | FileCheck %s

// Without a mark all of it is one kernel: the marks below are what keeps
// operators apart.
// CHECK-LABEL: func.func @free
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
#unit = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @free(%x: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %e = tensor.empty() : tensor<1x8x1xf32>
  %a = linalg.generic {indexing_maps = [#unit, #unit], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1x8x1xf32>
  %b = linalg.abs ins(%a : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  %c = linalg.negf ins(%b : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %c : tensor<1x8x1xf32>
}

// -----

// `fuse.never_fuse` on a generic with unit dimensions.
// CHECK-LABEL: func.func @never_generic
// CHECK: fuse.group
// CHECK: math.exp
// CHECK: fuse.yield
// CHECK: fuse.group
// CHECK: linalg.abs
// CHECK: linalg.negf
// CHECK: fuse.yield
// CHECK-NOT: fuse.group
// CHECK: return
#unit = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @never_generic(%x: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %e = tensor.empty() : tensor<1x8x1xf32>
  %a = linalg.generic {indexing_maps = [#unit, #unit], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) attrs = {fuse.never_fuse} {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<1x8x1xf32>
  %b = linalg.abs ins(%a : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  %c = linalg.negf ins(%b : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %c : tensor<1x8x1xf32>
}

// -----

// On a named operator with unit dimensions.
// CHECK-LABEL: func.func @never_named
// CHECK-COUNT-3: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @never_named(%x: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %e = tensor.empty() : tensor<1x8x1xf32>
  %a = linalg.exp ins(%x : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  %b = linalg.abs {fuse.never_fuse} ins(%a : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  %c = linalg.negf ins(%b : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %c : tensor<1x8x1xf32>
}

// -----

// On element-wise operators of `math`, which become generics.
// CHECK-LABEL: func.func @never_math
// CHECK-COUNT-2: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @never_math(%x: tensor<4x1x8xf32>) -> tensor<4x1x8xf32> {
  %a = math.exp %x {fuse.never_fuse} : tensor<4x1x8xf32>
  %b = math.absf %a : tensor<4x1x8xf32>
  return %b : tensor<4x1x8xf32>
}

// -----

// On a softmax, which becomes several operators: none of them fuses.
// CHECK-LABEL: func.func @never_softmax
// CHECK-COUNT-5: fuse.group
// CHECK: linalg.abs
// CHECK-NOT: fuse.group
// CHECK: return
func.func @never_softmax(%x: tensor<4x1x32xf32>) -> tensor<4x1x32xf32> {
  %e = tensor.empty() : tensor<4x1x32xf32>
  %s = linalg.softmax {fuse.never_fuse} dimension(2) ins(%x : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  %b = linalg.abs ins(%s : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  return %b : tensor<4x1x32xf32>
}

// -----

// `fuse.must_fuse` on a softmax and a generic with unit dimensions that has
// nothing to do with it: one kernel with all parts of the softmax, asked for.
// CHECK-LABEL: func.func @must_softmax
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
#unit = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @must_softmax(%x: tensor<4x1x32xf32>, %y: tensor<4x1x32xf32>) -> (tensor<4x1x32xf32>, tensor<4x1x32xf32>) {
  %e = tensor.empty() : tensor<4x1x32xf32>
  %s = linalg.softmax {fuse.must_fuse = "t"} dimension(2) ins(%x : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  %a = linalg.generic {indexing_maps = [#unit, #unit], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) attrs = {fuse.must_fuse = "t"} {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<4x1x32xf32>
  return %s, %a : tensor<4x1x32xf32>, tensor<4x1x32xf32>
}

// -----

// A boundary on a value with unit dimensions.
// CHECK-LABEL: func.func @boundary
// CHECK: fuse.group
// CHECK: fuse.boundary
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @boundary(%x: tensor<1x8x1xf32>) -> tensor<1x8x1xf32> {
  %e = tensor.empty() : tensor<1x8x1xf32>
  %a = linalg.exp ins(%x : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  %b = fuse.boundary %a : tensor<1x8x1xf32>
  %c = linalg.negf ins(%b : tensor<1x8x1xf32>) outs(%e : tensor<1x8x1xf32>) -> tensor<1x8x1xf32>
  return %c : tensor<1x8x1xf32>
}

// -----

// A group made by hand, of operators with unit dimensions and of a softmax:
// it keeps its name and stays one group.
// CHECK-LABEL: func.func @by_hand
// CHECK: fuse.group "by_hand_0
// CHECK: fuse.group "mine"
// CHECK: arith.divf
// CHECK: fuse.yield
// CHECK: fuse.group "by_hand_2
// CHECK-NOT: fuse.group
// CHECK: return
func.func @by_hand(%x: tensor<4x1x32xf32>) -> tensor<4x1x32xf32> {
  %e = tensor.empty() : tensor<4x1x32xf32>
  %a = linalg.exp ins(%x : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  %g = fuse.group "mine" -> (tensor<4x1x32xf32>) {
    %f = tensor.empty() : tensor<4x1x32xf32>
    %s = linalg.softmax dimension(2) ins(%a : tensor<4x1x32xf32>) outs(%f : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
    fuse.yield %s : tensor<4x1x32xf32>
  }
  %c = linalg.negf ins(%g : tensor<4x1x32xf32>) outs(%e : tensor<4x1x32xf32>) -> tensor<4x1x32xf32>
  return %c : tensor<4x1x32xf32>
}

// -----

// An illegal must behind normalization is an error at the place in the input,
// with the rule.
func.func private @sort(tensor<1x8xf32>) -> tensor<1x8xf32>
func.func @illegal(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %e = tensor.empty() : tensor<1x8xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  %b = func.call @sort(%a) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  // expected-error @below {{illegal 'fuse.must_fuse': another kernel or host operator lies between the two (cycle)}}
  %c = linalg.negf {fuse.must_fuse = "t"} ins(%b : tensor<1x8xf32>) outs(%e : tensor<1x8xf32>) -> tensor<1x8xf32>
  return %c : tensor<1x8xf32>
}

// -----

// A call cannot share a kernel.
func.func private @sort(tensor<8xf32>) -> tensor<8xf32>
func.func @must_host(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{illegal 'fuse.must_fuse': 'func.call' is no operator of a kernel (opaque)}}
  %b = func.call @sort(%a) {fuse.must_fuse = "t"} : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// Neither can a view, which is copied to wherever it is used.
func.func @must_view(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<2x4xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<2x4xf32>) outs(%e : tensor<2x4xf32>) -> tensor<2x4xf32>
  // expected-error @below {{illegal 'fuse.must_fuse': 'tensor.collapse_shape' is no operator of a kernel (opaque)}}
  %b = tensor.collapse_shape %a [[0, 1]] {fuse.must_fuse = "t"} : tensor<2x4xf32> into tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// Nothing moves across blocks.
func.func @must_block(%x: tensor<8xf32>, %p: i1) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  // expected-note @below {{to share a kernel with this}}
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.if %p -> tensor<8xf32> {
    // expected-error @below {{illegal 'fuse.must_fuse': the operators stand in different blocks (block)}}
    %b = linalg.abs {fuse.must_fuse = "t"} ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %b : tensor<8xf32>
  } else {
    scf.yield %a : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// Equal tags in two functions have nothing to do with each other.
// CHECK-LABEL: func.func @one
// CHECK: fuse.group
// CHECK-LABEL: func.func @two
// CHECK: fuse.group
func.func @one(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = math.exp %x {fuse.must_fuse = "t"} : tensor<8xf32>
  return %a : tensor<8xf32>
}
func.func @two(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = math.exp %x {fuse.must_fuse = "t"} : tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// A mark in the body of an operator says nothing.
#map = affine_map<(d0) -> (d0)>
func.func @body(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%in: f32, %out: f32):
    // expected-error @below {{expected attribute 'fuse.never_fuse' on an operator on tensors, but got it in the body of 'linalg.generic'}}
    %0 = math.exp %in {fuse.never_fuse} : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %a : tensor<8xf32>
}
