// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The consumer reads the diagonal of an elementwise producer (the same loop in
// both positions): not a permutation, so the map has no inverse.
func.func @b013(%x: tensor<3x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %e2 = tensor.empty() : tensor<3x3xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<3x3xf32>) outs(%e2 : tensor<3x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = arith.muli %i, %j : index
    %k = arith.index_cast %t : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.addf %a, %f : f32
    linalg.yield %s : f32
  } -> tensor<3x3xf32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(d) -> (d, d)>, affine_map<(d) -> (d)>, affine_map<(d) -> (d)>],
    iterator_types = ["parallel"]}
    ins(%p, %y : tensor<3x3xf32>, tensor<3xf32>) outs(%e1 : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.mulf %a, %b : f32
    linalg.yield %m : f32
  } -> tensor<3xf32>
  return %c : tensor<3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1,60,1300]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.,3.],[4.,5.,6.],[7.,8.,9.]]> : tensor<3x3xf32>
  %in1 = arith.constant dense<[1.,10.,100.]> : tensor<3xf32>
  %r = call @b013(%in0, %in1) : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %u0 = tensor.cast %r : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
