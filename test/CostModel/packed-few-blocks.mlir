// A product with few blocks is not faster beside another part than it is alone: they
// leave it as few multiprocessors.
// RUN: fuse-opt %s --fuse-form-groups=report=%t.json -o /dev/null
// RUN: %python -c "import json; g = {x['name']: x for x in json.load(open(r'%t.json'))['groups']}; alone, beside = g['alone_0_matmul'], g['beside_0_matmul']; assert len(g) == 2 and (alone['path'], beside['path']) == ('tile', 'packed'), g; assert beside['predicted_ns'] >= alone['predicted_ns'] > 2000, g"

func.func @alone(%y: tensor<128x768xf16>, %w: tensor<768x768xf16>) -> tensor<128x768xf32> {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<128x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  %0 = linalg.matmul ins(%y, %w : tensor<128x768xf16>, tensor<768x768xf16>) outs(%f : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %0 : tensor<128x768xf32>
}

func.func @beside(%x: tensor<128x768xf32>, %y: tensor<128x768xf16>, %w: tensor<768x768xf16>) -> (tensor<128x768xf32>, tensor<128xf32>) {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<128x768xf32>
  %v = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%z : f32) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  %g = linalg.fill ins(%z : f32) outs(%v : tensor<128xf32>) -> tensor<128xf32>
  %0 = linalg.matmul {fuse.must_fuse = "a"} ins(%y, %w : tensor<128x768xf16>, tensor<768x768xf16>) outs(%f : tensor<128x768xf32>) -> tensor<128x768xf32>
  %1 = linalg.reduce {arith.addf} ins(%x : tensor<128x768xf32>) outs(%g : tensor<128xf32>) dimensions = [1] {fuse.must_fuse = "a"}
  return %0, %1 : tensor<128x768xf32>, tensor<128xf32>
}
