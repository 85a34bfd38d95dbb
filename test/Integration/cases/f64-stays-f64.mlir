// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// (x - 0.1) * 1e9 in f64. A tool that narrows f64 to f32 gives noise instead of
// 0 and 1.49012.
func.func @b083(%x: tensor<2xf64>) -> tensor<2xf64> {
  %c = arith.constant 0.1 : f64
  %k = arith.constant 1.0e9 : f64
  %e = tensor.empty() : tensor<2xf64>
  %fc = linalg.fill ins(%c : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %fk = linalg.fill ins(%k : f64) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %d = linalg.sub ins(%x, %fc : tensor<2xf64>, tensor<2xf64>) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  %r = linalg.mul ins(%d, %fk : tensor<2xf64>, tensor<2xf64>) outs(%e : tensor<2xf64>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}
// The values were worked out by hand, not by running it.
// EXPECT: [0,1.49012]
func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0.1,0.10000000149011612]> : tensor<2xf64>
  %r = call @b083(%in0) : (tensor<2xf64>) -> tensor<2xf64>
  %u0 = tensor.cast %r : tensor<2xf64> to tensor<*xf64>
  call @printMemrefF64(%u0) : (tensor<*xf64>) -> ()
  return
}
