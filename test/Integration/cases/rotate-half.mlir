// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// concat(-x[2:4], x[0:2]) times sin, plus x times cos: slices and a concat of
// one tensor in a single elementwise region (the rotary-embedding pattern).
func.func @b058(%x: tensor<4xf32>, %c: tensor<4xf32>, %s: tensor<4xf32>) -> tensor<4xf32> {
  %e2 = tensor.empty() : tensor<2xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %lo = tensor.extract_slice %x[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %hi = tensor.extract_slice %x[2] [2] [1] : tensor<4xf32> to tensor<2xf32>
  %n = linalg.map { arith.negf } ins(%hi : tensor<2xf32>) outs(%e2 : tensor<2xf32>)
  %rot = tensor.concat dim(0) %n, %lo : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %a = linalg.mul ins(%x, %c : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.mul ins(%rot, %s : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %r = linalg.add ins(%a, %b : tensor<4xf32>, tensor<4xf32>) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-29,-38,106,208]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.,4.]> : tensor<4xf32>
  %in1 = arith.constant dense<[1.,1.,2.,2.]> : tensor<4xf32>
  %in2 = arith.constant dense<[10.,10.,100.,100.]> : tensor<4xf32>
  %r = call @b058(%in0, %in1, %in2) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %u0 = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
