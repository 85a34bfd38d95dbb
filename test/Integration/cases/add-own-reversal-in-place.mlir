// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// x + reverse(x), with x itself as outs. In place, half of the elements read
// values that have been overwritten already.
func.func @b061(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c3 = arith.constant 3 : index
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
  ^bb0(%old: f32):
    %i = linalg.index 0 : index
    %j = arith.subi %c3, %i : index
    %v = tensor.extract %x[%j] : tensor<4xf32>
    %s = arith.addf %old, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [41,32,32,41]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,30.,40.]> : tensor<4xf32>
  %r = call @b061(%in0) : (tensor<4xf32>) -> tensor<4xf32>
  %u0 = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
