// Pads by an amount that only the running program knows, and sums the rows: no
// tensor outside of the kernel has the size of the padded one.
func.func @main(%x: tensor<?x7xf32>, %p: index) -> tensor<?xf32> {
  %z = arith.constant 1.5 : f32
  %0 = tensor.pad %x low[0, %p] high[0, 3] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x7xf32> to tensor<?x?xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x7xf32>
  %f = arith.constant 0.0 : f32
  %e = tensor.empty(%n) : tensor<?xf32>
  %i = linalg.fill ins(%f : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<?x?xf32>) outs(%i : tensor<?xf32>) dimensions = [1]
  return %1 : tensor<?xf32>
}
