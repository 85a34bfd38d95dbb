// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-target,gpu.module(convert-gpu-to-nvvm{use-bare-ptr-memref-call-conv=1},reconcile-unrealized-casts),gpu-module-to-binary{format=isa})" -o %t.mlir
// RUN: fuse-translate --gpu-binary-to-ptx %t.mlir | FileCheck %s --check-prefix=ALL
// RUN: fuse-translate --gpu-binary-to-ptx --kernel=second %t.mlir | FileCheck %s --check-prefix=ONE
// RUN: not fuse-translate --gpu-binary-to-ptx --kernel=third %t.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not fuse-translate --gpu-binary-to-ptx %s 2>&1 | FileCheck %s --check-prefix=NOBINARY

// Plain PTX: all of it, or one kernel with what is at module level.
// ALL: .version 8.4
// ALL: .target sm_90
// ALL: .visible .entry first(
// ALL: .visible .entry second(

// ONE: .version 8.4
// ONE-NOT: first
// ONE: .visible .entry second(
// ONE: .shared
// ONE: ret;
// ONE: }
// ONE-NOT: first

// NONE: error: expected option 'kernel' to name a kernel, but got 'third'
// NONE: note: kernels of 'kernels': first, second
// NOBINARY: error: expected a 'gpu.binary' with PTX, but got none
gpu.module @kernels {
  gpu.func @first(%a: memref<8xf32>) kernel {
    %c = arith.constant 1.0 : f32
    %t = gpu.thread_id x
    memref.store %c, %a[%t] : memref<8xf32>
    gpu.return
  }
  gpu.func @second(%a: memref<8xf32>) workgroup(%s: memref<8xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %a[%t] : memref<8xf32>
    memref.store %v, %s[%t] : memref<8xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c0 = arith.constant 0 : index
    %w = memref.load %s[%c0] : memref<8xf32, #gpu.address_space<workgroup>>
    memref.store %w, %a[%t] : memref<8xf32>
    gpu.return
  }
}
