// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The producer has no input at all (only loop indices). Inlined into the sum
// nothing says how far j runs, unless the fuser keeps a shape operand.
func.func @b006(%n: index) -> tensor<2xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty(%n) : tensor<2x?xi32>
  %iota = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x?xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c7 = arith.constant 7 : index
    %m = arith.muli %i, %c7 : index
    %s = arith.addi %m, %j : index
    %v = arith.index_cast %s : index to i32
    linalg.yield %v : i32
  } -> tensor<2x?xi32>
  %e1 = tensor.empty() : tensor<2xi32>
  %init = linalg.fill ins(%zero : i32) outs(%e1 : tensor<2xi32>) -> tensor<2xi32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%iota : tensor<2x?xi32>) outs(%init : tensor<2xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %o, %a : i32
    linalg.yield %s : i32
  } -> tensor<2xi32>
  return %r : tensor<2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [3,24]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant 3 : index
  %r = call @b006(%in0) : (index) -> tensor<2xi32>
  %u0 = tensor.cast %r : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
