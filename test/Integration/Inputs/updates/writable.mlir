// The caller leaves the cache to the function. Another function still needs what
// the cache was.
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%cache: tensor<1024x64xf32> {bufferization.writable = true}, %x: tensor<1x64xf32>, %n: tensor<1xi64>) -> tensor<1024x64xf32> {
  %c0 = arith.constant 0 : index
  %k = tensor.extract %n[%c0] : tensor<1xi64>
  %i = arith.index_cast %k : i64 to index
  %e = tensor.empty() : tensor<1x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x64xf32>) outs(%e : tensor<1x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<1x64xf32>
  %r = tensor.insert_slice %y into %cache[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<1024x64xf32>
  return %r : tensor<1024x64xf32>
}

func.func @both(%cache: tensor<1024x64xf32> {bufferization.writable = true}, %x: tensor<1x64xf32>, %n: tensor<1xi64>) -> (tensor<1024x64xf32>, tensor<1024x64xf32>) {
  %c0 = arith.constant 0 : index
  %k = tensor.extract %n[%c0] : tensor<1xi64>
  %i = arith.index_cast %k : i64 to index
  %r = tensor.insert_slice %x into %cache[%i, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<1024x64xf32>
  %e = tensor.empty() : tensor<1024x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%cache : tensor<1024x64xf32>) outs(%e : tensor<1024x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.mulf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<1024x64xf32>
  return %r, %y : tensor<1024x64xf32>, tensor<1024x64xf32>
}
