// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 0

// A running sum through memory: each round needs the one before. Mapped to
// threads it races; the outer loop over rows is the parallel one.
func.func @b153(%x: memref<2x5xi32>) {
  affine.for %i = 0 to 2 {
    affine.for %j = 1 to 5 {
      %a = affine.load %x[%i, %j - 1] : memref<2x5xi32>
      %b = affine.load %x[%i, %j] : memref<2x5xi32>
      %s = arith.addi %a, %b : i32
      affine.store %s, %x[%i, %j] : memref<2x5xi32>
    }
  }
  return
}
// The values were worked out by hand, not by running it.
// EXPECT: [[1,3,6,10,15],[1,2,3,4,5]]
memref.global "private" constant @b153_x : memref<2x5xi32> = dense<[[1,2,3,4,5],[1,1,1,1,1]]>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %gx = memref.get_global @b153_x : memref<2x5xi32>
  %x = memref.alloc() : memref<2x5xi32>
  memref.copy %gx, %x : memref<2x5xi32> to memref<2x5xi32>
  call @b153(%x) : (memref<2x5xi32>) -> ()
  %ux = memref.cast %x : memref<2x5xi32> to memref<*xi32>
  call @printMemrefI32(%ux) : (memref<*xi32>) -> ()
  return
}
