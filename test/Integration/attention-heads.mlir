// Scores as (batch, query, head, key): rows that follow each other belong to other
// heads, and have keys and values of their own. One kernel each, right values.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=heads_between_f32 | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --entry=heads_between_f16 | FileCheck %s
// CHECK: attention
// CHECK: {{^}}kernels{{.*}} -> 2{{$}}
// CHECK: {{^}}verified{{ +}}yes

func.func @heads_between_f32(%arg0: tensor<2x5x3x8xf32>, %arg1: tensor<2x12x3x8xf32>, %arg2: tensor<2x12x3x8xf32>) -> (tensor<2x5x3x8xf32>) {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x5x3x12xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x5x3x12xf32>) -> tensor<2x5x3x12xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, q, h, k, d) -> (b, q, h, d)>, affine_map<(b, q, h, k, d) -> (b, k, h, d)>, affine_map<(b, q, h, k, d) -> (b, q, h, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x5x3x8xf32>, tensor<2x12x3x8xf32>) outs(%3 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %p = arith.mulf %b0, %b1 : f32
    %res = arith.addf %o, %p : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %5 = tensor.empty() : tensor<2x5x3x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x5x3x12xf32>) outs(%5 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %c = arith.constant 1.700000e-01 : f32
    %res = arith.mulf %b0, %c : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %7 = arith.constant 0xFF800000 : f32
  %8 = tensor.empty() : tensor<2x5x3xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x5x3x12xf32>) outs(%9 : tensor<2x5x3xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %res = arith.maximumf %b0, %o : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3xf32>
  %11 = tensor.empty() : tensor<2x5x3x12xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %10 : tensor<2x5x3x12xf32>, tensor<2x5x3xf32>) outs(%11 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %res = arith.subf %b0, %b1 : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %13 = tensor.empty() : tensor<2x5x3x12xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x5x3x12xf32>) outs(%13 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %res = math.exp %b0 : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %15 = arith.constant 0.0 : f32
  %16 = tensor.empty() : tensor<2x5x3xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x5x3x12xf32>) outs(%17 : tensor<2x5x3xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %res = arith.addf %b0, %o : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3xf32>
  %19 = tensor.empty() : tensor<2x5x3x12xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<2x5x3x12xf32>, tensor<2x5x3xf32>) outs(%19 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %res = arith.divf %b0, %b1 : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %21 = arith.constant 0.0 : f32
  %22 = tensor.empty() : tensor<2x5x3x8xf32>
  %23 = linalg.fill ins(%21 : f32) outs(%22 : tensor<2x5x3x8xf32>) -> tensor<2x5x3x8xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(b, q, h, d, k) -> (b, q, h, k)>, affine_map<(b, q, h, d, k) -> (b, k, h, d)>, affine_map<(b, q, h, d, k) -> (b, q, h, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%20, %arg2 : tensor<2x5x3x12xf32>, tensor<2x12x3x8xf32>) outs(%23 : tensor<2x5x3x8xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %p = arith.mulf %b0, %b1 : f32
    %res = arith.addf %o, %p : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x8xf32>
  return %24 : tensor<2x5x3x8xf32>
}

func.func @heads_between_f16(%arg0: tensor<2x5x3x8xf16>, %arg1: tensor<2x12x3x8xf16>, %arg2: tensor<2x12x3x8xf16>) -> (tensor<2x5x3x8xf16>) {
  %1 = arith.constant 0.0 : f32
  %2 = tensor.empty() : tensor<2x5x3x12xf32>
  %3 = linalg.fill ins(%1 : f32) outs(%2 : tensor<2x5x3x12xf32>) -> tensor<2x5x3x12xf32>
  %4 = linalg.generic {indexing_maps = [affine_map<(b, q, h, k, d) -> (b, q, h, d)>, affine_map<(b, q, h, k, d) -> (b, k, h, d)>, affine_map<(b, q, h, k, d) -> (b, q, h, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<2x5x3x8xf16>, tensor<2x12x3x8xf16>) outs(%3 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f16, %b1: f16, %o: f32):
    %wx = arith.extf %b0 : f16 to f32
    %wy = arith.extf %b1 : f16 to f32
    %p = arith.mulf %wx, %wy : f32
    %res = arith.addf %o, %p : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %5 = tensor.empty() : tensor<2x5x3x12xf32>
  %6 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%4 : tensor<2x5x3x12xf32>) outs(%5 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %c = arith.constant 1.700000e-01 : f32
    %res = arith.mulf %b0, %c : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %7 = arith.constant 0xFF800000 : f32
  %8 = tensor.empty() : tensor<2x5x3xf32>
  %9 = linalg.fill ins(%7 : f32) outs(%8 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %10 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%6 : tensor<2x5x3x12xf32>) outs(%9 : tensor<2x5x3xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %res = arith.maximumf %b0, %o : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3xf32>
  %11 = tensor.empty() : tensor<2x5x3x12xf32>
  %12 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %10 : tensor<2x5x3x12xf32>, tensor<2x5x3xf32>) outs(%11 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %res = arith.subf %b0, %b1 : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %13 = tensor.empty() : tensor<2x5x3x12xf32>
  %14 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%12 : tensor<2x5x3x12xf32>) outs(%13 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %res = math.exp %b0 : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %15 = arith.constant 0.0 : f32
  %16 = tensor.empty() : tensor<2x5x3xf32>
  %17 = linalg.fill ins(%15 : f32) outs(%16 : tensor<2x5x3xf32>) -> tensor<2x5x3xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%14 : tensor<2x5x3x12xf32>) outs(%17 : tensor<2x5x3xf32>) {
  ^bb0(%b0: f32, %o: f32):
    %res = arith.addf %b0, %o : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3xf32>
  %19 = tensor.empty() : tensor<2x5x3x12xf32>
  %20 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%14, %18 : tensor<2x5x3x12xf32>, tensor<2x5x3xf32>) outs(%19 : tensor<2x5x3x12xf32>) {
  ^bb0(%b0: f32, %b1: f32, %o: f32):
    %res = arith.divf %b0, %b1 : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x12xf32>
  %21 = tensor.empty() : tensor<2x5x3x12xf16>
  %22 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%20 : tensor<2x5x3x12xf32>) outs(%21 : tensor<2x5x3x12xf16>) {
  ^bb0(%b0: f32, %o: f16):
    %res = arith.truncf %b0 : f32 to f16
    linalg.yield %res : f16
  } -> tensor<2x5x3x12xf16>
  %23 = arith.constant 0.0 : f32
  %24 = tensor.empty() : tensor<2x5x3x8xf32>
  %25 = linalg.fill ins(%23 : f32) outs(%24 : tensor<2x5x3x8xf32>) -> tensor<2x5x3x8xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(b, q, h, d, k) -> (b, q, h, k)>, affine_map<(b, q, h, d, k) -> (b, k, h, d)>, affine_map<(b, q, h, d, k) -> (b, q, h, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%22, %arg2 : tensor<2x5x3x12xf16>, tensor<2x12x3x8xf16>) outs(%25 : tensor<2x5x3x8xf32>) {
  ^bb0(%b0: f16, %b1: f16, %o: f32):
    %wx = arith.extf %b0 : f16 to f32
    %wy = arith.extf %b1 : f16 to f32
    %p = arith.mulf %wx, %wy : f32
    %res = arith.addf %o, %p : f32
    linalg.yield %res : f32
  } -> tensor<2x5x3x8xf32>
  %27 = tensor.empty() : tensor<2x5x3x8xf16>
  %28 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%26 : tensor<2x5x3x8xf32>) outs(%27 : tensor<2x5x3x8xf16>) {
  ^bb0(%b0: f32, %o: f16):
    %res = arith.truncf %b0 : f32 to f16
    linalg.yield %res : f16
  } -> tensor<2x5x3x8xf16>
  return %28 : tensor<2x5x3x8xf16>
}
