// Max pooling, image sizes known at run time only.
func.func @main(%x: tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %low = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?x16x?x?xf32>
  %h = tensor.dim %x, %c2 : tensor<?x16x?x?xf32>
  %w = tensor.dim %x, %c3 : tensor<?x16x?x?xf32>
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %low : f32
  } : tensor<?x16x?x?xf32> to tensor<?x16x?x?xf32>
  %e = tensor.empty(%n, %h, %w) : tensor<?x16x?x?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  %k = tensor.empty() : tensor<3x3xf32>
  %r = linalg.pooling_nchw_max {dilations = dense<1> : vector<2xi64>, strides = dense<1> : vector<2xi64>} ins(%p, %k : tensor<?x16x?x?xf32>, tensor<3x3xf32>) outs(%f : tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32>
  return %r : tensor<?x16x?x?xf32>
}
