// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 0

// The first loop doubles a buffer in place; the second reads part of it. Running
// the doubling again inside the second loop doubles twice.
func.func @b148(%p: memref<4xi32>, %d: memref<2xi32>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %p[%i] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    affine.store %w, %p[%i] : memref<4xi32>
  }
  affine.for %i = 0 to 2 {
    %v = affine.load %p[%i] : memref<4xi32>
    affine.store %v, %d[%i] : memref<2xi32>
  }
  return
}
// The values were worked out by hand, not by running it.
// EXPECT: [2,4,6,8]
// EXPECT: [2,4]
memref.global "private" constant @b148_p : memref<4xi32> = dense<[1,2,3,4]>
memref.global "private" constant @b148_d : memref<2xi32> = dense<[0,0]>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %gp = memref.get_global @b148_p : memref<4xi32>
  %p = memref.alloc() : memref<4xi32>
  memref.copy %gp, %p : memref<4xi32> to memref<4xi32>
  %gd = memref.get_global @b148_d : memref<2xi32>
  %d = memref.alloc() : memref<2xi32>
  memref.copy %gd, %d : memref<2xi32> to memref<2xi32>
  call @b148(%p, %d) : (memref<4xi32>, memref<2xi32>) -> ()
  %up = memref.cast %p : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%up) : (memref<*xi32>) -> ()
  %ud = memref.cast %d : memref<2xi32> to memref<*xi32>
  call @printMemrefI32(%ud) : (memref<*xi32>) -> ()
  return
}
