// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// A collapse and an expand of run-time sizes between elementwise ops. Either
// look through them or leave them; pushing them back and forth never ends.
func.func @b106(%x: tensor<?x3xi32>, %b: tensor<?xi32>) -> tensor<3x?xi32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x3xi32>
  %e = tensor.empty(%m) : tensor<?x3xi32>
  %p = linalg.add ins(%x, %x : tensor<?x3xi32>, tensor<?x3xi32>) outs(%e : tensor<?x3xi32>) -> tensor<?x3xi32>
  %f = tensor.collapse_shape %p [[0, 1]] : tensor<?x3xi32> into tensor<?xi32>
  %k = tensor.dim %f, %c0 : tensor<?xi32>
  %e1 = tensor.empty(%k) : tensor<?xi32>
  %q = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%f, %b : tensor<?xi32>, tensor<?xi32>) outs(%e1 : tensor<?xi32>) {
  ^bb0(%a: i32, %c: i32, %o: i32):
    %s = arith.subi %a, %c : i32
    linalg.yield %s : i32
  } -> tensor<?xi32>
  %g = tensor.expand_shape %q [[0, 1]] output_shape [3, %m] : tensor<?xi32> into tensor<3x?xi32>
  %e2 = tensor.empty(%m) : tensor<3x?xi32>
  %r = linalg.mul ins(%g, %g : tensor<3x?xi32>, tensor<3x?xi32>) outs(%e2 : tensor<3x?xi32>) -> tensor<3x?xi32>
  return %r : tensor<3x?xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[1,9],[25,49],[81,121]]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1,2,3],[4,5,6]]> : tensor<2x3xi32>
  %arg0 = tensor.cast %in0 : tensor<2x3xi32> to tensor<?x3xi32>
  %in1 = arith.constant dense<1> : tensor<6xi32>
  %arg1 = tensor.cast %in1 : tensor<6xi32> to tensor<?xi32>
  %r = call @b106(%arg0, %arg1) : (tensor<?x3xi32>, tensor<?xi32>) -> tensor<3x?xi32>
  %u0 = tensor.cast %r : tensor<3x?xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
