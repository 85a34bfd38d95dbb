// REQUIRES: libdevice
// RUN: fuse-opt %s --pass-pipeline="builtin.module(gpu.module(fuse-link-libdevice))" | FileCheck %s
// RUN: not env CUDA_HOME=%t.none fuse-opt %s --pass-pipeline="builtin.module(gpu.module(fuse-link-libdevice))" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: :[[#@LINE+7]]:{{.*}}: error: expected a CUDA toolkit with libdevice.10.bc for '__nv_exp', but found none (set CUDA_HOME)

// A module that calls libdevice links it; one that does not needs no toolkit.
// CHECK: gpu.module @calls [#nvvm.target<chip = "sm_90", link = ["{{.*}}libdevice.10.bc"]>]
gpu.module @calls [#nvvm.target<chip = "sm_90">] {
  llvm.func @__nv_exp(f64) -> f64
  llvm.func @f(%x: f64) -> f64 {
    %0 = llvm.call @__nv_exp(%x) : (f64) -> f64
    llvm.return %0 : f64
  }
}

// CHECK: gpu.module @free [#nvvm.target<chip = "sm_90">]
gpu.module @free [#nvvm.target<chip = "sm_90">] {
  llvm.func @f(%x: f64) -> f64 {
    llvm.return %x : f64
  }
}
