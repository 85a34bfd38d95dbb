// A slice that takes every so many-th element and drops one of several unit
// dimensions, which upstream's lowering of views cannot do in one step: read,
// and written into another tensor.
// RUN: fuse-run %s | FileCheck %s
// CHECK: verified{{ +}}yes
func.func @main(%x: tensor<16x1x1x100xf64>, %y: tensor<16x1x1x100xf64>)
    -> (tensor<2x1x14xf64>, tensor<16x1x1x100xf64>) {
  %s = tensor.extract_slice %x[12, 0, 0, 8] [2, 1, 1, 14] [2, 1, 1, 3]
      : tensor<16x1x1x100xf64> to tensor<2x1x14xf64>
  %r = tensor.insert_slice %s into %y[1, 0, 0, 2] [2, 1, 1, 14] [3, 1, 1, 2]
      : tensor<2x1x14xf64> into tensor<16x1x1x100xf64>
  return %s, %r : tensor<2x1x14xf64>, tensor<16x1x1x100xf64>
}
