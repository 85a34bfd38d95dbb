// The allocator overwrites what is freed, which the analysis must not use when
// it goes back from one try to the next.
// RUN: env MALLOC_PERTURB_=165 fuse-opt %s --fuse-print-group-shapes -o /dev/null | FileCheck %s

// Reductions of a square, where rows and columns are equally many: each root is
// tried over both, however many there are.
// CHECK: fuse.group: mixed 64 x 64
// CHECK-COUNT-6: root linalg.reduce (d0, d1)
// CHECK: output (d0) per row
// CHECK-NEXT: output (d1) per column
func.func @square(%x: tensor<64x64xf32>, %f: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %r:6 = fuse.group -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %i = tensor.empty() : tensor<64x64xf32>
    %e = linalg.exp ins(%x : tensor<64x64xf32>) outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
    %r0 = linalg.reduce { arith.addf } ins(%e : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %r1 = linalg.reduce { arith.addf } ins(%e : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [0]
    %r2 = linalg.reduce { arith.addf } ins(%e : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %r3 = linalg.reduce { arith.addf } ins(%e : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [0]
    %r4 = linalg.reduce { arith.addf } ins(%e : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %r5 = linalg.reduce { arith.addf } ins(%e : tensor<64x64xf32>) outs(%f : tensor<64xf32>) dimensions = [0]
    fuse.yield %r0, %r1, %r2, %r3, %r4, %r5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
