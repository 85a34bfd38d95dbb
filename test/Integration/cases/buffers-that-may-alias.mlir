// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 0

// linalg on buffers, and the caller passes one buffer for both arguments. The
// two ops run one after the other over the whole buffer: a[i] depends on b[3-i].
func.func @b096(%a: memref<4xi32>, %b: memref<4xi32>) {
  %c3 = arith.constant 3 : index
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%a : memref<4xi32>) outs(%b : memref<4xi32>) {
  ^bb0(%v: i32, %o: i32):
    %k = arith.constant 10 : i32
    %s = arith.addi %v, %k : i32
    linalg.yield %s : i32
  }
  %t = memref.alloc() : memref<4xi32>
  linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} outs(%t : memref<4xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = arith.subi %c3, %i : index
    %v = memref.load %a[%j] : memref<4xi32>
    linalg.yield %v : i32
  }
  linalg.add ins(%t, %b : memref<4xi32>, memref<4xi32>) outs(%b : memref<4xi32>)
  memref.dealloc %t : memref<4xi32>
  return
}
// One buffer is passed twice; the values were worked out by hand:
// a = [1,2,3,4]; b (= a) becomes [11,12,13,14]; t is its reversal; b = t + b.
// EXPECT: [25,25,25,25]
memref.global "private" constant @b096_in : memref<4xi32> = dense<[1, 2, 3, 4]>
func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %g = memref.get_global @b096_in : memref<4xi32>
  %m = memref.alloc() : memref<4xi32>
  memref.copy %g, %m : memref<4xi32> to memref<4xi32>
  call @b096(%m, %m) : (memref<4xi32>, memref<4xi32>) -> ()
  %u = memref.cast %m : memref<4xi32> to memref<*xi32>
  call @printMemrefI32(%u) : (memref<*xi32>) -> ()
  return
}
