// Tokens of a batch as rows of a product, and as rows of a batch again.
func.func @main(%x: tensor<?x?x12xf32>, %w: tensor<12x8xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %b = tensor.dim %x, %c0 : tensor<?x?x12xf32>
  %s = tensor.dim %x, %c1 : tensor<?x?x12xf32>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x?x12xf32> into tensor<?x12xf32>
  %n = tensor.dim %rows, %c0 : tensor<?x12xf32>
  %e = tensor.empty(%n) : tensor<?x8xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %y = linalg.matmul ins(%rows, %w : tensor<?x12xf32>, tensor<12x8xf32>) outs(%i : tensor<?x8xf32>) -> tensor<?x8xf32>
  %t = tensor.expand_shape %y [[0, 1], [2]] output_shape [%b, %s, 8] : tensor<?x8xf32> into tensor<?x?x8xf32>
  %me = tensor.empty(%b, %s) : tensor<?x?xf32>
  %mi = linalg.fill ins(%zero : f32) outs(%me : tensor<?x?xf32>) -> tensor<?x?xf32>
  %m = linalg.reduce { arith.maximumf } ins(%t : tensor<?x?x8xf32>) outs(%mi : tensor<?x?xf32>) dimensions = [2]
  return %m : tensor<?x?xf32>
}
