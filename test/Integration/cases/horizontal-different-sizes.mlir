// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// Three independent updates of different sizes and element types (an optimizer
// step). One horizontal kernel is fine if every part keeps its own bound.
func.func @b025(%a: tensor<3xf32>, %b: tensor<5xi32>, %c: tensor<2x2xf64>) -> (tensor<3xf32>, tensor<5xi32>, tensor<2x2xf64>) {
  %ea = tensor.empty() : tensor<3xf32>
  %eb = tensor.empty() : tensor<5xi32>
  %ec = tensor.empty() : tensor<2x2xf64>
  %ra = linalg.add ins(%a, %a : tensor<3xf32>, tensor<3xf32>) outs(%ea : tensor<3xf32>) -> tensor<3xf32>
  %rb = linalg.mul ins(%b, %b : tensor<5xi32>, tensor<5xi32>) outs(%eb : tensor<5xi32>) -> tensor<5xi32>
  %rc = linalg.map { arith.negf } ins(%c : tensor<2x2xf64>) outs(%ec : tensor<2x2xf64>)
  return %ra, %rb, %rc : tensor<3xf32>, tensor<5xi32>, tensor<2x2xf64>
}
// The values were worked out by hand, not by running it.
// EXPECT: [2,4,6]
// EXPECT: [1,4,9,16,25]
// EXPECT: [[-1,-2],[-3,4]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefF64(tensor<*xf64>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.]> : tensor<3xf32>
  %in1 = arith.constant dense<[1,2,3,4,5]> : tensor<5xi32>
  %in2 = arith.constant dense<[[1.,2.],[3.,-4.]]> : tensor<2x2xf64>
  %r:3 = call @b025(%in0, %in1, %in2) : (tensor<3xf32>, tensor<5xi32>, tensor<2x2xf64>) -> (tensor<3xf32>, tensor<5xi32>, tensor<2x2xf64>)
  %u0 = tensor.cast %r#0 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<2x2xf64> to tensor<*xf64>
  call @printMemrefF64(%u2) : (tensor<*xf64>) -> ()
  return
}
