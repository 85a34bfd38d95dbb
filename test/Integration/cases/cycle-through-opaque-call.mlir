// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// p -> call -> c and p -> c. Putting p and c in one kernel while p is still
// needed by the call before c gives a dependence cycle. Two kernels, or
// recomputing p inside c, are both right.
func.func private @b021_opaque(%t: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} outs(%e : tensor<4xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %c3 = arith.constant 3 : index
    %j = arith.subi %c3, %i : index
    %v = tensor.extract %t[%j] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @b021(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %p = linalg.mul ins(%x, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %q = func.call @b021_opaque(%p) : (tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.sub ins(%p, %q : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %p, %c : tensor<4xf32>, tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1,4,9,16]
// EXPECT: [-15,-5,5,15]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.,4.]> : tensor<4xf32>
  %r:2 = call @b021(%in0) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %u0 = tensor.cast %r#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
