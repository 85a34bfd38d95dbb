// The body of a linalg.map reads its init, here the sum of another operator:
// in one kernel with it, and in the reference, which must not take the init for
// a place to write to.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// CHECK: kernels         2 -> 1
// CHECK: verified        yes, max error 0 (emulator)
func.func @main(%x: tensor<257xi32>, %y: tensor<257xi32>) -> tensor<257xi32> {
  %e = tensor.empty() : tensor<257xi32>
  %d = linalg.add ins(%y, %y : tensor<257xi32>, tensor<257xi32>)
    outs(%e : tensor<257xi32>) -> tensor<257xi32>
  %m = linalg.map ins(%x : tensor<257xi32>) outs(%d : tensor<257xi32>)
    (%a: i32, %old: i32) {
      %s = arith.subi %old, %a : i32
      linalg.yield %s : i32
    }
  return %m : tensor<257xi32>
}
