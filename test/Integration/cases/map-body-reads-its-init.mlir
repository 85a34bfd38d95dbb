// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// A linalg.map whose region uses the block argument of its init: the old value
// counts, although the op looks like a pure map.
func.func @b098(%x: tensor<3xi32>, %init: tensor<3xi32>) -> tensor<3xi32> {
  %e = tensor.empty() : tensor<3xi32>
  %d = linalg.add ins(%init, %init : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %m = linalg.map ins(%x : tensor<3xi32>) outs(%d : tensor<3xi32>)
    (%a: i32, %old: i32) {
      %s = arith.subi %old, %a : i32
      linalg.yield %s : i32
    }
  return %m : tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [19,38,57]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,2,3]> : tensor<3xi32>
  %in1 = arith.constant dense<[10,20,30]> : tensor<3xi32>
  %r = call @b098(%in0, %in1) : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %u0 = tensor.cast %r : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
