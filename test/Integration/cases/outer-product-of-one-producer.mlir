// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// One 1-d producer read as a column and as a row (outer product). The fused
// body must evaluate it at two different points.
func.func @b008(%x: tensor<3xf32>) -> tensor<3x3xf32> {
  %e1 = tensor.empty() : tensor<3xf32>
  %e2 = tensor.empty() : tensor<3x3xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<3xf32>) outs(%e1 : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %s = arith.addf %a, %one : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%p, %p : tensor<3xf32>, tensor<3xf32>) outs(%e2 : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %ten = arith.constant 10.0 : f32
    %t = arith.mulf %a, %ten : f32
    %s = arith.addf %t, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x3xf32>
  return %c : tensor<3x3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[22,23,24],[32,33,34],[42,43,44]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.]> : tensor<3xf32>
  %r = call @b008(%in0) : (tensor<3xf32>) -> tensor<3x3xf32>
  %u0 = tensor.cast %r : tensor<3x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
