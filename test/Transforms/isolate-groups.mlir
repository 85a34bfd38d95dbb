// RUN: fuse-opt %s --split-input-file --fuse-isolate-groups | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-isolate-groups --remarks-filter="fuse-isolate-groups" --remark-format=emitRemark 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK

#id = affine_map<(i) -> (i)>

// Tensors and scalars become operands; the small constant, the empty and the
// scalar constant are copied into the body, the large constant is an operand.
// CHECK-LABEL: func @operands
// CHECK-SAME: (%[[X:.*]]: tensor<20xf32>, %[[S:.*]]: f32)
// CHECK: %[[BIG:.*]] = arith.constant dense<[0.000000e+00, {{.*}}]> : tensor<20xf32>
// CHECK: %[[OUT:.*]] = tensor.empty() : tensor<20xf32>
// CHECK: fuse.kernel "scale" ins(%{{.*}}, %{{.*}}, %{{.*}} : {{.*}}) outs(%[[OUT]] : tensor<20xf32>)
// CHECK-SAME: cost = #fuse.cost<{flops = 7 : i64}>
// CHECK-SAME: op_class = #fuse.class<injective, "by hand">
// CHECK-NEXT: ^bb0(%{{.*}}: {{.*}}, %{{.*}}: {{.*}}, %{{.*}}: {{.*}}, %{{.*}}: tensor<20xf32>):
// CHECK-DAG: arith.constant dense<5.000000e-01> : tensor<20xf32>
// CHECK-DAG: arith.constant 3.000000e+00 : f32
// CHECK-DAG: tensor.empty() : tensor<20xf32>
// CHECK: linalg.generic
// CHECK: fuse.yield
func.func @operands(%x: tensor<20xf32>, %s: f32) -> tensor<20xf32> {
  %half = arith.constant dense<0.5> : tensor<20xf32>
  %big = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]> : tensor<20xf32>
  %three = arith.constant 3.0 : f32
  %e = tensor.empty() : tensor<20xf32>
  %r = fuse.group "scale" -> (tensor<20xf32>) attributes {
      op_class = #fuse.class<injective, "by hand">,
      cost = #fuse.cost<{flops = 7 : i64}>} {
    %0 = linalg.generic {indexing_maps = [#id, #id, #id, #id],
        iterator_types = ["parallel"]}
        ins(%x, %half, %big : tensor<20xf32>, tensor<20xf32>, tensor<20xf32>)
        outs(%e : tensor<20xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
      %t = arith.mulf %a, %b : f32
      %u = arith.addf %t, %c : f32
      %v = arith.mulf %u, %three : f32
      %w = arith.addf %v, %s : f32
      linalg.yield %w : f32
    } -> tensor<20xf32>
    fuse.yield %0 : tensor<20xf32>
  }
  return %r : tensor<20xf32>
}

// -----

// A value that is yielded twice is stored once; a fill goes where it is used,
// and is a kernel where the host needs it.
// CHECK-LABEL: func @fills
// CHECK: %[[F:.*]] = fuse.kernel "fills_fill"
// CHECK: linalg.fill
// CHECK: %[[K:.*]] = fuse.kernel "twice" ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<4xf32>) -> (tensor<4xf32>)
// CHECK: linalg.fill
// CHECK: linalg.add
// CHECK: return %[[K]], %[[K]], %[[F]]
func.func @fills(%x: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g:2 = fuse.group "twice" -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = linalg.add ins(%x, %f : tensor<4xf32>, tensor<4xf32>)
        outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %0, %0 : tensor<4xf32>, tensor<4xf32>
  }
  return %g#0, %g#1, %f : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Outside of groups: computation and copies are kernels; views, sizes, element
// reads, calls and control flow are the host's. The boundary is gone.
// CHECK-LABEL: func @alone
// CHECK: fuse.kernel "alone_5_exp"
// CHECK: tensor.expand_shape
// CHECK: scf.for
// CHECK: fuse.kernel "alone_concat"
// CHECK: tensor.concat
// CHECK: fuse.kernel "alone_extract_slice"
// CHECK: call @ext
// CHECK: tensor.extract %
// CHECK-NOT: fuse.boundary
func.func private @ext(tensor<4xf32>) -> tensor<4xf32>
func.func @alone(%x: tensor<4xf32>, %n: index) -> (tensor<2x2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {fuse.ordinal = 5 : i64} ins(%x : tensor<4xf32>)
      outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = fuse.boundary %0 : tensor<4xf32>
  %v = tensor.expand_shape %b [[0, 1]] output_shape [2, 2]
      : tensor<4xf32> into tensor<2x2xf32>
  %l = scf.for %i = %c0 to %n step %c1 iter_args(%a = %b) -> tensor<4xf32> {
    %c = tensor.concat dim(0) %a, %x
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    %s = tensor.extract_slice %c[2] [4] [1] : tensor<8xf32> to tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %y = func.call @ext(%l) : (tensor<4xf32>) -> tensor<4xf32>
  %z = tensor.extract %y[%c0] : tensor<4xf32>
  return %v, %z : tensor<2x2xf32>, f32
}

// -----

// One f64 matmul into another is no kernel: the group is split, and the
// element-wise operator stays with the first.
// CHECK-LABEL: func @split
// CHECK: %[[A:.*]] = fuse.kernel "split_matmul"
// CHECK: linalg.matmul
// CHECK: linalg.exp
// CHECK: fuse.yield
// CHECK: %[[B:.*]] = fuse.kernel "split_matmul_1" ins(%[[A]],
// CHECK: linalg.matmul
// CHECK: return %[[B]]
// REMARK: remark: [Missed] GroupSplit | Category:fuse-isolate-groups | Function=split
// REMARK-SAME: kernels=2, rule=nested-reduction
func.func @split(%x: tensor<8x8xf64>, %y: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8x8xf64>
  %f = linalg.fill ins(%zero : f64) outs(%e : tensor<8x8xf64>)
      -> tensor<8x8xf64>
  %g = fuse.group -> (tensor<8x8xf64>) {
    %0 = linalg.matmul ins(%x, %y : tensor<8x8xf64>, tensor<8x8xf64>)
        outs(%f : tensor<8x8xf64>) -> tensor<8x8xf64>
    %1 = linalg.exp ins(%0 : tensor<8x8xf64>) outs(%e : tensor<8x8xf64>)
        -> tensor<8x8xf64>
    %2 = linalg.matmul ins(%1, %y : tensor<8x8xf64>, tensor<8x8xf64>)
        outs(%f : tensor<8x8xf64>) -> tensor<8x8xf64>
    fuse.yield %2 : tensor<8x8xf64>
  }
  return %g : tensor<8x8xf64>
}

// -----

// What no kernel can compute leaves the group; the view of a kernel's result
// that the group yields becomes the host's.
// CHECK-LABEL: func @call_in_group
// CHECK: %[[A:.*]] = fuse.kernel "call_in_group_exp"
// CHECK: %[[C:.*]] = call @sort(%[[A]])
// CHECK: %[[B:.*]] = fuse.kernel "call_in_group_abs" ins(%[[C]]
// CHECK: %[[V:.*]] = tensor.expand_shape %[[B]]
// CHECK: return %[[V]]
// REMARK: Function=call_in_group
// REMARK-SAME: rule=unsupported-op
func.func private @sort(tensor<4xf32>) -> tensor<4xf32>
func.func @call_in_group(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %g = fuse.group -> (tensor<2x2xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        -> tensor<4xf32>
    %1 = func.call @sort(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.abs ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>)
        -> tensor<4xf32>
    %3 = tensor.expand_shape %2 [[0, 1]] output_shape [2, 2]
        : tensor<4xf32> into tensor<2x2xf32>
    fuse.yield %3 : tensor<2x2xf32>
  }
  return %g : tensor<2x2xf32>
}

// -----

// The size of a dynamic result comes from the kernel's inputs.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>)
// CHECK: tensor.dim %[[X]]
// CHECK: %[[M:.*]] = affine.apply
// CHECK: %[[E:.*]] = tensor.empty(%[[M]]) : tensor<?xf32>
// CHECK: fuse.kernel "dynamic_exp" {{.*}}outs(%[[E]] : tensor<?xf32>)
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %g = fuse.group -> (tensor<?xf32>) {
    %0 = linalg.exp ins(%x : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>)
        -> tensor<?x4xf32>
    %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
    fuse.yield %1 : tensor<?xf32>
  }
  return %g : tensor<?xf32>
}

// -----

// Names are identifiers, and no two kernels share one.
// CHECK: fuse.kernel "a_b_3_exp"
// CHECK: fuse.kernel "a_b_3_exp_1"
// CHECK: fuse.kernel "_9"
func.func @"a-b"(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {fuse.ordinal = 3 : i64} ins(%x : tensor<4xf32>)
      outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @"a.b"(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp {fuse.ordinal = 3 : i64} ins(%x : tensor<4xf32>)
      outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %g = fuse.group "9" -> (tensor<4xf32>) {
    %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %0, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// A scalar that a group yields is read by the host.
// CHECK-LABEL: func @scalar_result
// CHECK: %[[K:.*]] = fuse.kernel "scalar_result_exp"
// CHECK: %[[S:.*]] = tensor.extract %[[K]]
// CHECK: return %[[S]]
func.func @scalar_result(%x: tensor<4xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<4xf32>
  %g = fuse.group -> (f32) {
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        -> tensor<4xf32>
    %1 = tensor.extract %0[%c0] : tensor<4xf32>
    fuse.yield %1 : f32
  }
  return %g : f32
}
