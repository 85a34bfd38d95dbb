// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --split-input-file --canonicalize --cse | FileCheck %s

// What a thread adds up is asked for 64 bytes at a time, before any of it is
// used; what is taken from the vectors stands beside them, as LLVM loads it there.
// CHECK-LABEL: gpu.func @sum
// CHECK-NOT:     arith.addf
// CHECK-COUNT-4: vector.load {{.*}} : memref<786432xf32>, vector<4xf32>
// CHECK-NOT:     vector.load
// CHECK:         arith.addf
// CHECK-COUNT-4: vector.load {{.*}} : memref<786432xf32>, vector<4xf32>
// CHECK:         vector.extract
// CHECK:         arith.addf
func.func @main(%x: tensor<1024x768xf32>, %e: tensor<768xf32>) -> tensor<768xf32> {
  %r = fuse.kernel "sum" ins(%x : tensor<1024x768xf32>) outs(%e : tensor<768xf32>) -> (tensor<768xf32>) {
  ^bb0(%a: tensor<1024x768xf32>, %o: tensor<768xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<768xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<768xf32>) -> tensor<768xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<1024x768xf32>) outs(%f : tensor<768xf32>) dimensions = [0]
    fuse.yield %1 : tensor<768xf32>
  }
  return %r : tensor<768xf32>
}

// -----

// A store ends what is loaded early: the scales of the next chunk stay behind it.
// CHECK-LABEL: gpu.func @norm
// CHECK-COUNT-4: vector.load {{.*}} : memref<1048576xf32>, vector<4xf32>
// CHECK:         gpu.shuffle
// CHECK:         vector.load {{.*}} : memref<512xf32>
// CHECK-NOT:     vector.load
// CHECK:         vector.store
// CHECK:         vector.load {{.*}} : memref<512xf32>
// CHECK-NOT:     vector.load
// CHECK:         vector.store
func.func @main(%x: tensor<2048x512xf32>, %s: tensor<512xf32>, %e: tensor<2048x512xf32>) -> tensor<2048x512xf32> {
  %r = fuse.kernel "norm" ins(%x, %s : tensor<2048x512xf32>, tensor<512xf32>) outs(%e : tensor<2048x512xf32>) -> (tensor<2048x512xf32>) {
  ^bb0(%a: tensor<2048x512xf32>, %b: tensor<512xf32>, %o: tensor<2048x512xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<2048xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<2048xf32>) -> tensor<2048xf32>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<2048x512xf32>) outs(%f : tensor<2048xf32>) dimensions = [1]
    %2 = tensor.empty() : tensor<2048x512xf32>
    %3 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %1, %b : tensor<2048x512xf32>, tensor<2048xf32>, tensor<512xf32>) outs(%2 : tensor<2048x512xf32>) {
    ^bb0(%p: f32, %q: f32, %t: f32, %u: f32):
      %v = arith.mulf %p, %q : f32
      %w = arith.mulf %v, %t : f32
      linalg.yield %w : f32
    } -> tensor<2048x512xf32>
    fuse.yield %3 : tensor<2048x512xf32>
  }
  return %r : tensor<2048x512xf32>
}
