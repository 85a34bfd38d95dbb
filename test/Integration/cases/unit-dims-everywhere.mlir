// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Size-1 dimensions as broadcast sources, as reduction dimensions and in the
// middle of a 4-d elementwise op (dropping them must keep the index meaning).
func.func @b108(%x: tensor<1x3x1x2xi32>, %b: tensor<1x1x1x2xi32>) -> tensor<1x3xi32> {
  %z = arith.constant 0 : i32
  %e4 = tensor.empty() : tensor<1x3x1x2xi32>
  %e2 = tensor.empty() : tensor<1x3xi32>
  %init = linalg.fill ins(%z : i32) outs(%e2 : tensor<1x3xi32>) -> tensor<1x3xi32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, 0, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%x, %b : tensor<1x3x1x2xi32>, tensor<1x1x1x2xi32>) outs(%e4 : tensor<1x3x1x2xi32>) {
  ^bb0(%v: i32, %w: i32, %o: i32):
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i32
    %c100 = arith.constant 100 : i32
    %t = arith.muli %k, %c100 : i32
    %s = arith.addi %v, %w : i32
    %u = arith.addi %s, %t : i32
    linalg.yield %u : i32
  } -> tensor<1x3x1x2xi32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b)>],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%p : tensor<1x3x1x2xi32>) outs(%init : tensor<1x3xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %s = arith.addi %acc, %v : i32
    linalg.yield %s : i32
  } -> tensor<1x3xi32>
  return %r : tensor<1x3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[33,237,441]]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[[[1,2]],[[3,4]],[[5,6]]]]> : tensor<1x3x1x2xi32>
  %in1 = arith.constant dense<[[[[10,20]]]]> : tensor<1x1x1x2xi32>
  %r = call @b108(%in0, %in1) : (tensor<1x3x1x2xi32>, tensor<1x1x1x2xi32>) -> tensor<1x3xi32>
  %u0 = tensor.cast %r : tensor<1x3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
