// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// A constant whose data stands at the end of the file (a resource blob): it is
// no splat, cannot be inlined as a literal, and must be carried along.
func.func @b146(%x: tensor<4xi32>) -> tensor<4xi32> {
  %w = arith.constant dense_resource<b146_weights> : tensor<4xi32>
  %e = tensor.empty() : tensor<4xi32>
  %a = linalg.add ins(%x, %w : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %r = linalg.mul ins(%a, %w : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  return %r : tensor<4xi32>
}
{-#
  dialect_resources: {
    builtin: {
      b146_weights: "0x04000000010000000200000003000000FFFFFFFF"
    }
  }
#-}
// The values were worked out by hand, not by running it.
// EXPECT: [11,44,99,-39]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[10,20,30,40]> : tensor<4xi32>
  %r = call @b146(%in0) : (tensor<4xi32>) -> tensor<4xi32>
  %u0 = tensor.cast %r : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
