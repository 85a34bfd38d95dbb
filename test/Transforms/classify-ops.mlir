// RUN: fuse-opt %s --allow-unregistered-dialect --fuse-classify-ops | FileCheck %s
// RUN: fuse-opt %s --allow-unregistered-dialect --fuse-classify-ops=print -o /dev/null | FileCheck %s --check-prefix=PRINT
// RUN: fuse-opt %s --allow-unregistered-dialect --fuse-classify-ops --remarks-filter="fuse-classify-ops" --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i, j) -> (i, j)>
#tr = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>

// The cases of the textbook.
// CHECK-LABEL: func @textbook
// PRINT: textbook: linalg.add: injective, all iterators are parallel, and each operand is read once per element
// REMARK: remark: [Analysis] OpClass | Category:fuse-classify-ops | Function=textbook | Reason="all iterators are parallel, and each operand is read once per element", class=injective, op=linalg.add
func.func @textbook(%x: tensor<4x4xf32>, %v: tensor<4xf32>,
                    %img: tensor<1x4x4x1xf32>)
    -> (tensor<4x4xf32>, tensor<4xf32>, tensor<1x3x3x1xf32>, tensor<4x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %ei = tensor.empty() : tensor<1x3x3x1xf32>
  // CHECK: linalg.add {fuse.class = #fuse.class<injective, "all iterators are parallel, and each operand is read once per element">}
  %add = linalg.add ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  // ReLU.
  // CHECK: fuse.class = #fuse.class<injective,
  %relu = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.maximumf %a, %zero : f32
    linalg.yield %m : f32
  } -> tensor<4x4xf32>
  // Vector + matrix.
  // CHECK: fuse.class = #fuse.class<broadcast, "reads operand 1 by map (d0, d1) -> (d1), which leaves out loop 0">
  %vm = linalg.generic {indexing_maps = [#id, #col, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%relu, %v : tensor<4x4xf32>, tensor<4xf32>)
      outs(%e : tensor<4x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  // CHECK: linalg.fill {fuse.class = #fuse.class<injective, "no inputs: filled with a scalar">}
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>)
      -> tensor<4xf32>
  // CHECK: dimensions = [1]  {fuse.class = #fuse.class<reduction, "iterator 1 is a reduction">}
  %sum = linalg.reduce { arith.addf } ins(%vm : tensor<4x4xf32>)
      outs(%init : tensor<4xf32>) dimensions = [1]
  %pi = linalg.fill ins(%zero : f32) outs(%ei : tensor<1x3x3x1xf32>)
      -> tensor<1x3x3x1xf32>
  // CHECK: linalg.pooling_nhwc_max
  // CHECK-SAME: fuse.class = #fuse.class<reduction, "iterators 4, 5 are reductions over a window: operand 0 by map (d0, d1, d2, d3, d4, d5) -> (d0, d1 + d4, d2 + d5, d3)">
  %pool = linalg.pooling_nhwc_max
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%img, %w : tensor<1x4x4x1xf32>, tensor<2x2xf32>)
      outs(%pi : tensor<1x3x3x1xf32>) -> tensor<1x3x3x1xf32>
  // Sort.
  // CHECK: "linalg_ext.sort"(%{{.*}}) {fuse.class = #fuse.class<opaque, "unregistered: its effects are unknown">}
  // PRINT: textbook: linalg_ext.sort: opaque, unregistered: its effects are unknown
  %sorted = "linalg_ext.sort"(%vm) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %relu, %sum, %pool, %sorted : tensor<4x4xf32>, tensor<4xf32>,
      tensor<1x3x3x1xf32>, tensor<4x4xf32>
}

// CHECK-LABEL: func @contractions
func.func @contractions(%x: tensor<4x4xf16>, %y: tensor<4x4xf16>,
    %v: tensor<4xf32>, %acc: tensor<4x4xf32>, %img: tensor<1x5x5x2xf32>,
    %f: tensor<3x3x2x4xf32>, %o: tensor<1x3x3x4xf32>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<1x3x3x4xf32>, tensor<1x3x3x4xf32>) {
  // CHECK: linalg.matmul {fuse.class = #fuse.class<contraction, "products of operands 0 and 1 are summed: iterator 2 is a reduction">}
  %a = linalg.matmul ins(%x, %y : tensor<4x4xf16>, tensor<4x4xf16>)
      outs(%acc : tensor<4x4xf32>) -> tensor<4x4xf32>
  // The same as a generic with a quantized-like body.
  // CHECK: fuse.class = #fuse.class<contraction,
  %b = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
      affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<4x4xf16>, tensor<4x4xf16>)
      outs(%acc : tensor<4x4xf32>) {
  ^bb0(%p: f16, %q: f16, %r: f32):
    %one = arith.constant 1.0 : f16
    %z = arith.subf %p, %one : f16
    %l = arith.extf %z : f16 to f32
    %m = arith.extf %q : f16 to f32
    %t = arith.mulf %l, %m : f32
    %s = arith.addf %t, %r : f32
    linalg.yield %s : f32
  } -> tensor<4x4xf32>
  // A weighted sum uses each element once: no contraction.
  // CHECK: fuse.class = #fuse.class<reduction, "iterator 1 is a reduction">
  %c = linalg.generic {indexing_maps = [#id, #id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%a, %b : tensor<4x4xf32>, tensor<4x4xf32>)
      outs(%v : tensor<4xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %t = arith.mulf %p, %q : f32
    %s = arith.addf %r, %t : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // A sum of squares neither.
  // CHECK: fuse.class = #fuse.class<reduction,
  %d = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x4xf32>) outs(%v : tensor<4xf32>) {
  ^bb0(%p: f32, %r: f32):
    %t = arith.mulf %p, %p : f32
    %s = arith.addf %r, %t : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  // CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}fuse.class = #fuse.class<contraction, "products of operands 0 and 1 are summed: iterators 4, 5, 6 are reductions">
  %e = linalg.conv_2d_nhwc_hwcf
      {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
      ins(%img, %f : tensor<1x5x5x2xf32>, tensor<3x3x2x4xf32>)
      outs(%o : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  // CHECK: linalg.softmax {fuse.class = #fuse.class<reduction, "a maximum and a sum along its dimension">}
  %s = linalg.softmax dimension(3) ins(%e : tensor<1x3x3x4xf32>)
      outs(%o : tensor<1x3x3x4xf32>) -> tensor<1x3x3x4xf32>
  return %a, %b, %c, %d, %e, %s : tensor<4x4xf32>, tensor<4x4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<1x3x3x4xf32>, tensor<1x3x3x4xf32>
}

// CHECK-LABEL: func @movement
func.func @movement(%x: tensor<4x4xf32>, %t: tensor<9xf32>,
                    %k: tensor<4x4xindex>)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
        tensor<4x4xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<2x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4x4xf32>
  // CHECK: fuse.class = #fuse.class<movement, "copies operand 0 by map (d0, d1) -> (d0, d1)">
  %a = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  // CHECK: fuse.class = #fuse.class<movement, "permutes operand 0 by map (d0, d1) -> (d1, d0)">
  %b = linalg.generic {indexing_maps = [#tr, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  // CHECK: linalg.transpose {{.*}}permutation = [1, 0] {fuse.class = #fuse.class<movement, "permutes dimensions: [1, 0]">}
  %c = linalg.transpose ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
      permutation = [1, 0]
  // CHECK: fuse.class = #fuse.class<movement, "gathers elements of a tensor by 'tensor.extract' in the body">
  %d = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<4x4xindex>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: index, %o: f32):
    %c9 = arith.constant 9 : index
    %in = arith.cmpi ult, %p, %c9 : index
    cf.assert %in, "index out of range"
    %v = tensor.extract %t[%p] : tensor<9xf32>
    linalg.yield %v : f32
  } -> tensor<4x4xf32>
  // CHECK: fuse.class = #fuse.class<injective, "all iterators are parallel; gathers by 'tensor.extract' in the body">
  %f = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%k : tensor<4x4xindex>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: index, %o: f32):
    %v = tensor.extract %t[%p] : tensor<9xf32>
    %n = arith.negf %v : f32
    linalg.yield %n : f32
  } -> tensor<4x4xf32>
  // CHECK: fuse.class = #fuse.class<broadcast, "repeats operand 0 by map (d0, d1) -> (0, d1), which leaves out loop 0">
  %g = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (0, j)>, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<4x4xf32>
  // CHECK: tensor.concat {{.*}}fuse.class = #fuse.class<movement, "puts its operands one after the other">
  %h = tensor.concat dim(0) %x, %x
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  // CHECK: tensor.extract_slice {{.*}}fuse.class = #fuse.class<movement, "takes elements at offsets and strides">
  %s = tensor.extract_slice %x[1, 0] [2, 4] [1, 1]
      : tensor<4x4xf32> to tensor<2x4xf32>
  // CHECK: tensor.pad
  // CHECK: } {fuse.class = #fuse.class<movement, "copies elements and puts a border around">}
  %p = tensor.pad %s low[1, 0] high[1, 0] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<2x4xf32> to tensor<4x4xf32>
  return %a, %b, %c, %d, %f, %g, %h, %s : tensor<4x4xf32>, tensor<4x4xf32>,
      tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>,
      tensor<8x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func @others
func.func private @ext(tensor<4xf32>) -> tensor<4xf32>
func.func @others(%x: tensor<4xf32>, %m: memref<4xf32>, %n: index,
                  %t: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  // A running sum: each step writes an element.
  // CHECK: fuse.class = #fuse.class<scan, "a result is written by map (d0) -> (d0), at each step of reduction 0">
  %s:2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<4xf32>) outs(%e, %t : tensor<4xf32>, tensor<f32>) {
  ^bb0(%a: f32, %o: f32, %r: f32):
    %u = arith.addf %a, %r : f32
    linalg.yield %u, %u : f32, f32
  } -> (tensor<4xf32>, tensor<f32>)
  // Made of the loop index alone.
  // CHECK: fuse.class = #fuse.class<injective, "no inputs: made of the loop indices">
  %i = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    %j = linalg.index 0 : index
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    linalg.yield %f : f32
  } -> tensor<4xf32>
  // A side effect in the body, as against an assertion.
  // CHECK: fuse.class = #fuse.class<opaque, "'memref.store' in the body has a side effect">
  %q = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
      affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %j = linalg.index 0 : index
    memref.store %a, %m[%j] : memref<4xf32>
    linalg.yield %a : f32
  } -> tensor<4xf32>
  // CHECK: call @ext(%{{.*}}) {fuse.class = #fuse.class<opaque, "a call">}
  %y = func.call @ext(%q) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: fuse.boundary %{{.*}} {fuse.class = #fuse.class<opaque, "no fusion crosses it">}
  %b = fuse.boundary %y : tensor<4xf32>
  // What the user said counts.
  // CHECK: linalg.exp {fuse.class = #fuse.class<opaque, "keep off">}
  %u = linalg.exp {fuse.class = #fuse.class<opaque, "keep off">}
      ins(%b : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  // CHECK: arith.muli {{.*}}fuse.class = #fuse.class<injective, "scalar code of the host">
  %n2 = arith.muli %n, %n : index
  // CHECK: scf.for
  // CHECK: arith.negf %{{.*}} {fuse.class = #fuse.class<injective, "has the element-wise trait">}
  // CHECK: } {fuse.class = #fuse.class<opaque, "a loop of the host">}
  %l = scf.for %z = %c0 to %n2 step %c1 iter_args(%a = %u) -> tensor<4xf32> {
    %w = arith.negf %a : tensor<4xf32>
    scf.yield %w : tensor<4xf32>
  }
  // CHECK: linalg.exp {fuse.class = #fuse.class<opaque, "works on buffers">}
  linalg.exp ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return %l, %s#1 : tensor<4xf32>, tensor<f32>
}

// What the body takes from outside makes no difference, wherever it was made.
// CHECK-LABEL: func @captured
func.func @captured(%x: tensor<4x4xf32>, %t: tensor<9xf32>, %s: f32)
    -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %c2 = arith.constant 2 : index
  %v = tensor.extract %t[%c2] : tensor<9xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  // CHECK: linalg.generic
  // CHECK: fuse.class = #fuse.class<movement, "copies operand 0 by map (d0, d1) -> (d0, d1)">
  %a:2 = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    linalg.yield %p, %v : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  // CHECK: linalg.generic
  // CHECK: fuse.class = #fuse.class<movement, "copies operand 0 by map (d0, d1) -> (d0, d1)">
  %b:2 = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x4xf32>) outs(%e, %e : tensor<4x4xf32>, tensor<4x4xf32>) {
  ^bb0(%p: f32, %o: f32, %q: f32):
    linalg.yield %p, %s : f32, f32
  } -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return %a#0, %a#1, %b#0, %b#1 : tensor<4x4xf32>, tensor<4x4xf32>,
      tensor<4x4xf32>, tensor<4x4xf32>
}
