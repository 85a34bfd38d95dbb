// Each row backwards.
func.func @main(%x: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %e = tensor.empty() : tensor<512x256xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<512x256xf32>) {
  ^bb0(%o: f32):
    %c255 = arith.constant 255 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.subi %c255, %j : index
    %v = tensor.extract %x[%i, %k] : tensor<512x256xf32>
    linalg.yield %v : f32
  } -> tensor<512x256xf32>
  return %r : tensor<512x256xf32>
}
