// RUN: fuse-opt %s --pass-pipeline='builtin.module(gpu.module(fuse-expand-math))' | FileCheck %s

// `afn` and `arcp` of an operation permit approximations, of that one only.
gpu.module @m {
  // CHECK-LABEL: gpu.func @exp
  // CHECK:         %[[T:.*]] = arith.mulf %arg0, %{{.*}} : f32
  // CHECK-NEXT:    llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%[[T]])
  // CHECK:         llvm.nvvm.fma.rn.sat.f
  gpu.func @exp(%x: f32, %out: memref<2xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = math.exp %x fastmath<afn> : f32
    %1 = math.exp %0 fastmath<contract> : f32
    memref.store %0, %out[%c0] : memref<2xf32>
    memref.store %1, %out[%c1] : memref<2xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @roots
  // CHECK:         llvm.nvvm.sqrt.approx.ftz.f
  // CHECK:         llvm.nvvm.rsqrt.approx.ftz.f
  // CHECK:         llvm.nvvm.lg2.approx.ftz.f
  gpu.func @roots(%x: f32, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.sqrt %x fastmath<fast> : f32
    %1 = math.rsqrt %0 fastmath<afn> : f32
    %2 = math.log %1 fastmath<afn> : f32
    memref.store %2, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // A reciprocal that may be shared is exact unless it may be approximate; a
  // reciprocal itself stays, and so does what has no such flag, or is f64.
  // CHECK-LABEL: gpu.func @divisions
  // CHECK:         %[[ONE:.*]] = arith.constant 1.0{{.*}} : f32
  // CHECK:         %[[R:.*]] = arith.divf %[[ONE]], %arg1 : f32
  // CHECK:         arith.mulf %arg0, %[[R]] fastmath<arcp> : f32
  // CHECK:         llvm.nvvm.rcp.approx.ftz.f
  // CHECK:         arith.mulf %{{.*}} fastmath<arcp,afn> : f32
  // CHECK:         arith.divf %[[ONE]], %{{.*}} fastmath<arcp> : f32
  // CHECK:         arith.divf %{{.*}}, %arg1 fastmath<afn> : f32
  // CHECK:         arith.divf %{{.*}} fastmath<fast> : f64
  gpu.func @divisions(%x: f32, %y: f32, %z: f64, %out: memref<1xf32>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %0 = arith.divf %x, %y fastmath<arcp> : f32
    %1 = arith.divf %0, %y fastmath<arcp,afn> : f32
    %2 = arith.divf %one, %1 fastmath<arcp> : f32
    %3 = arith.divf %2, %y fastmath<afn> : f32
    %4 = arith.divf %z, %z fastmath<fast> : f64
    %5 = arith.truncf %4 : f64 to f32
    %6 = arith.addf %3, %5 : f32
    memref.store %6, %out[%c0] : memref<1xf32>
    gpu.return
  }

  // Half types take the flags along to f32.
  // CHECK-LABEL: gpu.func @half
  // CHECK:         llvm.nvvm.ex2.approx.ftz
  // CHECK:         llvm.nvvm.rcp.approx.ftz.f
  // CHECK:         arith.truncf %{{.*}} : f32 to bf16
  gpu.func @half(%x: bf16, %out: memref<1xbf16>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.tanh %x fastmath<afn> : bf16
    memref.store %0, %out[%c0] : memref<1xbf16>
    gpu.return
  }
}
