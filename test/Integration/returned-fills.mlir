// Fills and splats that are returned are operators of one kernel with what else
// there is; one of them is the initial value of a reduction as well.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// CHECK: main_0_reduce{{ +}}packed
// CHECK: kernels{{ +}}8 -> 1
// CHECK: verified{{ +}}yes
func.func @main(%s: tensor<1xf32>, %x: tensor<128x64xf32>) -> (tensor<128x64xf32>, tensor<1000xf16>, tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>, tensor<3xf32>, tensor<77xi1>, tensor<8x8xi32>, tensor<128x64xf32>) {
  %first = arith.constant 0 : index
  %scalar = tensor.extract %s[%first] : tensor<1xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<128x64xf32>) -> tensor<128x64xf32>
  %half = arith.truncf %scalar : f32 to f16
  %halves = tensor.splat %half : tensor<1000xf16>
  %y = math.exp %x : tensor<128x64xf32>
  %r = tensor.empty() : tensor<128xf32>
  %init = linalg.fill ins(%scalar : f32) outs(%r : tensor<128xf32>) -> tensor<128xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<128x64xf32>) outs(%init : tensor<128xf32>) dimensions = [1]
  %three = tensor.from_elements %scalar, %zero, %scalar : tensor<3xf32>
  %true = arith.constant true
  %b = tensor.empty() : tensor<77xi1>
  %bits = linalg.fill ins(%true : i1) outs(%b : tensor<77xi1>) -> tensor<77xi1>
  %seven = arith.constant 7 : i32
  %w = tensor.empty() : tensor<8x8xi32>
  %words = linalg.fill ins(%seven : i32) outs(%w : tensor<8x8xi32>) -> tensor<8x8xi32>
  return %zeros, %halves, %y, %sum, %init, %three, %bits, %words, %zeros : tensor<128x64xf32>, tensor<1000xf16>, tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>, tensor<3xf32>, tensor<77xi1>, tensor<8x8xi32>, tensor<128x64xf32>
}
