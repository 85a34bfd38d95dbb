// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1
// TOLERANCE: 2e-6

// Row softmax spelled out. Row 0 would overflow without the max; row 1 is all
// -inf (NaN by definition); row 2 holds a NaN. Row-wise fusion is legal.
func.func @b035(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x3xf32>
  %e1 = tensor.empty() : tensor<3xf32>
  %im = linalg.fill ins(%ninf : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %is = linalg.fill ins(%zero : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<3x3xf32>) outs(%im : tensor<3xf32>) dimensions = [1]
  %ex = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %m : tensor<3x3xf32>, tensor<3xf32>) outs(%e : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<3x3xf32>
  %s = linalg.reduce { arith.addf } ins(%ex : tensor<3x3xf32>) outs(%is : tensor<3xf32>) dimensions = [1]
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%ex, %s : tensor<3x3xf32>, tensor<3xf32>) outs(%e : tensor<3x3xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[0.0900306,0.244728,0.665241],[nan,nan,nan],[nan,nan,nan]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1000.,1001.,1002.],[0xFF800000,0xFF800000,0xFF800000],[1.,0x7FC00000,2.]]> : tensor<3x3xf32>
  %r = call @b035(%in0) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %u0 = tensor.cast %r : tensor<3x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
