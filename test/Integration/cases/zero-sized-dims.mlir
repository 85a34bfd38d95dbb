// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// Tensors with no elements. A sum over an empty dimension gives the start value;
// an elementwise op on an empty tensor must not launch an empty grid.
func.func @b103(%x: tensor<3x0xf32>, %y: tensor<0x4xf32>) -> (tensor<3xf32>, tensor<0x4xf32>, tensor<4xf32>) {
  %k = arith.constant 2.5 : f32
  %e30 = tensor.empty() : tensor<3x0xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %e04 = tensor.empty() : tensor<0x4xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %i3 = linalg.fill ins(%k : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %i4 = linalg.fill ins(%k : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %p = linalg.map { math.exp } ins(%x : tensor<3x0xf32>) outs(%e30 : tensor<3x0xf32>)
  %s = linalg.reduce { arith.addf } ins(%p : tensor<3x0xf32>) outs(%i3 : tensor<3xf32>) dimensions = [1]
  %q = linalg.map { math.exp } ins(%y : tensor<0x4xf32>) outs(%e04 : tensor<0x4xf32>)
  %t = linalg.reduce { arith.maximumf } ins(%q : tensor<0x4xf32>) outs(%i4 : tensor<4xf32>) dimensions = [0]
  return %s, %q, %t : tensor<3xf32>, tensor<0x4xf32>, tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [2.5,2.5,2.5]
// EXPECT: [0,4]
// EXPECT: [2.5,2.5,2.5,2.5]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefInd(tensor<*xindex>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[],[],[]]> : tensor<3x0xf32>
  %in1 = arith.constant dense<> : tensor<0x4xf32>
  %r:3 = call @b103(%in0, %in1) : (tensor<3x0xf32>, tensor<0x4xf32>) -> (tensor<3xf32>, tensor<0x4xf32>, tensor<4xf32>)
  %u0 = tensor.cast %r#0 : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %c1_0 = arith.constant 0 : index
  %d1_0 = tensor.dim %r#1, %c1_0 : tensor<0x4xf32>
  %c1_1 = arith.constant 1 : index
  %d1_1 = tensor.dim %r#1, %c1_1 : tensor<0x4xf32>
  %o1 = tensor.from_elements %d1_0, %d1_1 : tensor<2xindex>
  %u1 = tensor.cast %o1 : tensor<2xindex> to tensor<*xindex>
  call @printMemrefInd(%u1) : (tensor<*xindex>) -> ()
  %u2 = tensor.cast %r#2 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
