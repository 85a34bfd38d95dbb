// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// Splat and non-splat constants as operands: f32 splat, i1 splat feeding a
// select, index elements, and one that is indexed transposed.
func.func @b110(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) {
  %half = arith.constant dense<0.5> : tensor<2x2xf32>
  %mask = arith.constant dense<true> : tensor<2x2xi1>
  %tab = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %idx = arith.constant dense<[[0, 10], [20, 30]]> : tensor<2x2xindex>
  %e = tensor.empty() : tensor<2x2xf32>
  %ei = tensor.empty() : tensor<2x2xi64>
  %a = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %half, %mask, %tab : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xi1>, tensor<2x2xf32>) outs(%e : tensor<2x2xf32>) {
  ^bb0(%v: f32, %h: f32, %m: i1, %t: f32, %o: f32):
    %s = arith.mulf %v, %h : f32
    %u = arith.addf %s, %t : f32
    %w = arith.select %m, %u, %v : f32
    linalg.yield %w : f32
  } -> tensor<2x2xf32>
  %b = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%idx : tensor<2x2xindex>) outs(%ei : tensor<2x2xi64>) {
  ^bb0(%v: index, %o: i64):
    %i = linalg.index 0 : index
    %s = arith.addi %v, %i : index
    %w = arith.index_cast %s : index to i64
    linalg.yield %w : i64
  } -> tensor<2x2xi64>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xi64>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[2,5],[5,8]]
// EXPECT: [[0,20],[11,31]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI64(tensor<*xi64>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[2.,4.],[6.,8.]]> : tensor<2x2xf32>
  %r:2 = call @b110(%in0) : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  %u0 = tensor.cast %r#0 : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2x2xi64> to tensor<*xi64>
  call @printMemrefI64(%u1) : (tensor<*xi64>) -> ()
  return
}
