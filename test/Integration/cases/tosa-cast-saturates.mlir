// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 2

// tosa.cast from float to integer rounds half to even and clamps to the range
// of the target type (inf too). A bare conversion instruction does neither.
func.func @b121(%x: tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi8>) {
  %a = tosa.cast %x : (tensor<8xf32>) -> tensor<8xi32>
  %b = tosa.cast %x : (tensor<8xf32>) -> tensor<8xi8>
  return %a, %b : tensor<8xi32>, tensor<8xi8>
}
// The values were worked out by hand, not by running it.
// EXPECT: [2,-2,4,0,2147483647,-2147483648,128,2147483647]
// EXPECT: [2,-2,4,0,127,-128,127,127]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[2.5,-2.5,3.5,0.5,1.0e20,-1.0e20,127.6,0x7F800000]> : tensor<8xf32>
  %r:2 = call @b121(%in0) : (tensor<8xf32>) -> (tensor<8xi32>, tensor<8xi8>)
  %u0 = tensor.cast %r#0 : tensor<8xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %o1 = arith.extsi %r#1 : tensor<8xi8> to tensor<8xi32>
  %u1 = tensor.cast %o1 : tensor<8xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  return
}
