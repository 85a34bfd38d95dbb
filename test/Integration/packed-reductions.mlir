// Column sums, a sum of everything and short columns side by side: each part has
// scratch memory and counters of its own.
// RUN: fuse-run %s --strategy=max | FileCheck %s
// CHECK: main_0_{{.*}} packed
// CHECK: kernels {{ *}}1 -> 1
// CHECK: verified {{ *}}yes

func.func @main(%x: tensor<4096x96xf32>, %y: tensor<70000xf32>, %z: tensor<500x37xf32>) -> (tensor<96xf32>, tensor<f32>, tensor<37xf32>) {
  %c = arith.constant 0.0 : f32
  %r, %s, %t = fuse.group -> (tensor<96xf32>, tensor<f32>, tensor<37xf32>) {
  %e = tensor.empty() : tensor<96xf32>
  %f = linalg.fill ins(%c : f32) outs(%e : tensor<96xf32>) -> tensor<96xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<4096x96xf32>) outs(%f : tensor<96xf32>) dimensions = [0]
  %e1 = tensor.empty() : tensor<f32>
  %f1 = linalg.fill ins(%c : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
  %s = linalg.reduce { arith.addf } ins(%y : tensor<70000xf32>) outs(%f1 : tensor<f32>) dimensions = [0]
  %e2 = tensor.empty() : tensor<37xf32>
  %f2 = linalg.fill ins(%c : f32) outs(%e2 : tensor<37xf32>) -> tensor<37xf32>
  %t = linalg.reduce { arith.addf } ins(%z : tensor<500x37xf32>) outs(%f2 : tensor<37xf32>) dimensions = [0]
  fuse.yield %r, %s, %t : tensor<96xf32>, tensor<f32>, tensor<37xf32>
  }
  return %r, %s, %t : tensor<96xf32>, tensor<f32>, tensor<37xf32>
}
