// RMS norm, then a rotation of neighbouring pairs: what a thread reads of its row
// serves the element and its neighbour.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @main(%x: tensor<64x512xf32>, %cos: tensor<64x512xf32>, %sin: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x512xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %half = tensor.empty() : tensor<64x256xf32>
  %init = linalg.fill ins(%z : f32) outs(%e1 : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x512xf32>) outs(%init : tensor<64xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %q = arith.mulf %v, %v : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<64x512xf32>, tensor<64xf32>) outs(%e : tensor<64x512xf32>) {
  ^bb0(%v: f32, %sv: f32, %o: f32):
    %r = math.rsqrt %sv : f32
    %p = arith.mulf %v, %r : f32
    linalg.yield %p : f32
  } -> tensor<64x512xf32>
  %odd = tensor.extract_slice %y[0, 1] [64, 256] [1, 2] : tensor<64x512xf32> to tensor<64x256xf32>
  %even = tensor.extract_slice %y[0, 0] [64, 256] [1, 2] : tensor<64x512xf32> to tensor<64x256xf32>
  %neg = linalg.negf ins(%odd : tensor<64x256xf32>) outs(%half : tensor<64x256xf32>) -> tensor<64x256xf32>
  %neg3 = tensor.expand_shape %neg [[0], [1, 2]] output_shape [64, 256, 1] : tensor<64x256xf32> into tensor<64x256x1xf32>
  %even3 = tensor.expand_shape %even [[0], [1, 2]] output_shape [64, 256, 1] : tensor<64x256xf32> into tensor<64x256x1xf32>
  %pairs = tensor.concat dim(2) %neg3, %even3 : (tensor<64x256x1xf32>, tensor<64x256x1xf32>) -> tensor<64x256x2xf32>
  %rotated = tensor.collapse_shape %pairs [[0], [1, 2]] : tensor<64x256x2xf32> into tensor<64x512xf32>
  %a = linalg.mul ins(%y, %cos : tensor<64x512xf32>, tensor<64x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  %b = linalg.mul ins(%rotated, %sin : tensor<64x512xf32>, tensor<64x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  %r = linalg.add ins(%a, %b : tensor<64x512xf32>, tensor<64x512xf32>) outs(%e : tensor<64x512xf32>) -> tensor<64x512xf32>
  return %r : tensor<64x512xf32>
}
