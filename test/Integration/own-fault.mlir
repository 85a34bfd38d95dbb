// UNSUPPORTED: sanitizer
// A fault of the emulator is a crash of fuse-run, not an error of the program
// that runs. (All checkers: one thread runs the kernel, which takes seconds;
// sanitizers handle faults themselves.)
// RUN: %python %S/Inputs/fault.py fuse-run %s | FileCheck %s
// CHECK: signal 11 crash
func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<1024x1024xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x1024xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %m = linalg.matmul ins(%a, %b : tensor<1024x1024xf32>, tensor<1024x1024xf32>) outs(%f : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %m : tensor<1024x1024xf32>
}
