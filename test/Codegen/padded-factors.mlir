// Zeros around a factor of a tiled contraction are what an asynchronous copy writes
// where it reads nothing: no element passes through registers. Where neighbours may
// be on both sides of the border vectors do, and where it is not zero all elements.
// RUN: fuse-opt %s --split-input-file --fuse-select-schedules="chip=sm_80" --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// A convolution with the channels last, padded by one pixel.
// CHECK-LABEL: gpu.func @zeros
// CHECK-NOT:     vector.load
// CHECK-NOT:     memref.load
// CHECK:         %[[INSIDE:.*]] = arith.andi
// CHECK:         %[[COUNT:.*]] = arith.select %[[INSIDE]], %c8, %c0
// CHECK:         nvgpu.device_async_copy %{{.*}}, %{{.*}}, 8, %[[COUNT]] {bypassL1}
// CHECK:         scf.for
// CHECK-NOT:       memref.load
// CHECK-NOT:       vector.load
// CHECK:           nvgpu.ldmatrix
// CHECK:         gpu.return
#x = affine_map<(p, o, i, c) -> (p + i, c)>
#w = affine_map<(p, o, i, c) -> (o, i, c)>
#r = affine_map<(p, o, i, c) -> (p, o)>
func.func @zeros(%a: tensor<64x32xf16>, %b: tensor<64x3x32xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "zeros" ins(%a, %b : tensor<64x32xf16>, tensor<64x3x32xf16>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%x: tensor<64x32xf16>, %w: tensor<64x3x32xf16>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %around = arith.constant 0.0 : f16
    %p = tensor.pad %x low[1, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %around : f16
    } : tensor<64x32xf16> to tensor<66x32xf16>
    %em = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<66x32xf16>, tensor<64x3x32xf16>) outs(%f : tensor<64x64xf32>) {
    ^bb0(%l: f16, %m: f16, %s: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %m : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64x64xf32>
    fuse.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

// Minus zero around it.
// CHECK-LABEL: gpu.func @others
// CHECK-NOT:     nvgpu.device_async_copy {{.*}}, %c
// CHECK:         scf.if
// CHECK:           memref.load
// CHECK:         gpu.return
#x = affine_map<(p, o, i, c) -> (p + i, c)>
#w = affine_map<(p, o, i, c) -> (o, i, c)>
#r = affine_map<(p, o, i, c) -> (p, o)>
func.func @others(%a: tensor<64x32xf16>, %b: tensor<64x3x32xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "others" ins(%a, %b : tensor<64x32xf16>, tensor<64x3x32xf16>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%x: tensor<64x32xf16>, %w: tensor<64x3x32xf16>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %around = arith.constant -0.0 : f16
    %p = tensor.pad %x low[1, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %around : f16
    } : tensor<64x32xf16> to tensor<66x32xf16>
    %em = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<66x32xf16>, tensor<64x3x32xf16>) outs(%f : tensor<64x64xf32>) {
    ^bb0(%l: f16, %m: f16, %s: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %m : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64x64xf32>
    fuse.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

// A border beside elements of a row: neighbours differ, and rows begin anywhere. The
// aligned vectors around them pass through registers.
// CHECK-LABEL: gpu.func @beside
// CHECK-NOT:     memref.load
// CHECK-COUNT-2: vector.load {{.*}} : memref<1920xf16>, vector<8xf16>
// CHECK-NOT:     memref.load
// CHECK:         llvm.intr.fshr
// CHECK:         gpu.return
func.func @beside(%a: tensor<64x30xf16>, %b: tensor<64x32xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "beside" ins(%a, %b : tensor<64x30xf16>, tensor<64x32xf16>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%x: tensor<64x30xf16>, %w: tensor<64x32xf16>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %around = arith.constant 0.0 : f16
    %p = tensor.pad %x low[0, 1] high[0, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %around : f16
    } : tensor<64x30xf16> to tensor<64x32xf16>
    %em = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%p, %w : tensor<64x32xf16>, tensor<64x32xf16>) outs(%f : tensor<64x64xf32>) -> tensor<64x64xf32>
    fuse.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
