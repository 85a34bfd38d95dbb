// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// In f16 the product overflows to inf and stays inf; kept in f32 across the two
// fused ops it comes back as a plain number.
func.func @b068(%x: tensor<3xf16>) -> tensor<3xf16> {
  %e = tensor.empty() : tensor<3xf16>
  %p = linalg.mul ins(%x, %x : tensor<3xf16>, tensor<3xf16>) outs(%e : tensor<3xf16>) -> tensor<3xf16>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%p : tensor<3xf16>) outs(%e : tensor<3xf16>) {
  ^bb0(%a: f16, %o: f16):
    %k = arith.constant 0.25 : f16
    %m = arith.mulf %a, %k : f16
    linalg.yield %m : f16
  } -> tensor<3xf16>
  return %r : tensor<3xf16>
}
// The values were worked out by hand, not by running it.
// EXPECT: [inf,1,inf]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[300.,2.,-400.]> : tensor<3xf16>
  %r = call @b068(%in0) : (tensor<3xf16>) -> tensor<3xf16>
  %o0 = arith.extf %r : tensor<3xf16> to tensor<3xf32>
  %u0 = tensor.cast %o0 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
