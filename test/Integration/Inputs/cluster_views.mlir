#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
#image = affine_map<(n, c, h, w) -> (n, c, h, w)>
#channel = affine_map<(n, c, h, w) -> (c)>

func.func @main(%x: tensor<2x7x32x33xf32>, %bias: tensor<7xf32>)
    -> tensor<2x7x32x33xf32> {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %x [[0], [1, 2, 3]]
      : tensor<2x7x32x33xf32> into tensor<2x7392xf32>
  %sums = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%sums : tensor<2xf32>)
      -> tensor<2xf32>
  %sum = linalg.reduce { arith.addf } ins(%flat : tensor<2x7392xf32>)
      outs(%init : tensor<2xf32>) dimensions = [1]
  %rows = tensor.empty() : tensor<2x7392xf32>
  %centred = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%flat, %sum : tensor<2x7392xf32>, tensor<2xf32>)
      outs(%rows : tensor<2x7392xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %count = arith.constant 7392.0 : f32
    %mean = arith.divf %s, %count : f32
    %d = arith.subf %in, %mean : f32
    linalg.yield %d : f32
  } -> tensor<2x7392xf32>
  %folded = tensor.expand_shape %centred [[0], [1, 2, 3]]
      output_shape [2, 7, 32, 33]
      : tensor<2x7392xf32> into tensor<2x7x32x33xf32>
  %images = tensor.empty() : tensor<2x7x32x33xf32>
  %biased = linalg.generic {indexing_maps = [#image, #channel, #image],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%folded, %bias : tensor<2x7x32x33xf32>, tensor<7xf32>)
      outs(%images : tensor<2x7x32x33xf32>) {
  ^bb0(%in: f32, %b: f32, %out: f32):
    %y = arith.addf %in, %b : f32
    linalg.yield %y : f32
  } -> tensor<2x7x32x33xf32>
  return %biased : tensor<2x7x32x33xf32>
}
