// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// Four channels of a pooled place for each thread: nine accesses of 16 bytes
// without a branch between them, in the order of the window. What lies in the
// pad is replaced after it was read from the nearest place.
// CHECK-LABEL: gpu.func @pool
// CHECK-NOT:     scf.
// CHECK:         arith.maxsi
// CHECK-NOT:     scf.
// CHECK-COUNT-9: vector.load {{.*}}{alignment = 16 : i64}{{.*}} vector<4xf32>
// CHECK-NOT:     vector.load
// CHECK-NOT:     scf.
// CHECK:         vector.store {{.*}} vector<4xf32>
// CHECK-NEXT:    gpu.return
func.func @main(%x: tensor<8x56x56x64xf32>, %e: tensor<8x28x28x64xf32>) -> tensor<8x28x28x64xf32> {
  %r = fuse.kernel "pool" ins(%x : tensor<8x56x56x64xf32>) outs(%e : tensor<8x28x28x64xf32>) -> (tensor<8x28x28x64xf32>) {
  ^bb0(%a: tensor<8x56x56x64xf32>, %o: tensor<8x28x28x64xf32>):
    %low = arith.constant -1.0e+30 : f32
    %p = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0] {
    ^bb0(%i: index, %j: index, %k: index, %l: index):
      tensor.yield %low : f32
    } : tensor<8x56x56x64xf32> to tensor<8x58x58x64xf32>
    %w = tensor.empty() : tensor<3x3xf32>
    %0 = tensor.empty() : tensor<8x28x28x64xf32>
    %f = linalg.fill ins(%low : f32) outs(%0 : tensor<8x28x28x64xf32>) -> tensor<8x28x28x64xf32>
    %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
        ins(%p, %w : tensor<8x58x58x64xf32>, tensor<3x3xf32>) outs(%f : tensor<8x28x28x64xf32>) -> tensor<8x28x28x64xf32>
    fuse.yield %y : tensor<8x28x28x64xf32>
  }
  return %r : tensor<8x28x28x64xf32>
}
