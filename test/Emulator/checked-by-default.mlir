// Each kernel that a test runs on the emulator is run under all checkers: this
// one, which reads what nobody has written, is refused.

// RUN: mlir-opt-22 %s --gpu-kernel-outlining \
// RUN:   --gpu-lower-to-nvvm-pipeline="cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80" \
// RUN:   -o %t.mlir
// RUN: not env FUSE_RUNTIME=emulator mlir-runner-22 %t.mlir \
// RUN:   --entry-point-result=void \
// RUN:   --shared-libs=%fuse_lib_dir/libfuse_runtime%shlibext 2>&1 \
// RUN: | FileCheck %s
// RUN: env FUSE_RUNTIME=emulator FUSE_RUNTIME_CHECK=none mlir-runner-22 \
// RUN:   %t.mlir --entry-point-result=void \
// RUN:   --shared-libs=%fuse_lib_dir/libfuse_runtime%shlibext

// CHECK: kernel 'main_kernel': read of uninitialised global memory: byte 0 of

func.func @main() {
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %f = arith.constant 1.5 : f32
  %t0 = gpu.wait async
  %dev, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
  %t3 = gpu.launch async [%t1] blocks(%bx, %by, %bz) in
      (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in
      (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %dev[%bx] : memref<?xf32>
    %w = arith.mulf %v, %f : f32
    memref.store %w, %dev[%bx] : memref<?xf32>
    gpu.terminator
  }
  %t5 = gpu.dealloc async [%t3] %dev : memref<?xf32>
  gpu.wait [%t5]
  return
}
