// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// TOLERANCE: 2e-6

// Functions with no single PTX instruction, in f32 and f64: the PTX may hold no
// unresolved external symbol, so they are expanded or a library is linked in.
func.func @b145(%x: tensor<4xf32>, %y: tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4xf32>
  %ed = tensor.empty() : tensor<4xf64>
  %a = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %two = arith.constant 2.5 : f32
    %s = math.erf %v : f32
    %t = math.atan2 %v, %two : f32
    %u = math.powf %v, %two : f32
    %w = math.cbrt %v : f32
    %p = arith.addf %s, %t : f32
    %q = arith.addf %u, %w : f32
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %b = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%y : tensor<4xf64>) outs(%ed : tensor<4xf64>) {
  ^bb0(%v: f64, %o: f64):
    %s = math.tanh %v : f64
    %t = math.log1p %v : f64
    %u = math.sin %v : f64
    %p = arith.addf %s, %t : f64
    %r = arith.addf %p, %u : f64
    linalg.yield %r : f64
  } -> tensor<4xf64>
  return %a, %b : tensor<4xf32>, tensor<4xf64>
}
// The values were worked out by hand, not by running it.
// On a GPU compare within 1e-5 (f32) and 1e-12 (f64), relative.
// EXPECT: [0,3.22321,35.5996,1.03721]
// EXPECT: [0,2.29621,1.85196,0.715466]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0.0, 1.0, 4.0, 0.25]> : tensor<4xf32>
  %in1 = arith.constant dense<[0.0, 1.0, 4.0, 0.25]> : tensor<4xf64>
  %r:2 = call @b145(%in0, %in1) : (tensor<4xf32>, tensor<4xf64>) -> (tensor<4xf32>, tensor<4xf64>)
  %u0 = tensor.cast %r#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xf64> to tensor<*xf64>
  call @printMemrefF64(%u1) : (tensor<*xf64>) -> ()
  return
}
