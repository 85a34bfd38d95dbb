// Contractions that front ends write as loop nests, or of types that only matrix
// units have, are priced as what is emitted for them: their paddings are no
// kernels of their own at sizes at which kernels take their time, as multiplying
// element by element would make them.
// RUN: split-file %s %t
// RUN: fuse-run %t/dilated.mlir --no-run --assemble=0 | FileCheck %s
// RUN: fuse-run %t/groups.mlir --no-run --assemble=0 | FileCheck %s
// RUN: fuse-run %t/line.mlir --no-run --assemble=0 | FileCheck %s
// RUN: fuse-run %t/bytes.mlir --no-run --assemble=0 | FileCheck %s
// CHECK: main_0_{{.*}} tile {{.*}} {{1?[0-9]}}.{{[0-9][0-9]}} us
// CHECK: kernels {{.*}}-> 1

//--- dilated.mlir
func.func @main(%x: tensor<2x64x56x56xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<2x64x56x56xf32> {
  %z = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %z : f16
  } : tensor<2x64x56x56xf16> to tensor<2x64x60x60xf16>
  %e = tensor.empty() : tensor<2x64x56x56xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2x64x56x56xf32>) -> tensor<2x64x56x56xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, f, y, x, c, i, j) -> (n, c, y + 2 * i, x + 2 * j)>, affine_map<(n, f, y, x, c, i, j) -> (f, c, i, j)>, affine_map<(n, f, y, x, c, i, j) -> (n, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<2x64x60x60xf16>, tensor<64x64x3x3xf16>) outs(%i : tensor<2x64x56x56xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %0 = arith.extf %l : f16 to f32
    %1 = arith.extf %r : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<2x64x56x56xf32>
  return %y : tensor<2x64x56x56xf32>
}

//--- groups.mlir
func.func @main(%x: tensor<2x2x32x56x56xf32>, %w: tensor<2x32x32x3x3xf32>) -> tensor<2x2x32x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 0, 1, 1] high[0, 0, 0, 1, 1] {
  ^bb0(%a: index, %g: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<2x2x32x56x56xf32> to tensor<2x2x32x58x58xf32>
  %e = tensor.empty() : tensor<2x2x32x56x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x2x32x56x56xf32>) -> tensor<2x2x32x56x56xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, g, f, y, x, c, i, j) -> (n, g, c, y + i, x + j)>, affine_map<(n, g, f, y, x, c, i, j) -> (g, f, c, i, j)>, affine_map<(n, g, f, y, x, c, i, j) -> (n, g, f, y, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%p, %w : tensor<2x2x32x58x58xf32>, tensor<2x32x32x3x3xf32>) outs(%f : tensor<2x2x32x56x56xf32>) {
  ^bb0(%l: f32, %r: f32, %o: f32):
    %0 = arith.mulf %l, %r : f32
    %1 = arith.addf %o, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x2x32x56x56xf32>
  return %y : tensor<2x2x32x56x56xf32>
}

//--- line.mlir
func.func @main(%x: tensor<4x128x400xf16>, %w: tensor<128x128x3xf16>) -> tensor<4x128x400xf32> {
  %z = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 2] high[0, 0, 0] {
  ^bb0(%a: index, %b: index, %c: index):
    tensor.yield %z : f16
  } : tensor<4x128x400xf16> to tensor<4x128x402xf16>
  %e = tensor.empty() : tensor<4x128x400xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<4x128x400xf32>) -> tensor<4x128x400xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(n, f, x, c, j) -> (n, c, x + j)>, affine_map<(n, f, x, c, j) -> (f, c, j)>, affine_map<(n, f, x, c, j) -> (n, f, x)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]}
      ins(%p, %w : tensor<4x128x402xf16>, tensor<128x128x3xf16>) outs(%i : tensor<4x128x400xf32>) {
  ^bb0(%l: f16, %r: f16, %o: f32):
    %0 = arith.extf %l : f16 to f32
    %1 = arith.extf %r : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<4x128x400xf32>
  return %y : tensor<4x128x400xf32>
}

//--- bytes.mlir
func.func @main(%x: tensor<1024x1024xi8>, %w: tensor<2048x1024xi8>) -> tensor<1024x2048xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1024x2048xi32>
  %i = linalg.fill ins(%zero : i32) outs(%e : tensor<1024x2048xi32>) -> tensor<1024x2048xi32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<1024x1024xi8>, tensor<2048x1024xi8>) outs(%i : tensor<1024x2048xi32>) {
  ^bb0(%l: i8, %r: i8, %o: i32):
    %0 = arith.extsi %l : i8 to i32
    %1 = arith.extsi %r : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %o, %2 : i32
    linalg.yield %3 : i32
  } -> tensor<1024x2048xi32>
  return %y : tensor<1024x2048xi32>
}
