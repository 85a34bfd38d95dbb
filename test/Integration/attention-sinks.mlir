// A logit beside the scores of each row, whose weight is dropped after the softmax
// (a sink): the attention is one kernel as without it, the logit being what the
// maximum and the sum begin with. In halves and in f32, before or behind the scores,
// for one query whose keys several blocks share. Where a maximum is subtracted twice,
// keys are read once more, and not for each score (349,000 sectors).
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/behind.mlir | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/before.mlir | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/decode.mlir | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/twice.mlir | FileCheck %s --check-prefixes=CHECK,TWICE
// CHECK: main_0_batch_m{{.*}} attention
// TWICE-SAME: {{ [1-9][0-9]?[0-9]?[0-9]? +[1-9][0-9]* +- +- }}
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes

//--- behind.mlir
#id = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

func.func @main(%q: tensor<4x64x32xf16>, %k: tensor<4x32x64xf16>, %v: tensor<4x64x32xf16>, %sink: tensor<4x1x1xf16>) -> tensor<4x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<4x64x64xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<4x64x32xf16>, tensor<4x32x64xf16>) outs(%si : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %ke = tensor.empty() : tensor<4x64x1xf32>
  %sinks = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, 0, 0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sink : tensor<4x1x1xf16>) outs(%ke : tensor<4x64x1xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    linalg.yield %w : f32
  } -> tensor<4x64x1xf32>
  %all = tensor.concat dim(2) %scores, %sinks : (tensor<4x64x64xf32>, tensor<4x64x1xf32>) -> tensor<4x64x65xf32>
  %re = tensor.empty() : tensor<4x64xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%re : tensor<4x64xf32>) -> tensor<4x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%re : tensor<4x64xf32>) -> tensor<4x64xf32>
  %ce = tensor.empty() : tensor<4x64x65xf32>
  %m = linalg.reduce {arith.maximumf} ins(%all : tensor<4x64x65xf32>) outs(%low : tensor<4x64xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%all, %m : tensor<4x64x65xf32>, tensor<4x64xf32>) outs(%ce : tensor<4x64x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x65xf32>
  %l = linalg.reduce {arith.addf} ins(%e : tensor<4x64x65xf32>) outs(%none : tensor<4x64xf32>) dimensions = [2]
  %pe = tensor.empty() : tensor<4x64x65xf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %l : tensor<4x64x65xf32>, tensor<4x64xf32>) outs(%pe : tensor<4x64x65xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %0 = arith.divf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4x64x65xf16>
  %kept = tensor.extract_slice %p[0, 0, 0] [4, 64, 64] [1, 1, 1] : tensor<4x64x65xf16> to tensor<4x64x64xf16>
  %oe = tensor.empty() : tensor<4x64x32xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %y = linalg.batch_matmul ins(%kept, %v : tensor<4x64x64xf16>, tensor<4x64x32xf16>) outs(%oi : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  return %y : tensor<4x64x32xf32>
}

//--- before.mlir
#id = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

func.func @main(%q: tensor<3x21x20xf32>, %k: tensor<3x20x37xf32>, %v: tensor<3x37x20xf32>, %sink: tensor<3x1x1xf32>) -> tensor<3x21x20xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<3x21x37xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<3x21x37xf32>) -> tensor<3x21x37xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<3x21x20xf32>, tensor<3x20x37xf32>) outs(%si : tensor<3x21x37xf32>) -> tensor<3x21x37xf32>
  %ke = tensor.empty() : tensor<3x21x1xf32>
  %sinks = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, 0, 0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sink : tensor<3x1x1xf32>) outs(%ke : tensor<3x21x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<3x21x1xf32>
  %all = tensor.concat dim(2) %sinks, %scores : (tensor<3x21x1xf32>, tensor<3x21x37xf32>) -> tensor<3x21x38xf32>
  %re = tensor.empty() : tensor<3x21xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%re : tensor<3x21xf32>) -> tensor<3x21xf32>
  %none = linalg.fill ins(%zero : f32) outs(%re : tensor<3x21xf32>) -> tensor<3x21xf32>
  %ce = tensor.empty() : tensor<3x21x38xf32>
  %m = linalg.reduce {arith.maximumf} ins(%all : tensor<3x21x38xf32>) outs(%low : tensor<3x21xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%all, %m : tensor<3x21x38xf32>, tensor<3x21xf32>) outs(%ce : tensor<3x21x38xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<3x21x38xf32>
  %l = linalg.reduce {arith.addf} ins(%e : tensor<3x21x38xf32>) outs(%none : tensor<3x21xf32>) dimensions = [2]
  %pe = tensor.empty() : tensor<3x21x38xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %l : tensor<3x21x38xf32>, tensor<3x21xf32>) outs(%pe : tensor<3x21x38xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<3x21x38xf32>
  %kept = tensor.extract_slice %p[0, 0, 1] [3, 21, 37] [1, 1, 1] : tensor<3x21x38xf32> to tensor<3x21x37xf32>
  %oe = tensor.empty() : tensor<3x21x20xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<3x21x20xf32>) -> tensor<3x21x20xf32>
  %y = linalg.batch_matmul ins(%kept, %v : tensor<3x21x37xf32>, tensor<3x37x20xf32>) outs(%oi : tensor<3x21x20xf32>) -> tensor<3x21x20xf32>
  return %y : tensor<3x21x20xf32>
}

//--- decode.mlir
#id = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

func.func @main(%q: tensor<4x1x64xf32>, %k: tensor<4x64x1000xf32>, %v: tensor<4x1000x64xf32>, %sink: tensor<4x1x1xf32>) -> tensor<4x1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<4x1x1000xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<4x1x1000xf32>) -> tensor<4x1x1000xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<4x1x64xf32>, tensor<4x64x1000xf32>) outs(%si : tensor<4x1x1000xf32>) -> tensor<4x1x1000xf32>
  %ke = tensor.empty() : tensor<4x1x1xf32>
  %sinks = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, 0, 0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sink : tensor<4x1x1xf32>) outs(%ke : tensor<4x1x1xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<4x1x1xf32>
  %all = tensor.concat dim(2) %scores, %sinks : (tensor<4x1x1000xf32>, tensor<4x1x1xf32>) -> tensor<4x1x1001xf32>
  %re = tensor.empty() : tensor<4x1xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%re : tensor<4x1xf32>) -> tensor<4x1xf32>
  %none = linalg.fill ins(%zero : f32) outs(%re : tensor<4x1xf32>) -> tensor<4x1xf32>
  %ce = tensor.empty() : tensor<4x1x1001xf32>
  %m = linalg.reduce {arith.maximumf} ins(%all : tensor<4x1x1001xf32>) outs(%low : tensor<4x1xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%all, %m : tensor<4x1x1001xf32>, tensor<4x1xf32>) outs(%ce : tensor<4x1x1001xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x1x1001xf32>
  %l = linalg.reduce {arith.addf} ins(%e : tensor<4x1x1001xf32>) outs(%none : tensor<4x1xf32>) dimensions = [2]
  %pe = tensor.empty() : tensor<4x1x1001xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %l : tensor<4x1x1001xf32>, tensor<4x1xf32>) outs(%pe : tensor<4x1x1001xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.divf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x1x1001xf32>
  %kept = tensor.extract_slice %p[0, 0, 0] [4, 1, 1000] [1, 1, 1] : tensor<4x1x1001xf32> to tensor<4x1x1000xf32>
  %oe = tensor.empty() : tensor<4x1x64xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  %y = linalg.batch_matmul ins(%kept, %v : tensor<4x1x1000xf32>, tensor<4x1000x64xf32>) outs(%oi : tensor<4x1x64xf32>) -> tensor<4x1x64xf32>
  return %y : tensor<4x1x64xf32>
}

//--- twice.mlir
#id = affine_map<(h, i, j) -> (h, i, j)>
#row = affine_map<(h, i, j) -> (h, i)>

func.func @main(%q: tensor<4x64x32xf16>, %k: tensor<4x32x64xf16>, %v: tensor<4x64x32xf16>, %sink: tensor<4x1x1xf16>) -> tensor<4x64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %se = tensor.empty() : tensor<4x64x64xf32>
  %si = linalg.fill ins(%zero : f32) outs(%se : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %scores = linalg.batch_matmul ins(%q, %k : tensor<4x64x32xf16>, tensor<4x32x64xf16>) outs(%si : tensor<4x64x64xf32>) -> tensor<4x64x64xf32>
  %ke = tensor.empty() : tensor<4x64x1xf32>
  %sinks = linalg.generic {indexing_maps = [affine_map<(h, i, j) -> (h, 0, 0)>, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sink : tensor<4x1x1xf16>) outs(%ke : tensor<4x64x1xf32>) {
  ^bb0(%a: f16, %o: f32):
    %w = arith.extf %a : f16 to f32
    linalg.yield %w : f32
  } -> tensor<4x64x1xf32>
  %all = tensor.concat dim(2) %scores, %sinks : (tensor<4x64x64xf32>, tensor<4x64x1xf32>) -> tensor<4x64x65xf32>
  %re = tensor.empty() : tensor<4x64xf32>
  %low = linalg.fill ins(%lowest : f32) outs(%re : tensor<4x64xf32>) -> tensor<4x64xf32>
  %none = linalg.fill ins(%zero : f32) outs(%re : tensor<4x64xf32>) -> tensor<4x64xf32>
  %ce = tensor.empty() : tensor<4x64x65xf32>
  %m0 = linalg.reduce {arith.maximumf} ins(%all : tensor<4x64x65xf32>) outs(%low : tensor<4x64xf32>) dimensions = [2]
  %shifted = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%all, %m0 : tensor<4x64x65xf32>, tensor<4x64xf32>) outs(%ce : tensor<4x64x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<4x64x65xf32>
  %m = linalg.reduce {arith.maximumf} ins(%shifted : tensor<4x64x65xf32>) outs(%low : tensor<4x64xf32>) dimensions = [2]
  %e = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%shifted, %m : tensor<4x64x65xf32>, tensor<4x64xf32>) outs(%ce : tensor<4x64x65xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.subf %a, %b : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<4x64x65xf32>
  %l = linalg.reduce {arith.addf} ins(%e : tensor<4x64x65xf32>) outs(%none : tensor<4x64xf32>) dimensions = [2]
  %pe = tensor.empty() : tensor<4x64x65xf16>
  %p = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %l : tensor<4x64x65xf32>, tensor<4x64xf32>) outs(%pe : tensor<4x64x65xf16>) {
  ^bb0(%a: f32, %b: f32, %o: f16):
    %0 = arith.divf %a, %b : f32
    %1 = arith.truncf %0 : f32 to f16
    linalg.yield %1 : f16
  } -> tensor<4x64x65xf16>
  %kept = tensor.extract_slice %p[0, 0, 0] [4, 64, 64] [1, 1, 1] : tensor<4x64x65xf16> to tensor<4x64x64xf16>
  %oe = tensor.empty() : tensor<4x64x32xf32>
  %oi = linalg.fill ins(%zero : f32) outs(%oe : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  %y = linalg.batch_matmul ins(%kept, %v : tensor<4x64x64xf16>, tensor<4x64x32xf16>) outs(%oi : tensor<4x64x32xf32>) -> tensor<4x64x32xf32>
  return %y : tensor<4x64x32xf32>
}
