// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 0

// Zeroing of three accumulators, then the sums into them. The zeroing pulled into
// the loop over columns wipes the sums already made.
func.func @b150(%x: memref<2x3x4xi32>, %out: memref<2x3xi32>) {
  %z = arith.constant 0 : i32
  affine.for %i = 0 to 2 {
    affine.store %z, %out[%i, 0] : memref<2x3xi32>
    affine.store %z, %out[%i, 1] : memref<2x3xi32>
    affine.store %z, %out[%i, 2] : memref<2x3xi32>
  }
  affine.for %i = 0 to 2 {
    affine.for %j = 0 to 3 {
      affine.for %k = 0 to 4 {
        %v = affine.load %x[%i, %j, %k] : memref<2x3x4xi32>
        %s = affine.load %out[%i, %j] : memref<2x3xi32>
        %t = arith.addi %s, %v : i32
        affine.store %t, %out[%i, %j] : memref<2x3xi32>
      }
    }
  }
  return
}
// The values were worked out by hand, not by running it.
// EXPECT: [[4,8,12],[16,20,24]]
memref.global "private" constant @b150_x : memref<2x3x4xi32> = dense<[[[1,1,1,1],[2,2,2,2],[3,3,3,3]],[[4,4,4,4],[5,5,5,5],[6,6,6,6]]]>
memref.global "private" constant @b150_out : memref<2x3xi32> = dense<77>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %gx = memref.get_global @b150_x : memref<2x3x4xi32>
  %x = memref.alloc() : memref<2x3x4xi32>
  memref.copy %gx, %x : memref<2x3x4xi32> to memref<2x3x4xi32>
  %gout = memref.get_global @b150_out : memref<2x3xi32>
  %out = memref.alloc() : memref<2x3xi32>
  memref.copy %gout, %out : memref<2x3xi32> to memref<2x3xi32>
  call @b150(%x, %out) : (memref<2x3x4xi32>, memref<2x3xi32>) -> ()
  %uout = memref.cast %out : memref<2x3xi32> to memref<*xi32>
  call @printMemrefI32(%uout) : (memref<*xi32>) -> ()
  return
}
