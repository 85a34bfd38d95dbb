// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// TOLERANCE: 2e-6

// A costly 1-d producer (tanh, exp, erf) read along a new dimension of 4096:
// inlined, each of its values is worked out 4096 times.
func.func @b140(%x: tensor<64xf32>, %y: tensor<64x4096xf32>) -> tensor<64x4096xf32> {
  %e1 = tensor.empty() : tensor<64xf32>
  %e2 = tensor.empty() : tensor<64x4096xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<64xf32>) outs(%e1 : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = math.tanh %a : f32
    %u = math.exp %t : f32
    %v = math.erf %u : f32
    %w = math.log1p %v : f32
    linalg.yield %w : f32
  } -> tensor<64xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%p, %y : tensor<64xf32>, tensor<64x4096xf32>) outs(%e2 : tensor<64x4096xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<64x4096xf32>
  return %r : tensor<64x4096xf32>
}
// The value was worked out by hand: log1p(erf(exp(tanh(0)))) = 0.611232,
// times 2. On a GPU compare within 1e-5.
// EXPECT: [[1.22246,1.22246],[1.22246,1.22246]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %two = arith.constant 2.0 : f32
  %x = arith.constant dense<0.0> : tensor<64xf32>
  %e = tensor.empty() : tensor<64x4096xf32>
  %y = linalg.fill ins(%two : f32) outs(%e : tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %r = call @b140(%x, %y) : (tensor<64xf32>, tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %s = tensor.extract_slice %r[62, 4094] [2, 2] [1, 1] : tensor<64x4096xf32> to tensor<2x2xf32>
  %u = tensor.cast %s : tensor<2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  return
}
