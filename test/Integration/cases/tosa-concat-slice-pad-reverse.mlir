// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Data movement only: concat, slice, pad with a value, reverse, with one
// elementwise op in the middle.
func.func @b125(%a: tensor<2xi32>, %b: tensor<3xi32>) -> tensor<6xi32> {
  %st = tosa.const_shape {values = dense<[1]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %sz = tosa.const_shape {values = dense<[3]> : tensor<1xindex>} : () -> !tosa.shape<1>
  %pd = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %pv = "tosa.const"() <{values = dense<-9> : tensor<1xi32>}> : () -> tensor<1xi32>
  %c = tosa.concat %a, %b {axis = 0 : i32} : (tensor<2xi32>, tensor<3xi32>) -> tensor<5xi32>
  %s = tosa.slice %c, %st, %sz : (tensor<5xi32>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<3xi32>
  %d = tosa.add %s, %s : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %p = tosa.pad %d, %pd, %pv : (tensor<3xi32>, !tosa.shape<2>, tensor<1xi32>) -> tensor<6xi32>
  %r = tosa.reverse %p {axis = 0 : i32} : (tensor<6xi32>) -> tensor<6xi32>
  return %r : tensor<6xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-9,-9,8,6,4,-9]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,2]> : tensor<2xi32>
  %in1 = arith.constant dense<[3,4,5]> : tensor<3xi32>
  %r = call @b125(%in0, %in1) : (tensor<2xi32>, tensor<3xi32>) -> tensor<6xi32>
  %u0 = tensor.cast %r : tensor<6xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
