// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 0

// The first loop calls a function that writes the whole buffer; so what the
// second loop reads is known only after the first loop has ended.
func.func private @b151_shift(%t: memref<4xi32>) attributes {no_inline} {
  %ten = arith.constant 10 : i32
  affine.for %i = 0 to 4 {
    %v = affine.load %t[%i] : memref<4xi32>
    %w = arith.addi %v, %ten : i32
    affine.store %w, %t[%i] : memref<4xi32>
  }
  return
}
func.func @b151(%x: memref<4xi32>, %t: memref<4xi32>, %y: memref<4xi32>) {
  affine.for %i = 0 to 4 {
    %v = affine.load %x[%i] : memref<4xi32>
    affine.store %v, %t[%i] : memref<4xi32>
    func.call @b151_shift(%t) : (memref<4xi32>) -> ()
  }
  affine.for %i = 0 to 4 {
    %v = affine.load %t[%i] : memref<4xi32>
    %w = arith.addi %v, %v : i32
    affine.store %w, %y[%i] : memref<4xi32>
  }
  return
}
// The values were worked out by hand, not by running it.
// EXPECT: [82,64,46,28]
memref.global "private" constant @b151_x : memref<4xi32> = dense<[1,2,3,4]>
memref.global "private" constant @b151_t : memref<4xi32> = dense<0>
memref.global "private" constant @b151_y : memref<4xi32> = dense<0>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %gx = memref.get_global @b151_x : memref<4xi32>
  %x = memref.alloc() : memref<4xi32>
  memref.copy %gx, %x : memref<4xi32> to memref<4xi32>
  %gt = memref.get_global @b151_t : memref<4xi32>
  %t = memref.alloc() : memref<4xi32>
  memref.copy %gt, %t : memref<4xi32> to memref<4xi32>
  %gy = memref.get_global @b151_y : memref<4xi32>
  %y = memref.alloc() : memref<4xi32>
  memref.copy %gy, %y : memref<4xi32> to memref<4xi32>
  call @b151(%x, %t, %y) : (memref<4xi32>, memref<4xi32>, memref<4xi32>) -> ()
  %uy = memref.cast %y : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%uy) : (memref<*xi32>) -> ()
  return
}
