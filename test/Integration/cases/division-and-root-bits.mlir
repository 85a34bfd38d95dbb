// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Bit patterns of a division and a square root: PTX's approximate forms differ
// in the last bit from the correctly rounded ones.
func.func @b070(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %e = tensor.empty() : tensor<4xi32>
  %q = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: f32, %b: f32, %o: i32):
    %d = arith.divf %a, %b : f32
    %v = arith.bitcast %d : f32 to i32
    linalg.yield %v : i32
  } -> tensor<4xi32>
  %s = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%y : tensor<4xf32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: f32, %o: i32):
    %d = math.sqrt %a : f32
    %v = arith.bitcast %d : f32 to i32
    linalg.yield %v : i32
  } -> tensor<4xi32>
  return %q, %s : tensor<4xi32>, tensor<4xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1051372203,1059760811,1041385765,1084227584]
// EXPECT: [1071494103,1071494103,1076450301,1068827891]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.0, 2.0, 1.0, 10.0]> : tensor<4xf32>
  %in1 = arith.constant dense<[3.0, 3.0, 7.0, 2.0]> : tensor<4xf32>
  %r:2 = call @b070(%in0, %in1) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>)
  %u0 = tensor.cast %r#0 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  return
}
