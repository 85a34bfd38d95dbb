// A border, of which a window of the argument's sizes is left.
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %p = tensor.pad %x low[1, 0] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %half : f32
  } : tensor<?x?xf32> to tensor<?x?xf32>
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %s = tensor.extract_slice %p[0, 2] [%n, %m] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
  %r = arith.mulf %s, %x : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
