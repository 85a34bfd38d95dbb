// Pads by amounts that only the running program knows: the size of the result is
// told by no operand.
func.func @main(%x: tensor<?x7xf32>, %p: index) -> tensor<?x?xf32> {
  %z = arith.constant 1.5 : f32
  %0 = tensor.pad %x low[%p, 1] high[2, %p] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x7xf32> to tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
