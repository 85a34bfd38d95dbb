// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops --fuse-normalize-ops | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops=fold-unit-dims=false | FileCheck %s --check-prefix=UNIT
// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// Element-wise operators on tensors become structured; the init is a shape
// only; the pre-order number is that of the input; the mark moves along, and
// not into the body.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>,
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4xf32>
// CHECK: %[[A:.*]] = linalg.generic
// CHECK-SAME: ins(%[[X]], %[[X]] :
// CHECK-SAME: outs(%[[E]] :
// CHECK-SAME: attrs =  {fuse.must_fuse = "a", fuse.ordinal = 0 : i64}
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: linalg.generic
// CHECK-SAME: ins(%{{.*}}, %[[A]], %[[X]] : i1, tensor<4xf32>, tensor<4xf32>)
// CHECK-SAME: fuse.ordinal = 1 : i64
// LOC-LABEL: func @elementwise
// LOC: arith.addf {{.*}} loc(#[[ADD:.*]])
// LOC: } -> tensor<4xf32> loc(#[[ADD]])
// LOC: #[[ADD]] = loc("{{.*}}normalize-ops.mlir":
func.func @elementwise(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %a = arith.addf %x, %x {fuse.must_fuse = "a"} : tensor<4xf32>
  %s = arith.select %c, %a, %x : tensor<4xf32>
  return %s : tensor<4xf32>
}

// -----

// The maximum of a softmax hands NaN on and starts at -inf. Every part keeps
// the mark of the whole.
// CHECK-LABEL: func @softmax
// CHECK-DAG: %[[NINF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: linalg.fill {{.*}}ins(%[[NINF]]
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]
// CHECK-SAME: fuse.never_fuse, fuse.ordinal = 1 : i64
// CHECK: arith.maximumf
// CHECK: fuse.never_fuse
// CHECK: arith.subf
// CHECK-NEXT: math.exp
// CHECK: fuse.never_fuse
// CHECK: arith.addf
// CHECK: fuse.never_fuse
// CHECK: arith.divf
// CHECK-NOT: linalg.softmax
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %s = linalg.softmax {fuse.never_fuse} dimension(1)
      ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %s : tensor<4x8xf32>
}

// -----

#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The index of the maximum has no use: its accumulator, comparison, select and
// linalg.index go; the maximum stays as it is.
// CHECK-LABEL: func @dead_argmax
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: outs(%{{[^,]*}} : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: f32, %[[OUT:.*]]: f32):
// CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[IN]], %[[OUT]] : f32
// CHECK-NEXT: linalg.yield %[[M]] : f32
// CHECK: return %[[R]]
func.func @dead_argmax(%x: tensor<4x8xf32>, %v: tensor<4xf32>,
                       %i: tensor<4xi64>) -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [#map, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %best: f32, %where: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %best : f32
    %gt = arith.cmpf ogt, %in, %best : f32
    %w = arith.select %gt, %k, %where : i64
    linalg.yield %m, %w : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0 : tensor<4xf32>
}

// What the body leaves as it was is what the result begins with; the sum goes on
// to read it, as an input.
// CHECK-LABEL: func @unchanged_result
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xi32>, %[[V:.*]]: tensor<4xi32>, %[[W:.*]]: tensor<4xi32>)
// CHECK: %[[R:.*]] = linalg.generic
// CHECK-SAME: ins(%[[X]], %[[V]] : tensor<4x8xi32>, tensor<4xi32>)
// CHECK-SAME: outs(%[[W]] : tensor<4xi32>)
// CHECK-NEXT: ^bb0(%[[IN:.*]]: i32, %[[FIRST:.*]]: i32, %[[OUT:.*]]: i32):
// CHECK-NEXT: %[[M:.*]] = arith.muli %[[IN]], %[[FIRST]] : i32
// CHECK-NEXT: %[[S:.*]] = arith.addi %[[OUT]], %[[M]] : i32
// CHECK-NEXT: linalg.yield %[[S]] : i32
// CHECK: return %[[V]], %[[R]]
func.func @unchanged_result(%x: tensor<4x8xi32>, %v: tensor<4xi32>,
                            %w: tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>) {
  %r:2 = linalg.generic {indexing_maps = [#map, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi32>) outs(%v, %w : tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%in: i32, %same: i32, %sum: i32):
    %none = arith.xori %in, %in : i32
    %kept = arith.ori %same, %none : i32
    %m = arith.muli %in, %same : i32
    %s = arith.addi %sum, %m : i32
    linalg.yield %kept, %s : i32, i32
  } -> (tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// An operator all of whose results stay as they were is none.
// CHECK-LABEL: func @unchanged_results
// CHECK-SAME: %[[V:[^ ]*]]: tensor<4xi32>)
// CHECK-NEXT: return %[[V]]
func.func @unchanged_results(%x: tensor<4x8xi32>, %v: tensor<4xi32>)
    -> tensor<4xi32> {
  %r = linalg.generic {indexing_maps = [#map, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xi32>) outs(%v : tensor<4xi32>) {
  ^bb0(%in: i32, %same: i32):
    linalg.yield %same : i32
  } -> tensor<4xi32>
  return %r : tensor<4xi32>
}

// The other way round: the index needs the running maximum, so both stay.
// CHECK-LABEL: func @live_argmax
// CHECK: linalg.generic
// CHECK-SAME: outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xi64>)
func.func @live_argmax(%x: tensor<4x8xf32>, %v: tensor<4xf32>,
                       %i: tensor<4xi64>) -> tensor<4xi64> {
  %r:2 = linalg.generic {indexing_maps = [#map, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%v, %i : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%in: f32, %best: f32, %where: i64):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i64
    %m = arith.maximumf %in, %best : f32
    %gt = arith.cmpf ogt, %in, %best : f32
    %w = arith.select %gt, %k, %where : i64
    linalg.yield %m, %w : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#1 : tensor<4xi64>
}

// An assertion reads the second accumulator: it stays too.
// CHECK-LABEL: func @asserted_result
// CHECK: outs(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
// CHECK: cf.assert
func.func @asserted_result(%x: tensor<4x8xf32>, %v: tensor<4xf32>)
    -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [#map, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%v, %v : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%in: f32, %a: f32, %b: f32):
    %m = arith.maximumf %in, %a : f32
    %n = arith.minimumf %in, %b : f32
    %ok = arith.cmpf ole, %b, %a : f32
    cf.assert %ok, "minimum above maximum"
    linalg.yield %m, %n : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0 : tensor<4xf32>
}

// -----

#in = affine_map<(a, b, c, d) -> (a, b, c, d)>
#unit = affine_map<(a, b, c, d) -> (a, 0, c, d)>

// Unit dimensions go into views; linalg.index still counts dimension 1.
// CHECK-LABEL: func @unit_dims
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1, 2], [3]] {{.*}}: tensor<1x3x1x2xi32> into tensor<3x2xi32>
// CHECK: linalg.generic
// CHECK-SAME: iterator_types = ["parallel", "parallel"]
// CHECK-SAME: fuse.ordinal = 1 : i64
// CHECK: linalg.index 0 : index
// UNIT-LABEL: func @unit_dims
// UNIT: iterator_types = ["parallel", "parallel", "parallel", "parallel"]
// UNIT: linalg.index 1 : index
func.func @unit_dims(%x: tensor<1x3x1x2xi32>, %b: tensor<1x1x1x2xi32>)
    -> tensor<1x3x1x2xi32> {
  %e = tensor.empty() : tensor<1x3x1x2xi32>
  %p = linalg.generic {indexing_maps = [#in, #unit, #in],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %b : tensor<1x3x1x2xi32>, tensor<1x1x1x2xi32>)
      outs(%e : tensor<1x3x1x2xi32>) {
  ^bb0(%v: i32, %w: i32, %o: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %s = arith.addi %v, %w : i32
    %u = arith.addi %s, %k : i32
    linalg.yield %u : i32
  } -> tensor<1x3x1x2xi32>
  return %p : tensor<1x3x1x2xi32>
}

// -----

// TOSA, with a rescale; no operator of it is left.
// CHECK-LABEL: func @tosa
// CHECK: linalg.batch_matmul {fuse.ordinal = 1 : i64}
// CHECK: linalg.generic
// CHECK-SAME: fuse.ordinal = 2 : i64
// CHECK: arith.addf
// CHECK: fuse.ordinal = 3 : i64
// CHECK: arith.minimumf
// CHECK-NOT: tosa.
func.func @tosa(%a: tensor<2x2x2xf32>, %b: tensor<2x2x2xf32>,
                %bias: tensor<1x1x2xf32>) -> tensor<2x2x2xf32> {
  %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}>
      : () -> tensor<1xf32>
  %m = tosa.matmul %a, %b, %zp, %zp : (tensor<2x2x2xf32>, tensor<2x2x2xf32>,
      tensor<1xf32>, tensor<1xf32>) -> tensor<2x2x2xf32>
  %s = tosa.add %m, %bias
      : (tensor<2x2x2xf32>, tensor<1x1x2xf32>) -> tensor<2x2x2xf32>
  %r = tosa.clamp %s {min_val = 0.0 : f32, max_val = 100.0 : f32}
      : (tensor<2x2x2xf32>) -> tensor<2x2x2xf32>
  return %r : tensor<2x2x2xf32>
}

// -----

// Static reshapes are views, by way of one dimension if need be.
// CHECK-LABEL: func @reshape
// CHECK: %[[C:.*]] = tensor.collapse_shape %{{.*}} {{\[}}[0, 1]] {{.*}}: tensor<2x6xf32> into tensor<12xf32>
// CHECK: tensor.expand_shape %[[C]] {{\[}}[0, 1]] output_shape [3, 4] {{.*}}: tensor<12xf32> into tensor<3x4xf32>
// CHECK-NOT: tensor.reshape
func.func @reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %s = arith.constant dense<[3, 4]> : tensor<2xi64>
  %r = tensor.reshape %x(%s) : (tensor<2x6xf32>, tensor<2xi64>)
      -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// -----

// CHECK-LABEL: func @splat
// CHECK: linalg.fill
// CHECK: linalg.fill
// CHECK: linalg.generic
// CHECK: linalg.index 0
// CHECK-NOT: tensor.{{splat|from_elements|generate}}
func.func @splat(%s: f32) -> (tensor<4xf32>, tensor<f32>, tensor<4xindex>) {
  %a = tensor.splat %s : tensor<4xf32>
  %b = tensor.from_elements %s : tensor<f32>
  %c = tensor.generate {
  ^bb0(%i: index):
    %d = arith.addi %i, %i : index
    tensor.yield %d : index
  } : tensor<4xindex>
  return %a, %b, %c : tensor<4xf32>, tensor<f32>, tensor<4xindex>
}

// -----

// Pack and unpack are pads, views and transposes.
// CHECK-LABEL: func @pack
// CHECK: tensor.expand_shape
// CHECK: linalg.transpose
// CHECK-NOT: linalg.pack
func.func @pack(%x: tensor<8x6xf32>) -> tensor<4x3x2x2xf32> {
  %e = tensor.empty() : tensor<4x3x2x2xf32>
  %p = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [2, 2] into %e
      : tensor<8x6xf32> -> tensor<4x3x2x2xf32>
  return %p : tensor<4x3x2x2xf32>
}

// -----

// Buffers only: nothing changes.
// CHECK-LABEL: func @buffers
// CHECK: linalg.generic
// CHECK-SAME: memref<1x4xi32>
// CHECK-NOT: fuse.ordinal
func.func @buffers(%a: memref<1x4xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]} outs(%a : memref<1x4xi32>) {
  ^bb0(%v: i32):
    %s = arith.addi %v, %v : i32
    linalg.yield %s : i32
  }
  return
}

// -----

// A group in the input keeps its operators, even where one outside is equal.
// CHECK-LABEL: func @group
// CHECK: linalg.generic
// CHECK: fuse.group "g"
// CHECK: linalg.generic
// CHECK: linalg.generic
// CHECK: fuse.yield
func.func @group(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a = math.exp %x : tensor<4xf32>
  %g = fuse.group "g" -> (tensor<4xf32>) {
    %b = math.exp %x : tensor<4xf32>
    %c = arith.negf %b : tensor<4xf32>
    fuse.yield %c : tensor<4xf32>
  }
  return %a, %g : tensor<4xf32>, tensor<4xf32>
}

// -----

// A group of no-ops is what it was given.
// CHECK-LABEL: func @empty_group
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: return %[[X]]
func.func @empty_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  %g = fuse.group -> (tensor<4xf32>) {
    %b = tensor.expand_shape %x [[0, 1]] output_shape [4, 1]
        : tensor<4xf32> into tensor<4x1xf32>
    %c = tensor.collapse_shape %b [[0, 1]] : tensor<4x1xf32> into tensor<4xf32>
    fuse.yield %c : tensor<4xf32>
  }
  return %g : tensor<4xf32>
}

// -----

// The body of a linalg.map may read its init: that one stays, as a generic,
// which says so; the other goes.
// CHECK-LABEL: func @map_inits
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>)
// CHECK: linalg.generic
// CHECK-SAME: ins(%[[X]] : tensor<4xf32>) outs(%[[Y]] : tensor<4xf32>)
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: linalg.map
// CHECK-SAME: outs(%[[E]] : tensor<4xf32>)
func.func @map_inits(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>) {
  %m = linalg.map ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>)
    (%a: f32, %old: f32) {
      %s = arith.subf %old, %a : f32
      linalg.yield %s : f32
    }
  %n = linalg.map { math.exp } ins(%x : tensor<4xf32>)
      outs(%y : tensor<4xf32>)
  return %m, %n : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop of no round leaves the inits; what has no elements is not moved.
// CHECK-LABEL: func @no_elements
// CHECK-SAME: (%{{.*}}: tensor<3x0xf32>, %[[I:.*]]: tensor<3xf32>, %[[Y:.*]]: tensor<2x4xf32>)
// CHECK: %[[E:.*]] = tensor.empty() : tensor<3x0xf32>
// CHECK: return %[[E]], %[[I]], %[[Y]]
func.func @no_elements(%x: tensor<3x0xf32>, %i: tensor<3xf32>,
                       %y: tensor<2x4xf32>)
    -> (tensor<3x0xf32>, tensor<3xf32>, tensor<2x4xf32>) {
  %e = tensor.empty() : tensor<3x0xf32>
  %p = linalg.exp ins(%x : tensor<3x0xf32>) outs(%e : tensor<3x0xf32>)
      -> tensor<3x0xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<3x0xf32>)
      outs(%i : tensor<3xf32>) dimensions = [1]
  %z = tensor.extract_slice %y[1, 0] [0, 4] [1, 1]
      : tensor<2x4xf32> to tensor<0x4xf32>
  %c = tensor.concat dim(0) %y, %z
      : (tensor<2x4xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  return %p, %s, %c : tensor<3x0xf32>, tensor<3xf32>, tensor<2x4xf32>
}

// -----

// A tensor beside itself is a broadcast; beside another one it is not.
// CHECK-LABEL: func @repeat
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>, %[[Y:.*]]: tensor<2x4xf32>)
// CHECK: %[[B:.*]] = linalg.broadcast ins(%[[X]] : tensor<2x4xf32>) outs(%{{.*}} : tensor<2x3x4xf32>) dimensions = [1]
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[B]] {{\[\[}}0], [1, 2]] {{.*}} : tensor<2x3x4xf32> into tensor<2x12xf32>
// CHECK: %[[D:.*]] = tensor.concat dim(1) %[[X]], %[[Y]]
// CHECK: return %[[C]], %[[D]]
func.func @repeat(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>)
    -> (tensor<2x12xf32>, tensor<2x8xf32>) {
  %c = tensor.concat dim(1) %x, %x, %x
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  %d = tensor.concat dim(1) %x, %y
      : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return %c, %d : tensor<2x12xf32>, tensor<2x8xf32>
}

// CHECK-LABEL: func @repeat_of_unknown_size
// CHECK: tensor.concat dim(1) {{.*}} : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x8xf32>
func.func @repeat_of_unknown_size(%x: tensor<2x?xf32>) -> tensor<2x8xf32> {
  %c = tensor.concat dim(1) %x, %x
      : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// -----

// A gather of rows, with and without the gathered dimension in the result.
// CHECK-LABEL: func @gather
// CHECK-SAME: (%[[T:.*]]: tensor<9x4xf32>, %[[K:.*]]: tensor<2x3x1xi32>)
// CHECK: linalg.generic
// CHECK-DAG: %[[I:.*]] = linalg.index 0
// CHECK-DAG: %[[J:.*]] = linalg.index 1
// CHECK-DAG: %[[C:.*]] = linalg.index 2
// CHECK: %[[R:.*]] = tensor.extract %[[K]][%[[I]], %[[J]], %{{.*}}]
// CHECK: %[[P:.*]] = arith.index_cast %[[R]]
// CHECK: tensor.extract %[[T]][%[[P]], %[[C]]]
// CHECK-NOT: tensor.gather
func.func @gather(%t: tensor<9x4xf32>, %k: tensor<2x3x1xi32>)
    -> (tensor<2x3x4xf32>, tensor<2x3x1x4xf32>) {
  %a = tensor.gather %t[%k] gather_dims([0])
      : (tensor<9x4xf32>, tensor<2x3x1xi32>) -> tensor<2x3x4xf32>
  %b = tensor.gather %t[%k] gather_dims([0])
      : (tensor<9x4xf32>, tensor<2x3x1xi32>) -> tensor<2x3x1x4xf32>
  return %a, %b : tensor<2x3x4xf32>, tensor<2x3x1x4xf32>
}

// -----

// A copy of a value is the value; one that converts stays.
// CHECK-LABEL: func @copies
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
// CHECK: %[[C:.*]] = linalg.copy
// CHECK: return %[[X]], %[[C]]
func.func @copies(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4xf32>
  %d = tensor.empty() : tensor<4xf64>
  %a = linalg.copy ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
      -> tensor<4xf32>
  %b = linalg.copy ins(%x : tensor<4xf32>) outs(%d : tensor<4xf64>)
      -> tensor<4xf64>
  return %a, %b : tensor<4xf32>, tensor<4xf64>
}

// -----

// Marks on TOSA reach the operator that replaces it, a class of the user's too,
// and an ordinal that is there already stays.
// CHECK-LABEL: func @tosa_marks
// CHECK: linalg.generic
// CHECK-SAME: attrs =  {fuse.must_fuse = "t", fuse.ordinal = 0 : i64}
// CHECK: linalg.generic
// CHECK-SAME: attrs =  {fuse.class = #fuse.class<opaque, "mine">, fuse.ordinal = 1 : i64}
// CHECK: linalg.generic
// CHECK-SAME: attrs =  {fuse.never_fuse, fuse.ordinal = 40 : i64}
func.func @tosa_marks(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>)
    -> tensor<4x4xf32> {
  %0 = tosa.add %a, %b {fuse.must_fuse = "t"}
      : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = tosa.exp %0 {fuse.class = #fuse.class<opaque, "mine">}
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = tosa.abs %1 {fuse.ordinal = 40 : i64, fuse.never_fuse}
      : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
