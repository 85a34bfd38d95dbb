// A program of which one fusion is a mistake: the powers of a row would be
// taken again for each of its 4096 elements (docs/Bisecting.md).
#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<4096xf16>, %y: tensor<4096x4096xf16>)
    -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096xf16>
  %f = tensor.empty() : tensor<4096x4096xf16>
  %exp = linalg.exp ins(%y : tensor<4096x4096xf16>)
      outs(%f : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %abs = linalg.abs ins(%exp : tensor<4096x4096xf16>)
      outs(%f : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %powers = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<4096xf16>) outs(%e : tensor<4096xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = math.sin %in : f16
    %1 = math.powf %0, %0 : f16
    %2 = math.sin %1 : f16
    %3 = math.powf %2, %2 : f16
    linalg.yield %3 : f16
  } -> tensor<4096xf16>
  %sum = linalg.generic {
      indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%abs, %powers : tensor<4096x4096xf16>, tensor<4096xf16>)
      outs(%f : tensor<4096x4096xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.addf %a, %b : f16
    linalg.yield %0 : f16
  } -> tensor<4096x4096xf16>
  return %sum : tensor<4096x4096xf16>
}
