// Factors in half types and bytes whose rows begin anywhere: padded images, whose
// places make up one run of memory, runs of four elements, or every other element,
// and matrices with odd rows. One kernel each, right values.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=image | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=images | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=strided | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=bytes | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=rows | FileCheck %s
// CHECK-COUNT-5: {{^}}{{[a-z0-9_]+}} {{ *}}tile
// CHECK: {{^}}kernels{{.*}} 9 -> 5{{$}}
// CHECK: {{^}}verified{{ +}}yes

func.func @image(%x: tensor<1x32x14x14xf16>, %w: tensor<40x32x3x3xf16>) -> tensor<1x40x14x14xf32> {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<1x32x14x14xf16> to tensor<1x32x16x16xf16>
  %e = tensor.empty() : tensor<1x40x14x14xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x40x14x14xf32>) -> tensor<1x40x14x14xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x32x16x16xf16>, tensor<40x32x3x3xf16>) outs(%f : tensor<1x40x14x14xf32>) -> tensor<1x40x14x14xf32>
  return %c : tensor<1x40x14x14xf32>
}

func.func @images(%x: tensor<2x16x6x6xf16>, %w: tensor<32x16x3x3xf16>) -> tensor<2x32x6x6xf32> {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<2x16x6x6xf16> to tensor<2x16x8x8xf16>
  %e = tensor.empty() : tensor<2x32x6x6xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x32x6x6xf32>) -> tensor<2x32x6x6xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<2x16x8x8xf16>, tensor<32x16x3x3xf16>) outs(%f : tensor<2x32x6x6xf32>) -> tensor<2x32x6x6xf32>
  return %c : tensor<2x32x6x6xf32>
}

func.func @strided(%x: tensor<1x4x30x30xf16>, %w: tensor<32x4x7x7xf16>) -> tensor<1x32x15x15xf32> {
  %none = arith.constant 0.0 : f16
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 3, 3] high[0, 0, 3, 3] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : f16
  } : tensor<1x4x30x30xf16> to tensor<1x4x36x36xf16>
  %e = tensor.empty() : tensor<1x32x15x15xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x32x15x15xf32>) -> tensor<1x32x15x15xf32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<2> : tensor<2xi64>}
      ins(%p, %w : tensor<1x4x36x36xf16>, tensor<32x4x7x7xf16>) outs(%f : tensor<1x32x15x15xf32>) -> tensor<1x32x15x15xf32>
  return %c : tensor<1x32x15x15xf32>
}

func.func @bytes(%x: tensor<1x16x16x16xi8>, %w: tensor<32x16x3x3xi8>) -> tensor<1x32x16x16xi32> {
  %none = arith.constant 0 : i8
  %zero = arith.constant 0 : i32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %none : i8
  } : tensor<1x16x16x16xi8> to tensor<1x16x18x18xi8>
  %e = tensor.empty() : tensor<1x32x16x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<1x32x16x16xi32>) -> tensor<1x32x16x16xi32>
  %c = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>}
      ins(%p, %w : tensor<1x16x18x18xi8>, tensor<32x16x3x3xi8>) outs(%f : tensor<1x32x16x16xi32>) -> tensor<1x32x16x16xi32>
  return %c : tensor<1x32x16x16xi32>
}

func.func @rows(%a: tensor<40x129xf16>, %b: tensor<129x24xf16>) -> tensor<40x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x24xf32>) -> tensor<40x24xf32>
  %c = linalg.matmul ins(%a, %b : tensor<40x129xf16>, tensor<129x24xf16>) outs(%f : tensor<40x24xf32>) -> tensor<40x24xf32>
  return %c : tensor<40x24xf32>
}
