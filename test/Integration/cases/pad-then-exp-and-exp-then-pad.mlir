// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// exp(pad(x)) and pad(exp(x)) differ in the border: exp(0) = 1 against 0. A
// fuser that moves the pad across the exp, or pads the input, mixes them up.
func.func @b050(%x: tensor<2xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e2 = tensor.empty() : tensor<2xf32>
  %e5 = tensor.empty() : tensor<5xf32>
  %p = tensor.pad %x low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  %a = linalg.map { math.exp } ins(%p : tensor<5xf32>) outs(%e5 : tensor<5xf32>)
  %q = linalg.map { math.exp } ins(%x : tensor<2xf32>) outs(%e2 : tensor<2xf32>)
  %b = tensor.pad %q low[1] high[2] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<2xf32> to tensor<5xf32>
  return %a, %b : tensor<5xf32>, tensor<5xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1,1.64872,0.367879,1,1]
// EXPECT: [0,1.64872,0.367879,0,0]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0.5,-1.0]> : tensor<2xf32>
  %r:2 = call @b050(%in0) : (tensor<2xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  %u0 = tensor.cast %r#0 : tensor<5xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<5xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
