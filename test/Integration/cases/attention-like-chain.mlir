// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// batch_matmul, row max, exp, row sum, batch_matmul, divide: contractions and
// reductions in turn. One kernel takes them all, whose tile holds whole rows of
// the scores; nothing is computed twice.
func.func @b158(%q: tensor<1x2x2xf32>, %k: tensor<1x2x3xf32>, %v: tensor<1x3x1xf32>) -> tensor<1x2x1xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<1x2x3xf32>
  %er = tensor.empty() : tensor<1x2xf32>
  %eo = tensor.empty() : tensor<1x2x1xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  %im = linalg.fill ins(%ninf : f32) outs(%er : tensor<1x2xf32>) -> tensor<1x2xf32>
  %iz = linalg.fill ins(%zero : f32) outs(%er : tensor<1x2xf32>) -> tensor<1x2xf32>
  %io = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %s = linalg.batch_matmul ins(%q, %k : tensor<1x2x2xf32>, tensor<1x2x3xf32>) outs(%is : tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<1x2x3xf32>) outs(%im : tensor<1x2xf32>) dimensions = [2]
  %p = linalg.generic {
    indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s, %m : tensor<1x2x3xf32>, tensor<1x2xf32>) outs(%es : tensor<1x2x3xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.subf %a, %c : f32
    %x = math.exp2 %d : f32
    linalg.yield %x : f32
  } -> tensor<1x2x3xf32>
  %z = linalg.reduce { arith.addf } ins(%p : tensor<1x2x3xf32>) outs(%iz : tensor<1x2xf32>) dimensions = [2]
  %w = linalg.batch_matmul ins(%p, %v : tensor<1x2x3xf32>, tensor<1x3x1xf32>) outs(%io : tensor<1x2x1xf32>) -> tensor<1x2x1xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(b, i, j) -> (b, i, j)>, affine_map<(b, i, j) -> (b, i)>, affine_map<(b, i, j) -> (b, i, j)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%w, %z : tensor<1x2x1xf32>, tensor<1x2xf32>) outs(%eo : tensor<1x2x1xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %d = arith.divf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<1x2x1xf32>
  return %r : tensor<1x2x1xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[4],[5.55556]]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[[1.,0.],[0.,1.]]]> : tensor<1x2x2xf32>
  %in1 = arith.constant dense<[[[0.,1.,2.],[3.,3.,1.]]]> : tensor<1x2x3xf32>
  %in2 = arith.constant dense<[[[4.],[8.],[2.]]]> : tensor<1x3x1xf32>
  %r = call @b158(%in0, %in1, %in2) : (tensor<1x2x2xf32>, tensor<1x2x3xf32>, tensor<1x3x1xf32>) -> tensor<1x2x1xf32>
  %u0 = tensor.cast %r : tensor<1x2x1xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
