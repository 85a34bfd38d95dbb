// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The next op's size is read (tensor.dim) from a result that fusion makes
// disappear; the size must be worked out from the inputs instead.
func.func @b105(%x: tensor<?x4xf32>, %y: tensor<4xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%m) : tensor<?x4xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %y : tensor<?x4xf32>, tensor<4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.mulf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x4xf32>
  %n = tensor.dim %p, %c0 : tensor<?x4xf32>
  %e1 = tensor.empty(%n) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %r = linalg.reduce { arith.addf } ins(%p : tensor<?x4xf32>) outs(%init : tensor<?xf32>) dimensions = [1]
  return %r : tensor<?xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [4321,8765]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.,3.,4.],[5.,6.,7.,8.]]> : tensor<2x4xf32>
  %arg0 = tensor.cast %in0 : tensor<2x4xf32> to tensor<?x4xf32>
  %in1 = arith.constant dense<[1.,10.,100.,1000.]> : tensor<4xf32>
  %r = call @b105(%arg0, %in1) : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?xf32>
  %u0 = tensor.cast %r : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
