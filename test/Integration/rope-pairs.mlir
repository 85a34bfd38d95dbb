// RMS norm, then a rotation of neighbouring pairs: each element needs another
// one of its own row, through strided slices and a concatenation of unit
// dimensions. One kernel that reads the row once.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=max | FileCheck %s
// RUN: fuse-run %s | FileCheck %s
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @main(%x: tensor<6x48xf32>, %cos: tensor<6x48xf32>, %sin: tensor<6x48xf32>) -> tensor<6x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<6x48xf32>
  %e1 = tensor.empty() : tensor<6xf32>
  %half = tensor.empty() : tensor<6x24xf32>
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
  return %r : tensor<6x48xf32>
}
