// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Integer division (truncating) and both right shifts on negative numbers; the
// arithmetic one with rounding.
func.func @b126(%x: tensor<4xi32>, %y: tensor<4xi32>, %s: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %a = tosa.intdiv %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %b = tosa.arithmetic_right_shift %x, %s {round = false} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %c = tosa.arithmetic_right_shift %x, %s {round = true} : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %d = tosa.logical_right_shift %x, %s : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %a, %b, %c, %d : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-3,-3,-2,2]
// EXPECT: [-4,3,-2,2]
// EXPECT: [-3,4,-2,3]
// EXPECT: [2147483644,3,1073741822,2]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[-7,7,-8,5]> : tensor<4xi32>
  %in1 = arith.constant dense<[2,-2,3,2]> : tensor<4xi32>
  %in2 = arith.constant dense<[1,1,2,1]> : tensor<4xi32>
  %r:4 = call @b126(%in0, %in1, %in2) : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  %u0 = tensor.cast %r#0 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u2) : (tensor<*xi32>) -> ()
  %u3 = tensor.cast %r#3 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u3) : (tensor<*xi32>) -> ()
  return
}
