// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The only operand that tells the size of loop j is the producer's own outs.
// After fusing into the reduction some operand must still give that bound.
func.func @b005(%x: tensor<4xf32>, %acc: tensor<4x3xf32>, %init: tensor<4xf32>) -> tensor<4xf32> {
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<4xf32>) outs(%acc : tensor<4x3xf32>) {
  ^bb0(%a: f32, %old: f32):
    %s = arith.mulf %a, %old : f32
    linalg.yield %s : f32
  } -> tensor<4x3xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%p : tensor<4x3xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %o, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [106,230,372,532]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.,4.]> : tensor<4xf32>
  %in1 = arith.constant dense<[[1.,2.,3.],[4.,5.,6.],[7.,8.,9.],[10.,11.,12.]]> : tensor<4x3xf32>
  %in2 = arith.constant dense<[100.,200.,300.,400.]> : tensor<4xf32>
  %r = call @b005(%in0, %in1, %in2) : (tensor<4xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<4xf32>
  %u0 = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
