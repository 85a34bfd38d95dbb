func.func @main(%x: tensor<?x3x?x?xf32>, %w: tensor<8x3x7x7xf32>, %b: tensor<8xf32>) -> tensor<?x8x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x3x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x3x?x?xf32>
  %v = tensor.dim %x, %c3 : tensor<?x3x?x?xf32>
  %oh = affine.apply affine_map<()[s] -> ((s - 1) floordiv 2 + 1)>()[%h]
  %ow = affine.apply affine_map<()[s] -> ((s - 1) floordiv 2 + 1)>()[%v]
  %p = tensor.pad %x low[0, 0, 3, 3] high[0, 0, 3, 3] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  } : tensor<?x3x?x?xf32> to tensor<?x3x?x?xf32>
  %e = tensor.empty(%n, %oh, %ow) : tensor<?x8x?x?xf32>
  %s = linalg.broadcast ins(%b : tensor<8xf32>) outs(%e : tensor<?x8x?x?xf32>) dimensions = [0, 2, 3]
  %r = linalg.conv_2d_nchw_fchw {strides = dense<2> : vector<2xi64>} ins(%p, %w : tensor<?x3x?x?xf32>, tensor<8x3x7x7xf32>) outs(%s : tensor<?x8x?x?xf32>) -> tensor<?x8x?x?xf32>
  return %r : tensor<?x8x?x?xf32>
}
