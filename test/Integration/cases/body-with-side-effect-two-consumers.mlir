// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// The producer's body counts its own runs in a buffer. Inlined into both
// consumers it would run twice; dropped as unused it would not run at all.
func.func @b088(%m: memref<3xi32>, %x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %e = tensor.empty() : tensor<3xi32>
  %one = arith.constant 1 : i32
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 0 : index
    %n = memref.load %m[%i] : memref<3xi32>
    %n1 = arith.addi %n, %one : i32
    memref.store %n1, %m[%i] : memref<3xi32>
    %s = arith.muli %a, %a : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  %q = linalg.map { arith.addi } ins(%p, %x : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  %r = linalg.map { arith.subi } ins(%p, %x : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>)
  return %q, %r : tensor<3xi32>, tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [2,2,6]
// EXPECT: [0,6,12]
// EXPECT: [11,21,31]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n0 = arith.constant 10 : i32
  %n1 = arith.constant 20 : i32
  %n2 = arith.constant 30 : i32
  %m = memref.alloc() : memref<3xi32>
  memref.store %n0, %m[%c0] : memref<3xi32>
  memref.store %n1, %m[%c1] : memref<3xi32>
  memref.store %n2, %m[%c2] : memref<3xi32>
  %x = arith.constant dense<[1, -2, -3]> : tensor<3xi32>
  %r:2 = call @b088(%m, %x) : (memref<3xi32>, tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>)
  %u = tensor.cast %r#0 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u) : (tensor<*xi32>) -> ()
  %v = tensor.cast %r#1 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%v) : (tensor<*xi32>) -> ()
  %a = memref.load %m[%c0] : memref<3xi32>
  %b = memref.load %m[%c1] : memref<3xi32>
  %c = memref.load %m[%c2] : memref<3xi32>
  %t = tensor.from_elements %a, %b, %c : tensor<3xi32>
  %w = tensor.cast %t : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%w) : (tensor<*xi32>) -> ()
  memref.dealloc %m : memref<3xi32>
  return
}
