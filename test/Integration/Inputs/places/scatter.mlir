// Updates are added to the rows that the data choose.
func.func @main(%a0: tensor<100xi32>, %a1: tensor<100x8xf32>) -> (tensor<20x8xf32>) {
  %v1 = arith.constant 0.0 : f32
  %v2 = tensor.empty() : tensor<20x8xf32>
  %v3 = linalg.fill ins(%v1 : f32) outs(%v2 : tensor<20x8xf32>) -> tensor<20x8xf32>
  %v4 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a0, %a1 : tensor<100xi32>, tensor<100x8xf32>) outs(%v3 : tensor<20x8xf32>) {
  ^bb0(%i0: i32, %i1: f32, %o0: f32):
    %k = linalg.index 0 : index
    %ki = arith.index_cast %k : index to i32
    %n = arith.constant 20 : i32
    %lm = arith.remui %i0, %n : i32
    %c = arith.cmpi eq, %lm, %ki : i32
    %zz = arith.constant 0.0 : f32
    %r = arith.select %c, %i1, %zz : f32
    %z = arith.addf %o0, %r : f32
    linalg.yield %z : f32
  } -> tensor<20x8xf32>
  return %v4 : tensor<20x8xf32>
}
