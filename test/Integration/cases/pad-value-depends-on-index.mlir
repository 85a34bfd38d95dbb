// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The padding is computed from the position in the padded tensor and from a
// captured tensor, so it is not one constant.
func.func @b051(%x: tensor<2xi32>, %t: tensor<5xi32>) -> tensor<5xi32> {
  %e2 = tensor.empty() : tensor<2xi32>
  %e5 = tensor.empty() : tensor<5xi32>
  %d = linalg.add ins(%x, %x : tensor<2xi32>, tensor<2xi32>) outs(%e2 : tensor<2xi32>) -> tensor<2xi32>
  %p = tensor.pad %d low[2] high[1] {
  ^bb0(%i: index):
    %v = tensor.extract %t[%i] : tensor<5xi32>
    tensor.yield %v : i32
  } : tensor<2xi32> to tensor<5xi32>
  %r = linalg.mul ins(%p, %p : tensor<5xi32>, tensor<5xi32>) outs(%e5 : tensor<5xi32>) -> tensor<5xi32>
  return %r : tensor<5xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [100,400,4,16,2500]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,2]> : tensor<2xi32>
  %in1 = arith.constant dense<[10,20,30,40,50]> : tensor<5xi32>
  %r = call @b051(%in0, %in1) : (tensor<2xi32>, tensor<5xi32>) -> tensor<5xi32>
  %u0 = tensor.cast %r : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
