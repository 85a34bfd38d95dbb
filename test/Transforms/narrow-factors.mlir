// Contractions read what their factors were before they were widened, whatever
// moves elements in between.
// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-normalize-ops | fuse-opt --split-input-file --fuse-normalize-ops | FileCheck %s

// Named operators keep their names; the weight is read as it lies.
// CHECK-LABEL: func @linear
// CHECK-SAME: (%[[X:.*]]: tensor<8x16xf16>, %[[W:.*]]: tensor<32x16xf16>)
// CHECK-NOT: arith.extf
// CHECK: %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<32x16xf16>)
// CHECK: linalg.matmul {{.*}}ins(%[[X]], %[[T]] : tensor<8x16xf16>, tensor<16x32xf16>) outs({{.*}} : tensor<8x32xf32>)
// CHECK-NOT: arith.extf
func.func @linear(%x: tensor<8x16xf16>, %w: tensor<32x16xf16>) -> tensor<8x32xf32> {
  %zero = arith.constant 0.0 : f32
  %xw = arith.extf %x : tensor<8x16xf16> to tensor<8x16xf32>
  %ww = arith.extf %w : tensor<32x16xf16> to tensor<32x16xf32>
  %e = tensor.empty() : tensor<16x32xf32>
  %t = linalg.transpose ins(%ww : tensor<32x16xf32>) outs(%e : tensor<16x32xf32>) permutation = [1, 0]
  %o = tensor.empty() : tensor<8x32xf32>
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<8x32xf32>) -> tensor<8x32xf32>
  %m = linalg.matmul ins(%xw, %t : tensor<8x16xf32>, tensor<16x32xf32>) outs(%f : tensor<8x32xf32>) -> tensor<8x32xf32>
  return %m : tensor<8x32xf32>
}

// -----

// Sizes that are not known, and views.
// CHECK-LABEL: func @dynamic
// CHECK: tensor.collapse_shape %{{.*}} : tensor<?x4x16xbf16> into tensor<?x16xbf16>
// CHECK: linalg.matmul {{.*}}ins({{.*}} : tensor<?x16xbf16>, tensor<16x32xf32>)
func.func @dynamic(%x: tensor<?x4x16xbf16>, %w: tensor<16x32xf32>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %xw = arith.extf %x : tensor<?x4x16xbf16> to tensor<?x4x16xf32>
  %v = tensor.collapse_shape %xw [[0, 1], [2]] : tensor<?x4x16xf32> into tensor<?x16xf32>
  %m = linalg.matmul ins(%v, %w : tensor<?x16xf32>, tensor<16x32xf32>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %m : tensor<?x32xf32>
}

// -----

// Zeros around an image are zeros of any type.
// CHECK-LABEL: func @convolution
// CHECK: tensor.pad
// CHECK: tensor<1x4x10x10xf16>
// CHECK: linalg.conv_2d_nchw_fchw {{.*}}ins({{.*}} : tensor<1x4x10x10xf16>, tensor<8x4x3x3xf16>) outs({{.*}} : tensor<1x8x8x8xf32>)
func.func @convolution(%x: tensor<1x4x8x8xf16>, %w: tensor<8x4x3x3xf16>, %o: tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %xw = arith.extf %x : tensor<1x4x8x8xf16> to tensor<1x4x8x8xf32>
  %ww = arith.extf %w : tensor<8x4x3x3xf16> to tensor<8x4x3x3xf32>
  %p = tensor.pad %xw low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x4x8x8xf32> to tensor<1x4x10x10xf32>
  %c = linalg.conv_2d_nchw_fchw ins(%p, %ww : tensor<1x4x10x10xf32>, tensor<8x4x3x3xf32>) outs(%o : tensor<1x8x8x8xf32>) -> tensor<1x8x8x8xf32>
  return %c : tensor<1x8x8x8xf32>
}

// -----

// How integers are widened is said in the body.
// CHECK-LABEL: func @unsigned
// CHECK: linalg.generic
// CHECK-SAME: ins({{.*}} : tensor<8x16xi8>, tensor<16x4xi8>)
// CHECK-DAG: arith.extui
// CHECK-DAG: arith.extsi
func.func @unsigned(%x: tensor<8x16xi8>, %w: tensor<16x4xi8>, %o: tensor<8x4xi32>) -> tensor<8x4xi32> {
  %xw = arith.extui %x : tensor<8x16xi8> to tensor<8x16xi32>
  %ww = arith.extsi %w : tensor<16x4xi8> to tensor<16x4xi32>
  %m = linalg.matmul ins(%xw, %ww : tensor<8x16xi32>, tensor<16x4xi32>) outs(%o : tensor<8x4xi32>) -> tensor<8x4xi32>
  return %m : tensor<8x4xi32>
}

// -----

// Not what rounds, not what is marked, not zeros that are none, and not for a
// reduction that multiplies nothing.
// CHECK-LABEL: func @kept
// CHECK: arith.truncf
// CHECK: fuse.never_fuse
// CHECK: arith.extf
// CHECK: linalg.matmul {{.*}}ins({{.*}} : tensor<8x16xf16>, tensor<16x8xf32>)
// CHECK: arith.extf
// CHECK: linalg.reduce
// CHECK-SAME: tensor<8x16xf32>
func.func @kept(%x: tensor<8x16xf32>, %w: tensor<16x8xf16>, %y: tensor<8x16xf16>, %o: tensor<8x8xf32>, %r: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>) {
  %t = arith.truncf %x : tensor<8x16xf32> to tensor<8x16xf16>
  %xw = arith.extf %t : tensor<8x16xf16> to tensor<8x16xf32>
  %ww = arith.extf %w {fuse.never_fuse} : tensor<16x8xf16> to tensor<16x8xf32>
  %m = linalg.matmul ins(%xw, %ww : tensor<8x16xf32>, tensor<16x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
  %yw = arith.extf %y : tensor<8x16xf16> to tensor<8x16xf32>
  %s = linalg.reduce {arith.addf} ins(%yw : tensor<8x16xf32>) outs(%r : tensor<8xf32>) dimensions = [1]
  return %m, %s : tensor<8x8xf32>, tensor<8xf32>
}
