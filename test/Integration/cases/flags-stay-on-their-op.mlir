// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// One op has nnan, its fused neighbour has not: the flag must not spread to the
// other op, and x == x must stay the NaN test it is.
func.func @b086(%x: tensor<3xf32>) -> tensor<3xf32> {
  %e = tensor.empty() : tensor<3xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %ord = arith.cmpf oeq, %a, %a : f32
    %s = arith.select %ord, %a, %z : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%p : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a fastmath<nnan,ninf> : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  return %r : tensor<3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [0,4,-6]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0x7FC00000,2.0,-3.0]> : tensor<3xf32>
  %r = call @b086(%in0) : (tensor<3xf32>) -> tensor<3xf32>
  %u0 = tensor.cast %r : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
