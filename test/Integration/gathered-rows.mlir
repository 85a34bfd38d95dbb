// Rows of an embedding, their RMS norm, a rotation of neighbouring pairs and a
// change of layout: one kernel, whose threads lie along the gathered rows. And
// rows that begin anywhere in a tensor, shorter than they may be.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=max | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=max --entry=segments | FileCheck %s
// CHECK: main_0_reduction {{ *}}row
// CHECK: segments_0_reduc{{.*}} row
// CHECK: kernels {{.*}}-> 2
// CHECK: verified{{ +}}yes

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @main(%ids: tensor<6xi64>, %table: tensor<11x48xf32>,
                %cos: tensor<6x48xf32>, %sin: tensor<6x48xf32>) -> tensor<3x6x16xf32> {
  %z = arith.constant 0.0 : f32
  %c11 = arith.constant 11 : i64
  %e = tensor.empty() : tensor<6x48xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %half = tensor.empty() : tensor<6x24xf32>
  %x = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<6xi64>) outs(%e : tensor<6x48xf32>) {
  ^bb0(%i: i64, %o: f32):
    %wrapped = arith.remui %i, %c11 : i64
    %k = arith.index_cast %wrapped : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %table[%k, %j] : tensor<11x48xf32>
    linalg.yield %v : f32
  } -> tensor<6x48xf32>
  %init = linalg.fill ins(%z : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<6x48xf32>) outs(%init : tensor<6xf32>) {
  ^bb0(%v: f32, %acc: f32):
    %q = arith.mulf %v, %v : f32
    %a = arith.addf %acc, %q : f32
    linalg.yield %a : f32
  } -> tensor<6xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<6x48xf32>, tensor<6xf32>) outs(%e : tensor<6x48xf32>) {
  ^bb0(%v: f32, %sv: f32, %o: f32):
    %r = math.rsqrt %sv : f32
    %p = arith.mulf %v, %r : f32
    linalg.yield %p : f32
  } -> tensor<6x48xf32>
  %odd = tensor.extract_slice %y[0, 1] [6, 24] [1, 2] : tensor<6x48xf32> to tensor<6x24xf32>
  %even = tensor.extract_slice %y[0, 0] [6, 24] [1, 2] : tensor<6x48xf32> to tensor<6x24xf32>
  %neg = linalg.negf ins(%odd : tensor<6x24xf32>) outs(%half : tensor<6x24xf32>) -> tensor<6x24xf32>
  %neg3 = tensor.expand_shape %neg [[0], [1, 2]] output_shape [6, 24, 1] : tensor<6x24xf32> into tensor<6x24x1xf32>
  %even3 = tensor.expand_shape %even [[0], [1, 2]] output_shape [6, 24, 1] : tensor<6x24xf32> into tensor<6x24x1xf32>
  %pairs = tensor.concat dim(2) %neg3, %even3 : (tensor<6x24x1xf32>, tensor<6x24x1xf32>) -> tensor<6x24x2xf32>
  %rotated = tensor.collapse_shape %pairs [[0], [1, 2]] : tensor<6x24x2xf32> into tensor<6x48xf32>
  %a = linalg.mul ins(%y, %cos : tensor<6x48xf32>, tensor<6x48xf32>) outs(%e : tensor<6x48xf32>) -> tensor<6x48xf32>
  %b = linalg.mul ins(%rotated, %sin : tensor<6x48xf32>, tensor<6x48xf32>) outs(%e : tensor<6x48xf32>) -> tensor<6x48xf32>
  %r = linalg.add ins(%a, %b : tensor<6x48xf32>, tensor<6x48xf32>) outs(%e : tensor<6x48xf32>) -> tensor<6x48xf32>
  %heads = tensor.expand_shape %r [[0], [1, 2]] output_shape [6, 3, 16] : tensor<6x48xf32> into tensor<6x3x16xf32>
  %eh = tensor.empty() : tensor<3x6x16xf32>
  %t = linalg.transpose ins(%heads : tensor<6x3x16xf32>) outs(%eh : tensor<3x6x16xf32>) permutation = [1, 0, 2]
  return %t : tensor<3x6x16xf32>
}

func.func @segments(%x: tensor<500xf32>, %first: tensor<9xi32>, %size: tensor<9xi32>) -> (tensor<9xf32>, tensor<9xf32>) {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %c437 = arith.constant 437 : i32
  %c63 = arith.constant 63 : i32
  %e = tensor.empty() : tensor<9x63xf32>
  %g = linalg.generic {indexing_maps = [#row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%first, %size : tensor<9xi32>, tensor<9xi32>) outs(%e : tensor<9x63xf32>) {
  ^bb0(%f: i32, %n: i32, %o: f32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %from = arith.remui %f, %c437 : i32
    %count = arith.remui %n, %c63 : i32
    %inside = arith.cmpi slt, %j, %count : i32
    %at = arith.addi %from, %j : i32
    %place = arith.select %inside, %at, %from : i32
    %k = arith.index_cast %place : i32 to index
    %v = tensor.extract %x[%k] : tensor<500xf32>
    %r = arith.select %inside, %v, %ninf : f32
    linalg.yield %r : f32
  } -> tensor<9x63xf32>
  %e1 = tensor.empty() : tensor<9xf32>
  %m0 = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<9xf32>) -> tensor<9xf32>
  %m = linalg.reduce { arith.maximumf } ins(%g : tensor<9x63xf32>) outs(%m0 : tensor<9xf32>) dimensions = [1]
  %s0 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<9xf32>) -> tensor<9xf32>
  %s = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%g, %m : tensor<9x63xf32>, tensor<9xf32>) outs(%s0 : tensor<9xf32>) {
  ^bb0(%v: f32, %mv: f32, %acc: f32):
    %d = arith.subf %v, %mv : f32
    %p = math.exp %d : f32
    %a = arith.addf %acc, %p : f32
    linalg.yield %a : f32
  } -> tensor<9xf32>
  return %m, %s : tensor<9xf32>, tensor<9xf32>
}
