// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Tensors of index: values beyond 2^32 must survive, whatever width the kernel
// picks for its own addresses.
func.func @b080(%x: tensor<3xindex>) -> tensor<3xi64> {
  %e = tensor.empty() : tensor<3xindex>
  %ei = tensor.empty() : tensor<3xi64>
  %m = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<3xindex>) outs(%e : tensor<3xindex>) {
  ^bb0(%a: index, %o: index):
    %i = linalg.index 0 : index
    %k = arith.constant 1000000 : index
    %t = arith.muli %a, %k : index
    %s = arith.addi %t, %i : index
    linalg.yield %s : index
  } -> tensor<3xindex>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%m : tensor<3xindex>) outs(%ei : tensor<3xi64>) {
  ^bb0(%a: index, %o: i64):
    %v = arith.index_cast %a : index to i64
    linalg.yield %v : i64
  } -> tensor<3xi64>
  return %r : tensor<3xi64>
}
// The values were worked out by hand, not by running it.
// EXPECT: [5000000000,6000000001,7000000002]
func.func private @printMemrefI64(tensor<*xi64>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[5000,6000,7000]> : tensor<3xindex>
  %r = call @b080(%in0) : (tensor<3xindex>) -> tensor<3xi64>
  %u0 = tensor.cast %r : tensor<3xi64> to tensor<*xi64>
  call @printMemrefI64(%u0) : (tensor<*xi64>) -> ()
  return
}
