// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 2

// A histogram written as a loop over tensor.extract / tensor.insert with
// repeated indices, then an elementwise op on it. The loop is sequential, and
// the elementwise op needs all of it.
func.func @b066(%idx: tensor<6xi32>) -> tensor<3xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<3xi32>
  %init = linalg.fill ins(%z : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %h = scf.for %i = %c0 to %c6 step %c1 iter_args(%acc = %init) -> (tensor<3xi32>) {
    %k = tensor.extract %idx[%i] : tensor<6xi32>
    %p = arith.index_cast %k : i32 to index
    %v = tensor.extract %acc[%p] : tensor<3xi32>
    %n = arith.addi %v, %one : i32
    %t = tensor.insert %n into %acc[%p] : tensor<3xi32>
    scf.yield %t : tensor<3xi32>
  }
  %r = linalg.mul ins(%h, %h : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [4,1,9]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0,2,2,1,2,0]> : tensor<6xi32>
  %r = call @b066(%in0) : (tensor<6xi32>) -> tensor<3xi32>
  %u0 = tensor.cast %r : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
