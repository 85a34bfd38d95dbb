// RUN: split-file %s %t
// RUN: env CUDA_HOME=%t/none CUDA_ROOT=%t/none fuse-opt %t/good.mlir --fuse-compile-kernels 2>&1 | FileCheck %t/good.mlir
// RUN: not fuse-opt %t/bad.mlir --fuse-compile-kernels 2>&1 | FileCheck %t/bad.mlir
// RUN: not fuse-opt %t/file.mlir --fuse-compile-kernels 2>&1 | FileCheck %t/file.mlir

//--- good.mlir
// One object for each target. No toolkit is needed, and a variable that names
// none does no harm.
// CHECK-NOT:  error
// CHECK:      gpu.binary @kernels [
// CHECK-SAME:   #gpu.object<#nvvm.target<chip = "sm_80">, properties = {O = 2 : i32}, assembly = "{{[^"]*}}.target sm_80{{[^"]*}}.entry copy(
// CHECK-SAME:   #gpu.object<#nvvm.target<O = 3, chip = "sm_90">, properties = {O = 3 : i32}, assembly = "{{[^"]*}}.target sm_90{{[^"]*}}.entry copy(
// CHECK-NOT:  gpu.module
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_80">, #nvvm.target<O = 3, chip = "sm_90">] {
    llvm.func @copy(%from: !llvm.ptr, %to: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      %x = llvm.load %from : !llvm.ptr -> f32
      llvm.store %x, %to : f32, !llvm.ptr
      llvm.return
    }
  }
}

//--- bad.mlir
// CHECK: bad.mlir:3:3: error: expected a module of kernels with a target, but got none; run 'fuse-attach-target' first
module attributes {gpu.container_module} {
  gpu.module @kernels {
  }
}

//--- file.mlir
// A file to link that is not there is an error.
// CHECK: error: {{.*}}none.bc
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<link = ["none.bc"]>] {
  }
}
