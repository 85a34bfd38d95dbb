// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// linalg.index stands in the consumer and the fused operand is read transposed:
// the consumer's own index numbers must stay as they are.
func.func @b003(%x: tensor<2x3xi32>) -> tensor<3x2xi32> {
  %e0 = tensor.empty() : tensor<2x3xi32>
  %e1 = tensor.empty() : tensor<3x2xi32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xi32>) outs(%e0 : tensor<2x3xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %a : i32
    linalg.yield %s : i32
  } -> tensor<2x3xi32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%p : tensor<2x3xi32>) outs(%e1 : tensor<3x2xi32>) {
  ^bb0(%a: i32, %o: i32):
    %r = linalg.index 0 : index
    %c100 = arith.constant 100 : index
    %m = arith.muli %r, %c100 : index
    %k = arith.index_cast %m : index to i32
    %s = arith.addi %a, %k : i32
    linalg.yield %s : i32
  } -> tensor<3x2xi32>
  return %c : tensor<3x2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[2,8],[104,110],[206,212]]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1,2,3],[4,5,6]]> : tensor<2x3xi32>
  %r = call @b003(%in0) : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %u0 = tensor.cast %r : tensor<3x2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
