// Heads come from the same keys and values in memory, of which the number of the
// head is a factor: a block must not take those of one head for those of others.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=keys | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=values | FileCheck %s
// CHECK: attention
// CHECK: {{^}}kernels{{.*}} -> 2{{$}}
// CHECK: {{^}}verified{{ +}}yes
#group = affine_map<(g, h, k, d) -> (g, k, d)>
#id4 = affine_map<(g, h, k, d) -> (g, h, k, d)>
#id3 = affine_map<(h, q, k) -> (h, q, k)>

func.func @keys(%q: tensor<32x1x64xf16>, %k: tensor<4x2048x64xf16>, %v: tensor<4x2048x64xf16>) -> tensor<32x1x64xf16> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4x8x2048x64xf16>
  %k4 = linalg.generic {indexing_maps = [#group, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<4x2048x64xf16>) outs(%e4 : tensor<4x8x2048x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %h = linalg.index 1 : index
    %n = arith.index_cast %h : index to i32
    %f = arith.uitofp %n : i32 to f16
    %r = arith.mulf %a, %f : f16
    linalg.yield %r : f16
  } -> tensor<4x8x2048x64xf16>
  %k3 = tensor.collapse_shape %k4 [[0, 1], [2], [3]] : tensor<4x8x2048x64xf16> into tensor<32x2048x64xf16>
  %v4 = linalg.generic {indexing_maps = [#group, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<4x2048x64xf16>) outs(%e4 : tensor<4x8x2048x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<4x8x2048x64xf16>
  %v3 = tensor.collapse_shape %v4 [[0, 1], [2], [3]] : tensor<4x8x2048x64xf16> into tensor<32x2048x64xf16>
  %es = tensor.empty() : tensor<32x1x2048xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x1x2048xf32>) -> tensor<32x1x2048xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%q, %k3 : tensor<32x1x64xf16>, tensor<32x2048x64xf16>) outs(%fs : tensor<32x1x2048xf32>) -> tensor<32x1x2048xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<32x1x2048xf32>) outs(%es : tensor<32x1x2048xf32>) -> tensor<32x1x2048xf32>
  %ew = tensor.empty() : tensor<32x1x2048xf16>
  %w = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<32x1x2048xf32>) outs(%ew : tensor<32x1x2048xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<32x1x2048xf16>
  %ey = tensor.empty() : tensor<32x1x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  %y = linalg.batch_matmul ins(%w, %v3 : tensor<32x1x2048xf16>, tensor<32x2048x64xf16>) outs(%fy : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  %eh = tensor.empty() : tensor<32x1x64xf16>
  %yh = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<32x1x64xf32>) outs(%eh : tensor<32x1x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<32x1x64xf16>
  return %yh : tensor<32x1x64xf16>
}

func.func @values(%q: tensor<32x1x64xf16>, %k: tensor<4x2048x64xf16>, %v: tensor<4x2048x64xf16>) -> tensor<32x1x64xf16> {
  %zero = arith.constant 0.0 : f32
  %e4 = tensor.empty() : tensor<4x8x2048x64xf16>
  %k4 = linalg.generic {indexing_maps = [#group, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%k : tensor<4x2048x64xf16>) outs(%e4 : tensor<4x8x2048x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    linalg.yield %a : f16
  } -> tensor<4x8x2048x64xf16>
  %k3 = tensor.collapse_shape %k4 [[0, 1], [2], [3]] : tensor<4x8x2048x64xf16> into tensor<32x2048x64xf16>
  %v4 = linalg.generic {indexing_maps = [#group, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%v : tensor<4x2048x64xf16>) outs(%e4 : tensor<4x8x2048x64xf16>) {
  ^bb0(%a: f16, %o: f16):
    %h = linalg.index 1 : index
    %n = arith.index_cast %h : index to i32
    %f = arith.uitofp %n : i32 to f16
    %r = arith.mulf %a, %f : f16
    linalg.yield %r : f16
  } -> tensor<4x8x2048x64xf16>
  %v3 = tensor.collapse_shape %v4 [[0, 1], [2], [3]] : tensor<4x8x2048x64xf16> into tensor<32x2048x64xf16>
  %es = tensor.empty() : tensor<32x1x2048xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<32x1x2048xf32>) -> tensor<32x1x2048xf32>
  %s = linalg.batch_matmul indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (b, n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>] ins(%q, %k3 : tensor<32x1x64xf16>, tensor<32x2048x64xf16>) outs(%fs : tensor<32x1x2048xf32>) -> tensor<32x1x2048xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<32x1x2048xf32>) outs(%es : tensor<32x1x2048xf32>) -> tensor<32x1x2048xf32>
  %ew = tensor.empty() : tensor<32x1x2048xf16>
  %w = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<32x1x2048xf32>) outs(%ew : tensor<32x1x2048xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<32x1x2048xf16>
  %ey = tensor.empty() : tensor<32x1x64xf32>
  %fy = linalg.fill ins(%zero : f32) outs(%ey : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  %y = linalg.batch_matmul ins(%w, %v3 : tensor<32x1x2048xf16>, tensor<32x2048x64xf16>) outs(%fy : tensor<32x1x64xf32>) -> tensor<32x1x64xf32>
  %eh = tensor.empty() : tensor<32x1x64xf16>
  %yh = linalg.generic {indexing_maps = [#id3, #id3], iterator_types = ["parallel", "parallel", "parallel"]} ins(%y : tensor<32x1x64xf32>) outs(%eh : tensor<32x1x64xf16>) {
  ^bb0(%a: f32, %o: f16):
    %r = arith.truncf %a : f32 to f16
    linalg.yield %r : f16
  } -> tensor<32x1x64xf16>
  return %yh : tensor<32x1x64xf16>
}
