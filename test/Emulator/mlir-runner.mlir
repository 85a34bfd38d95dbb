// Code of upstream's pipeline runs under the stock runner with our runtime, on
// the emulator, and the report says what was launched.

// RUN: mlir-opt-22 %s --gpu-kernel-outlining \
// RUN:   --gpu-lower-to-nvvm-pipeline="cubin-format=isa cubin-chip=sm_80 cubin-features=+ptx80" \
// RUN: | env FUSE_RUNTIME=emulator FUSE_RUNTIME_REPORT=%t.json \
// RUN:   mlir-runner-22 --entry-point-result=void \
// RUN:   --shared-libs=%fuse_lib_dir/libfuse_runtime%shlibext \
// RUN:   --shared-libs=%mlir_lib_dir/libmlir_runner_utils%shlibext \
// RUN:   --shared-libs=%mlir_lib_dir/libmlir_c_runner_utils%shlibext \
// RUN: | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// CHECK: [0, 1.5, 3, 4.5]
// REPORT: "backend": "emulator"
// REPORT: "name": "main_kernel"
// REPORT: "grid": [4, 1, 1]
// REPORT: "counted_sectors"
// REPORT-NEXT: "requested": 8,
// REPORT-NEXT: "unique": 2,
// REPORT: "peak_device_bytes": 16,
// REPORT: "leaked_bytes": 0,

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 4 : index
  %f = arith.constant 1.5 : f32
  %host = memref.alloc(%n) : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %x = arith.index_cast %i : index to i32
    %y = arith.sitofp %x : i32 to f32
    memref.store %y, %host[%i] : memref<?xf32>
  }
  %t0 = gpu.wait async
  %dev, %t1 = gpu.alloc async [%t0] (%n) : memref<?xf32>
  %t2 = gpu.memcpy async [%t1] %dev, %host : memref<?xf32>, memref<?xf32>
  %t3 = gpu.launch async [%t2] blocks(%bx, %by, %bz) in
      (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in
      (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %dev[%bx] : memref<?xf32>
    %w = arith.mulf %v, %f : f32
    memref.store %w, %dev[%bx] : memref<?xf32>
    gpu.terminator
  }
  %t4 = gpu.memcpy async [%t3] %host, %dev : memref<?xf32>, memref<?xf32>
  %t5 = gpu.dealloc async [%t4] %dev : memref<?xf32>
  gpu.wait [%t5]
  %u = memref.cast %host : memref<?xf32> to memref<*xf32>
  call @printMemrefF32(%u) : (memref<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(memref<*xf32>)
