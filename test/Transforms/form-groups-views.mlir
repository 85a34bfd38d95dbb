// RUN: fuse-opt %s --pass-pipeline='builtin.module(fuse-classify-ops,fuse-form-groups)' | FileCheck %s

// Views of a value that a group makes, needed in the group and outside of it: the
// whole chain stays outside, of the group's result.
// CHECK-LABEL: func @chain
// CHECK: %[[G:.*]]:2 = fuse.group
// CHECK: linalg.exp
// CHECK: tensor.collapse_shape
// CHECK: tensor.expand_shape
// CHECK: linalg.tanh
// CHECK: fuse.yield
// CHECK: %[[C:.*]] = tensor.collapse_shape %[[G]]#{{[01]}}
// CHECK: %[[E:.*]] = tensor.expand_shape %[[C]]
// CHECK: return %{{.*}}, %[[E]]
func.func @chain(%x: tensor<4x6xf32>) -> (tensor<2x12xf32>, tensor<2x12xf32>) {
  %e = tensor.empty() : tensor<4x6xf32>
  %a = linalg.exp ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<4x6xf32> into tensor<24xf32>
  %v = tensor.expand_shape %c [[0, 1]] output_shape [2, 12] : tensor<24xf32> into tensor<2x12xf32>
  %f = tensor.empty() : tensor<2x12xf32>
  %t = linalg.tanh ins(%v : tensor<2x12xf32>) outs(%f : tensor<2x12xf32>) -> tensor<2x12xf32>
  return %t, %v : tensor<2x12xf32>, tensor<2x12xf32>
}
