// A loss gradient: -1 at the label of each row, added to the softmax of the row,
// and the rows' two largest shares given back. Comparisons with labels, in the
// kernel of the softmax.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --strategy=none | FileCheck %s --check-prefix=APART
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes
// APART: verified{{ +}}yes

#k = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @main(%x: tensor<37x101xf32>, %label: tensor<37xi64>, %pairs: tensor<74xi64>, %share: tensor<74xf32>) -> tensor<37x101xf32> {
  %zero = arith.constant 0 : i64
  %z = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %minus = arith.constant -1.0 : f32
  %zeros = arith.constant dense<0.0> : tensor<37x101xf32>
  %le = tensor.empty() : tensor<37x2xi64>
  %lf = linalg.fill ins(%zero : i64) outs(%le : tensor<37x2xi64>) -> tensor<37x2xi64>
  %le1 = tensor.empty() : tensor<37xi64>
  %lrows, %lat = linalg.generic {indexing_maps = [#k, #k, #k], iterator_types = ["parallel"]} ins(%label : tensor<37xi64>) outs(%le1, %le1 : tensor<37xi64>, tensor<37xi64>) {
  ^bb0(%v: i64, %o: i64, %p: i64):
    %i = linalg.index 0 : index
    %n = arith.constant 37 : index
    %q = arith.remsi %i, %n : index
    %r = arith.index_cast %q : index to i64
    %c101 = arith.constant 101 : i64
    %w = arith.remui %v, %c101 : i64
    linalg.yield %r, %w : i64, i64
  } -> (tensor<37xi64>, tensor<37xi64>)
  %lr1 = tensor.expand_shape %lrows [[0, 1]] output_shape [37, 1] : tensor<37xi64> into tensor<37x1xi64>
  %la1 = tensor.expand_shape %lat [[0, 1]] output_shape [37, 1] : tensor<37xi64> into tensor<37x1xi64>
  %li0 = tensor.insert_slice %lr1 into %lf[0, 0] [37, 1] [1, 1] : tensor<37x1xi64> into tensor<37x2xi64>
  %li = tensor.insert_slice %la1 into %li0[0, 1] [37, 1] [1, 1] : tensor<37x1xi64> into tensor<37x2xi64>
  %pe = tensor.empty() : tensor<74x2xi64>
  %pf = linalg.fill ins(%zero : i64) outs(%pe : tensor<74x2xi64>) -> tensor<74x2xi64>
  %pe1 = tensor.empty() : tensor<74xi64>
  %prows, %pat = linalg.generic {indexing_maps = [#k, #k, #k], iterator_types = ["parallel"]} ins(%pairs : tensor<74xi64>) outs(%pe1, %pe1 : tensor<74xi64>, tensor<74xi64>) {
  ^bb0(%v: i64, %o: i64, %p: i64):
    %i = linalg.index 0 : index
    %n = arith.constant 2 : index
    %q = arith.divsi %i, %n : index
    %r = arith.index_cast %q : index to i64
    %c101 = arith.constant 101 : i64
    %w = arith.remui %v, %c101 : i64
    linalg.yield %r, %w : i64, i64
  } -> (tensor<74xi64>, tensor<74xi64>)
  %pr1 = tensor.expand_shape %prows [[0, 1]] output_shape [74, 1] : tensor<74xi64> into tensor<74x1xi64>
  %pa1 = tensor.expand_shape %pat [[0, 1]] output_shape [74, 1] : tensor<74xi64> into tensor<74x1xi64>
  %pi0 = tensor.insert_slice %pr1 into %pf[0, 0] [74, 1] [1, 1] : tensor<74x1xi64> into tensor<74x2xi64>
  %pi = tensor.insert_slice %pa1 into %pi0[0, 1] [74, 1] [1, 1] : tensor<74x1xi64> into tensor<74x2xi64>
  %em = tensor.empty() : tensor<37xf32>
  %minuses = linalg.fill ins(%minus : f32) outs(%em : tensor<37xf32>) -> tensor<37xf32>
  %hot = call @put(%minuses, %li, %zeros) : (tensor<37xf32>, tensor<37x2xi64>, tensor<37x101xf32>) -> tensor<37x101xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%em : tensor<37xf32>) -> tensor<37xf32>
  %s0 = linalg.fill ins(%z : f32) outs(%em : tensor<37xf32>) -> tensor<37xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<37x101xf32>) outs(%m0 : tensor<37xf32>) dimensions = [1]
  %e = tensor.empty() : tensor<37x101xf32>
  %ex = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<37x101xf32>, tensor<37xf32>) outs(%e : tensor<37x101xf32>) {
  ^bb0(%v: f32, %mv: f32, %o: f32):
    %d = arith.subf %v, %mv : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<37x101xf32>
  %s = linalg.reduce { arith.addf } ins(%ex : tensor<37x101xf32>) outs(%s0 : tensor<37xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#id, #row, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%ex, %s, %hot : tensor<37x101xf32>, tensor<37xf32>, tensor<37x101xf32>) outs(%e : tensor<37x101xf32>) {
  ^bb0(%v: f32, %sv: f32, %h: f32, %o: f32):
    %p = arith.divf %v, %sv : f32
    %g = arith.addf %p, %h : f32
    linalg.yield %g : f32
  } -> tensor<37x101xf32>
  %r = call @add(%share, %pi, %y) : (tensor<74xf32>, tensor<74x2xi64>, tensor<37x101xf32>) -> tensor<37x101xf32>
  return %r : tensor<37x101xf32>
}
func.func private @put(tensor<37xf32>, tensor<37x2xi64>, tensor<37x101xf32>) -> tensor<37x101xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}
func.func private @add(tensor<74xf32>, tensor<74x2xi64>, tensor<37x101xf32>) -> tensor<37x101xf32>
  attributes {opaque.op = "tm_tensor.scatter", opaque.body = "arith.addf,tm_tensor.yield", opaque.attrs = "{\22dimension_map\22: \22array<i64: 0, 1>\22}"}
