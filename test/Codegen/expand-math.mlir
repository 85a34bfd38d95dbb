// RUN: fuse-opt %s --pass-pipeline='builtin.module(gpu.module(fuse-expand-math))' | FileCheck %s

gpu.module @m {
  // exp: one approximation, no branch, no function left.
  // CHECK-LABEL: gpu.func @exp
  // CHECK-NOT:     math.
  // CHECK-NOT:     scf.if
  // CHECK-COUNT-1: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  // CHECK-NOT:     llvm.nvvm
  // CHECK:         gpu.return
  gpu.func @exp(%x: f32, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x : f32
    memref.store %0, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // Half types are computed in f32 and rounded once.
  // CHECK-LABEL: gpu.func @half
  // CHECK:         arith.extf %{{.*}} : bf16 to f32
  // CHECK-NOT:     arith.truncf
  // CHECK:         llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
  // CHECK:         arith.truncf %{{.*}} : f32 to bf16
  gpu.func @half(%x: bf16, %out: memref<1xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.tanh %x : bf16
    memref.store %0, %out[%c0] : memref<1xbf16>
    gpu.return
  }

  // A power with a small constant exponent is a product.
  // CHECK-LABEL: gpu.func @cube
  // CHECK-COUNT-2: arith.mulf
  // CHECK-NOT:     arith.mulf
  // CHECK-NOT:     llvm.call_intrinsic
  // CHECK:         gpu.return
  gpu.func @cube(%x: f32, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3.0 : f32
    %0 = math.powf %x, %c3 : f32
    memref.store %0, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // f64 functions are not ours; their square roots are.
  // CHECK-LABEL: gpu.func @wide
  // CHECK:         math.exp %{{.*}} : f64
  // CHECK-NOT:     math.rsqrt
  // CHECK:         llvm.call_intrinsic "llvm.sqrt"
  gpu.func @wide(%x: f64, %out: memref<1xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.exp %x : f64
    %1 = math.rsqrt %0 : f64
    memref.store %1, %out[%c0] : memref<1xf64>
    gpu.return
  }

  // Sine and cosine of one angle are made together: it is reduced once.
  // CHECK-LABEL: gpu.func @angle
  // CHECK-COUNT-1: scf.if
  // CHECK-NOT:     scf.if
  // CHECK:         gpu.return
  gpu.func @angle(%x: f32, %out: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.sin %x : f32
    %1 = math.cos %x : f32
    memref.store %0, %out[%c0] : memref<2xf32>
    memref.store %1, %out[%c1] : memref<2xf32>
    gpu.return
  }

  // Of two angles, each by itself.
  // CHECK-LABEL: gpu.func @angles
  // CHECK-COUNT-2: scf.if
  // CHECK-NOT:     scf.if
  // CHECK:         gpu.return
  gpu.func @angles(%x: f32, %y: f32, %out: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.sin %x : f32
    %1 = math.cos %y : f32
    memref.store %0, %out[%c0] : memref<2xf32>
    memref.store %1, %out[%c1] : memref<2xf32>
    gpu.return
  }
}
