// The order of floating-point reductions: `fp-order` marks the functions, and
// where it is strict a sum is a loop of one thread; a maximum is not.
// RUN: fuse-opt %s --fuse-plan=fp-order=strict | FileCheck %s --check-prefix=MARK
// RUN: fuse-opt %s --fuse-plan=fp-order=strict --fuse-print-group-shapes 2>&1 | FileCheck %s --check-prefix=STRICT
// RUN: fuse-opt %s --fuse-plan --fuse-print-group-shapes 2>&1 | FileCheck %s --check-prefix=ANY
// RUN: not fuse-opt %s --fuse-plan=fp-order=fast 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: expected fp-order to be fixed or strict, but got 'fast'

// MARK: func.func @sum({{.*}} attributes {fuse.fp_order = "strict"}
// STRICT: fuse.group: general 64 x 1
// ANY: fuse.group: row 64 x 512
func.func @sum(%x: tensor<64x512xf32>) -> tensor<64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x512xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}

// STRICT: fuse.group: row 64 x 512
// ANY: fuse.group: row 64 x 512
func.func @max(%x: tensor<64x512xf32>) -> tensor<64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.maximumf } ins(%x : tensor<64x512xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}

// What a function says holds without the option.
// STRICT: fuse.group: general 64 x 1
// ANY: fuse.group: general 64 x 1
func.func @marked(%x: tensor<64x512xf32>) -> tensor<64xf32> attributes {fuse.fp_order = "strict"} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<64x512xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %r : tensor<64xf32>
}
