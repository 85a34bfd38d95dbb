// RUN: fuse-opt %s --split-input-file --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

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

// -----

// Of 13 x 13 places four rows stand side by side, three times; the last row
// follows.
// CHECK-LABEL: gpu.func @large
// CHECK:         scf.for %{{.*}} = %c0_i32 to %c3_i32
// CHECK-COUNT-52:  math.fma
// CHECK:           scf.yield
// CHECK-COUNT-13: math.fma
// CHECK-NOT:     math.fma
// CHECK:         gpu.return
func.func @main(%x: tensor<60x60xf32>, %y: tensor<13x13xf32>, %e: tensor<48x48xf32>) -> tensor<48x48xf32> {
  %r = fuse.kernel "large" ins(%x, %y : tensor<60x60xf32>, tensor<13x13xf32>) outs(%e : tensor<48x48xf32>) -> (tensor<48x48xf32>) {
  ^bb0(%a: tensor<60x60xf32>, %b: tensor<13x13xf32>, %o: tensor<48x48xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<48x48xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<48x48xf32>) -> tensor<48x48xf32>
    %1 = linalg.conv_2d ins(%a, %b : tensor<60x60xf32>, tensor<13x13xf32>) outs(%f : tensor<48x48xf32>) -> tensor<48x48xf32>
    fuse.yield %1 : tensor<48x48xf32>
  }
  return %r : tensor<48x48xf32>
}
