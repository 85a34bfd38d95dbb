// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Two loop-carried tensors that change places each round: (a, b) -> (b, a + b).
// One in-place kernel for both would read a value it has just overwritten.
func.func @b091(%a0: tensor<2xi32>, %b0: tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<2xi32>
  %r:2 = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %a0, %b = %b0) -> (tensor<2xi32>, tensor<2xi32>) {
    %s = linalg.add ins(%a, %b : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>
    scf.yield %b, %s : tensor<2xi32>, tensor<2xi32>
  }
  return %r#0, %r#1 : tensor<2xi32>, tensor<2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [8,50]
// EXPECT: [13,80]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,0]> : tensor<2xi32>
  %in1 = arith.constant dense<[1,10]> : tensor<2xi32>
  %r:2 = call @b091(%in0, %in1) : (tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %u0 = tensor.cast %r#0 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  return
}
