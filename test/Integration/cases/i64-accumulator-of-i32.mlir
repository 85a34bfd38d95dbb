// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// i32 inputs summed in i64 past 2^31, with the widening in its own op before the
// reduction.
func.func @b081(%x: tensor<2x3xi32>) -> tensor<2xi64> {
  %z = arith.constant 0 : i64
  %e2 = tensor.empty() : tensor<2x3xi64>
  %e = tensor.empty() : tensor<2xi64>
  %init = linalg.fill ins(%z : i64) outs(%e : tensor<2xi64>) -> tensor<2xi64>
  %w = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xi32>) outs(%e2 : tensor<2x3xi64>) {
  ^bb0(%a: i32, %o: i64):
    %v = arith.extsi %a : i32 to i64
    linalg.yield %v : i64
  } -> tensor<2x3xi64>
  %r = linalg.reduce { arith.addi } ins(%w : tensor<2x3xi64>) outs(%init : tensor<2xi64>) dimensions = [1]
  return %r : tensor<2xi64>
}
// The values were worked out by hand, not by running it.
// EXPECT: [6000000000,-3999999999]
func.func private @printMemrefI64(tensor<*xi64>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[2000000000,2000000000,2000000000],[-2000000000,-2000000000,1]]> : tensor<2x3xi32>
  %r = call @b081(%in0) : (tensor<2x3xi32>) -> tensor<2xi64>
  %u0 = tensor.cast %r : tensor<2xi64> to tensor<*xi64>
  call @printMemrefI64(%u0) : (tensor<*xi64>) -> ()
  return
}
