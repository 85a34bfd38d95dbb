// Products of one space that share a factor: each with a tile of its own where that
// takes less time, in one walk where the blocks are too few for it, and always in one
// walk where what follows needs both. Kernels beside them in a pack change none of this.
// RUN: fuse-opt %s --fuse-plan --fuse-print-group-shapes -o /dev/null 2>&1 | FileCheck %s

// CHECK: fuse.group: packed
// CHECK-NEXT: part of {{.*}}: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: part of {{.*}}: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: part of {{.*}}: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
func.func @apart(%x: tensor<1576x768xf16>, %a: tensor<768x768xf16>, %b: tensor<768x768xf16>, %c: tensor<768x768xf16>) -> (tensor<1576x768xf32>, tensor<1576x768xf32>, tensor<1576x768xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1576x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %2 = linalg.matmul ins(%x, %c : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  return %0, %1, %2 : tensor<1576x768xf32>, tensor<1576x768xf32>, tensor<1576x768xf32>
}

// CHECK-NEXT: fuse.group: packed
// CHECK-NEXT: part of {{.*}}: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: part of {{.*}}: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: part of {{.*}}: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: part of {{.*}}: pointwise 768 x 1
// CHECK-NEXT: output (d0)
func.func @beside(%x: tensor<1576x768xf16>, %a: tensor<768x768xf16>, %b: tensor<768x768xf16>, %c: tensor<768x768xf16>, %d: tensor<768xf32>) -> (tensor<1576x768xf32>, tensor<1576x768xf32>, tensor<1576x768xf32>, tensor<768xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1576x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %2 = linalg.matmul ins(%x, %c : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %3 = math.exp %d : tensor<768xf32>
  return %0, %1, %2, %3 : tensor<1576x768xf32>, tensor<1576x768xf32>, tensor<1576x768xf32>, tensor<768xf32>
}

// Two of three stay together where the third one's blocks fill up what theirs leave.
// CHECK-NEXT: fuse.group: packed
// CHECK-NEXT: part of {{.*}}: tile 1024 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: part of {{.*}}: tile 1024 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
func.func @pair(%x: tensor<1024x768xf32>, %a: tensor<768x768xf32>, %b: tensor<768x768xf32>, %c: tensor<768x768xf32>) -> (tensor<1024x768xf32>, tensor<1024x768xf32>, tensor<1024x768xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1024x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<1024x768xf32>, tensor<768x768xf32>) outs(%f : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<1024x768xf32>, tensor<768x768xf32>) outs(%f : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  %2 = linalg.matmul ins(%x, %c : tensor<1024x768xf32>, tensor<768x768xf32>) outs(%f : tensor<1024x768xf32>) -> tensor<1024x768xf32>
  return %0, %1, %2 : tensor<1024x768xf32>, tensor<1024x768xf32>, tensor<1024x768xf32>
}

// CHECK-NEXT: fuse.group: tile 256 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NEXT: output (d0, d1)
func.func @few(%x: tensor<256x768xf16>, %a: tensor<768x768xf16>, %b: tensor<768x768xf16>) -> (tensor<256x768xf32>, tensor<256x768xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x768xf32>) -> tensor<256x768xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<256x768xf16>, tensor<768x768xf16>) outs(%f : tensor<256x768xf32>) -> tensor<256x768xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<256x768xf16>, tensor<768x768xf16>) outs(%f : tensor<256x768xf32>) -> tensor<256x768xf32>
  return %0, %1 : tensor<256x768xf32>, tensor<256x768xf32>
}

// CHECK-NEXT: fuse.group: tile 1576 x 768
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: root linalg.matmul
// CHECK-NEXT: output (d0, d1)
// CHECK-NOT: fuse.group
func.func @gate(%x: tensor<1576x768xf16>, %a: tensor<768x768xf16>, %b: tensor<768x768xf16>) -> tensor<1576x768xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1576x768xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %0 = linalg.matmul ins(%x, %a : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %1 = linalg.matmul ins(%x, %b : tensor<1576x768xf16>, tensor<768x768xf16>) outs(%f : tensor<1576x768xf32>) -> tensor<1576x768xf32>
  %2 = arith.mulf %0, %1 : tensor<1576x768xf32>
  return %2 : tensor<1576x768xf32>
}
