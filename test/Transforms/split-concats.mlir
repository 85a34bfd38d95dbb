// A concatenation with single elements of which reductions read all, and slices the
// rest, is split: what reductions begin with has the elements.
// RUN: fuse-opt %s --fuse-normalize-ops | FileCheck %s
// RUN: fuse-opt %s --fuse-normalize-ops=fp-order=strict | FileCheck %s --check-prefix=STRICT

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

// The maximum begins with that of its initial value and the element, here the
// first; the slice is the long part.
// CHECK-LABEL: @softmax
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[S:.*]]: tensor<8x1xf32>)
// CHECK-NOT: tensor.concat
// CHECK: %[[ELEMENT:.*]] = tensor.collapse_shape %[[S]] {{\[\[}}0, 1]]
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}} ins(%[[ELEMENT]], %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[M:.*]] = linalg.reduce { arith.maximumf } ins(%[[X]] : tensor<8x64xf32>) outs(%[[FIRST]] : tensor<8xf32>)
// CHECK: %[[E:.*]] = linalg.generic {{.*}} ins(%[[X]], %[[M]] : tensor<8x64xf32>, tensor<8xf32>)
// CHECK: %[[ONE:.*]] = linalg.generic {{.*}} ins(%[[ELEMENT]], %[[M]] : tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[BEGIN:.*]] = linalg.generic {{.*}} ins(%[[ONE]], %{{.*}} : tensor<8xf32>, tensor<8xf32>)
// CHECK: %[[L:.*]] = linalg.reduce { arith.addf } ins(%[[E]] : tensor<8x64xf32>) outs(%[[BEGIN]] : tensor<8xf32>)
// CHECK: return %[[E]], %[[L]]
// Sums in the order of the source have the element where it stands.
// STRICT-LABEL: @softmax
// STRICT: tensor.concat
func.func @softmax(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %c = tensor.concat dim(1) %s, %x : (tensor<8x1xf32>, tensor<8x64xf32>) -> tensor<8x65xf32>
  %re = tensor.empty() : tensor<8xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %none = linalg.fill ins(%zero : f32) outs(%re : tensor<8xf32>) -> tensor<8xf32>
  %m = linalg.reduce {arith.maximumf} ins(%c : tensor<8x65xf32>) outs(%low : tensor<8xf32>) dimensions = [1]
  %ce = tensor.empty() : tensor<8x65xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %m : tensor<8x65xf32>, tensor<8xf32>) outs(%ce : tensor<8x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<8x65xf32>
  %l = linalg.reduce {arith.addf} ins(%e : tensor<8x65xf32>) outs(%none : tensor<8xf32>) dimensions = [1]
  %y = tensor.extract_slice %e[0, 1] [8, 64] [1, 1] : tensor<8x65xf32> to tensor<8x64xf32>
  return %y, %l : tensor<8x64xf32>, tensor<8xf32>
}

// Views that leave the dimension alone, and element-wise operators by name, are
// followed; two elements are two beginnings.
// CHECK-LABEL: @views
// CHECK-NOT: tensor.concat
// CHECK: linalg.exp {{.*}}ins(%{{.*}} : tensor<2x4x64xf32>)
// CHECK: linalg.reduce {{.*}}ins(%{{.*}} : tensor<2x4x64xf32>)
func.func @views(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>, %t: tensor<8x1xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.concat dim(1) %s, %x, %t : (tensor<8x1xf32>, tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x66xf32>
  %v = tensor.expand_shape %c [[0, 1], [2]] output_shape [2, 4, 66] : tensor<8x66xf32> into tensor<2x4x66xf32>
  %e = tensor.empty() : tensor<2x4x66xf32>
  %p = linalg.exp ins(%v : tensor<2x4x66xf32>) outs(%e : tensor<2x4x66xf32>) -> tensor<2x4x66xf32>
  %re = tensor.empty() : tensor<2x4xf32>
  %none = linalg.fill ins(%zero : f32) outs(%re : tensor<2x4xf32>) -> tensor<2x4xf32>
  %l = linalg.reduce {arith.addf} ins(%p : tensor<2x4x66xf32>) outs(%none : tensor<2x4xf32>) dimensions = [2]
  return %l : tensor<2x4xf32>
}

// Not if all of it is read elsewhere, if both parts are long, along another
// dimension, if the element is in the slice, or by an operator that is marked.
// CHECK-LABEL: @returned
// CHECK: tensor.concat
func.func @returned(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>, %i: tensor<8xf32>) -> (tensor<8x65xf32>, tensor<8xf32>) {
  %c = tensor.concat dim(1) %x, %s : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x65xf32>
  %l = linalg.reduce {arith.addf} ins(%c : tensor<8x65xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
  return %c, %l : tensor<8x65xf32>, tensor<8xf32>
}

// CHECK-LABEL: @long_parts
// CHECK: tensor.concat
func.func @long_parts(%x: tensor<8x64xf32>, %s: tensor<8x2xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.concat dim(1) %x, %s : (tensor<8x64xf32>, tensor<8x2xf32>) -> tensor<8x66xf32>
  %l = linalg.reduce {arith.addf} ins(%c : tensor<8x66xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
  return %l : tensor<8xf32>
}

// CHECK-LABEL: @other_dimension
// CHECK: tensor.concat
func.func @other_dimension(%x: tensor<8x64xf32>, %s: tensor<1x64xf32>, %i: tensor<9xf32>) -> tensor<9xf32> {
  %c = tensor.concat dim(0) %x, %s : (tensor<8x64xf32>, tensor<1x64xf32>) -> tensor<9x64xf32>
  %l = linalg.reduce {arith.addf} ins(%c : tensor<9x64xf32>) outs(%i : tensor<9xf32>) dimensions = [1]
  return %l : tensor<9xf32>
}

// CHECK-LABEL: @sliced
// CHECK: tensor.concat
func.func @sliced(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>, %i: tensor<8xf32>) -> (tensor<8x2xf32>, tensor<8xf32>) {
  %c = tensor.concat dim(1) %x, %s : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x65xf32>
  %l = linalg.reduce {arith.addf} ins(%c : tensor<8x65xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
  %y = tensor.extract_slice %c[0, 63] [8, 2] [1, 1] : tensor<8x65xf32> to tensor<8x2xf32>
  return %y, %l : tensor<8x2xf32>, tensor<8xf32>
}

// CHECK-LABEL: @marked
// CHECK: tensor.concat
func.func @marked(%x: tensor<8x64xf32>, %s: tensor<8x1xf32>, %i: tensor<8xf32>) -> tensor<8xf32> {
  %c = tensor.concat dim(1) %x, %s {fuse.never_fuse} : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x65xf32>
  %l = linalg.reduce {arith.addf} ins(%c : tensor<8x65xf32>) outs(%i : tensor<8xf32>) dimensions = [1]
  return %l : tensor<8xf32>
}
