// RUN: fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

// Reductions of one number of rows but different lengths.

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// The space is as long as the longest; a shorter one repeats its elements where it
// has none.
// CHECK:      fuse.group: row 64 x 96
// CHECK-NEXT:   root linalg.reduce (d0, d1 mod 32)
// CHECK-NEXT:   root linalg.reduce (d0, d1)
// CHECK-NEXT:   output (d0) per row
func.func @lengths(%x: tensor<64x32xf32>, %y: tensor<64x96xf32>) -> tensor<64xf32> {
  %r = fuse.group -> (tensor<64xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.reduce { arith.addf } ins(%x : tensor<64x32xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %t = linalg.reduce { arith.addf } ins(%y : tensor<64x96xf32>) outs(%s : tensor<64xf32>) dimensions = [1]
    fuse.yield %t : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
