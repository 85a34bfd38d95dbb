// The three transforms of a Winograd convolution, taken apart into loops of small
// products, by us and by the reference.
// RUN: split-file %s %t
// RUN: fuse-run %t/filter.mlir | FileCheck %s
// RUN: fuse-run %t/input.mlir | FileCheck %s
// RUN: fuse-run %t/output.mlir | FileCheck %s --check-prefix=ADDED
// CHECK: kernels{{ +[0-9]+ -> 1$}}
// CHECK: verified{{ +}}yes
// One of these copies what the last transform adds to.
// ADDED: kernels{{ +[0-9]+ -> 2$}}
// ADDED: verified{{ +}}yes

//--- filter.mlir
func.func @main(%f: tensor<2x3x3x2xf32>) -> tensor<6x6x2x2xf32> {
  %e = arith.constant dense<0.0> : tensor<6x6x2x2xf32>
  %0 = linalg.winograd_filter_transform fmr(F_4_3)
      ins(%f : tensor<2x3x3x2xf32>) outs(%e : tensor<6x6x2x2xf32>)
      -> tensor<6x6x2x2xf32>
  return %0 : tensor<6x6x2x2xf32>
}

//--- input.mlir
func.func @main(%x: tensor<1x10x10x2xf32>) -> tensor<6x6x2x2x1x2xf32> {
  %e = arith.constant dense<0.0> : tensor<6x6x2x2x1x2xf32>
  %0 = linalg.winograd_input_transform fmr(F_4_3)
      ins(%x : tensor<1x10x10x2xf32>) outs(%e : tensor<6x6x2x2x1x2xf32>)
      -> tensor<6x6x2x2x1x2xf32>
  return %0 : tensor<6x6x2x2x1x2xf32>
}

//--- output.mlir
// What the result starts from is added.
func.func @main(%y: tensor<6x6x2x2x1x2xf32>) -> tensor<1x8x8x2xf32> {
  %e = arith.constant dense<1.0> : tensor<1x8x8x2xf32>
  %0 = linalg.winograd_output_transform fmr(F_4_3)
      ins(%y : tensor<6x6x2x2x1x2xf32>) outs(%e : tensor<1x8x8x2xf32>)
      -> tensor<1x8x8x2xf32>
  return %0 : tensor<1x8x8x2xf32>
}
