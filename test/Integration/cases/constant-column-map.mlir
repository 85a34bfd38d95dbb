// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The operand map has a constant result: the consumer reads only column 1 of an
// index-dependent producer. Either compose it exactly or refuse.
func.func @b015(%x: tensor<3x2xi32>) -> tensor<3xi32> {
  %e2 = tensor.empty() : tensor<3x2xi32>
  %e1 = tensor.empty() : tensor<3xi32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x2xi32>) outs(%e2 : tensor<3x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    %j = linalg.index 1 : index
    %v = arith.index_cast %j : index to i32
    %c100 = arith.constant 100 : i32
    %t = arith.muli %v, %c100 : i32
    %s = arith.addi %a, %t : i32
    linalg.yield %s : i32
  } -> tensor<3x2xi32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i, 1)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%p : tensor<3x2xi32>) outs(%e1 : tensor<3xi32>) {
  ^bb0(%a: i32, %o: i32):
    linalg.yield %a : i32
  } -> tensor<3xi32>
  return %c : tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [102,104,106]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1,2],[3,4],[5,6]]> : tensor<3x2xi32>
  %r = call @b015(%in0) : (tensor<3x2xi32>) -> tensor<3xi32>
  %u0 = tensor.cast %r : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
