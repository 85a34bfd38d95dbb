// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// 1e-40 doubled, and 2e-38 halved: flush-to-zero instructions give 0 for both.
func.func @b071(%x: tensor<3xf32>, %k: tensor<3xf32>) -> tensor<3xi32> {
  %ef = tensor.empty() : tensor<3xf32>
  %ei = tensor.empty() : tensor<3xi32>
  %m = linalg.mul ins(%x, %k : tensor<3xf32>, tensor<3xf32>) outs(%ef : tensor<3xf32>) -> tensor<3xf32>
  %b = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%m : tensor<3xf32>) outs(%ei : tensor<3xi32>) {
  ^bb0(%a: f32, %o: i32):
    %v = arith.bitcast %a : f32 to i32
    linalg.yield %v : i32
  } -> tensor<3xi32>
  return %b : tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [142724,7136238,1077936128]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.0e-40,2.0e-38,3.0]> : tensor<3xf32>
  %in1 = arith.constant dense<[2.0,0.5,1.0]> : tensor<3xf32>
  %r = call @b071(%in0, %in1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi32>
  %u0 = tensor.cast %r : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
