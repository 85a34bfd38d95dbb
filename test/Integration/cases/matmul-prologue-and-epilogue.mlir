// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Elementwise before and after a matmul. The epilogue may be fused; inlining
// the prologue repeats the exp for each output column. The bias is read by row.
func.func @b030(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>, %bias: tensor<2xf32>) -> tensor<2x3xf32> {
  %zero = arith.constant 0.0 : f32
  %e22 = tensor.empty() : tensor<2x2xf32>
  %e23 = tensor.empty() : tensor<2x3xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e23 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %p = linalg.mul ins(%a, %a : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e22 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %m = linalg.matmul ins(%p, %b : tensor<2x2xf32>, tensor<2x3xf32>) outs(%init : tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%m, %bias : tensor<2x3xf32>, tensor<2xf32>) outs(%e23 : tensor<2x3xf32>) {
  ^bb0(%v: f32, %c: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %s = arith.addf %v, %c : f32
    %t = arith.maximumf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[4,0,0],[13,3,0]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.],[3.,1.]]> : tensor<2x2xf32>
  %in1 = arith.constant dense<[[1.,0.,-1.],[2.,1.,0.]]> : tensor<2x3xf32>
  %in2 = arith.constant dense<[-5.,2.]> : tensor<2xf32>
  %r = call @b030(%in0, %in1, %in2) : (tensor<2x2xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %u0 = tensor.cast %r : tensor<2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
