// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// concat(neg(a), b*b) along dim 1, then + 1: each half has its own body, and the
// offset of the second half is 2, not a multiple of any tile.
func.func @b056(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) -> tensor<2x5xf32> {
  %e2 = tensor.empty() : tensor<2x2xf32>
  %e3 = tensor.empty() : tensor<2x3xf32>
  %e5 = tensor.empty() : tensor<2x5xf32>
  %n = linalg.map { arith.negf } ins(%a : tensor<2x2xf32>) outs(%e2 : tensor<2x2xf32>)
  %s = linalg.mul ins(%b, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e3 : tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = tensor.concat dim(1) %n, %s : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%c : tensor<2x5xf32>) outs(%e5 : tensor<2x5xf32>) {
  ^bb0(%v: f32, %o: f32):
    %one = arith.constant 1.0 : f32
    %t = arith.addf %v, %one : f32
    linalg.yield %t : f32
  } -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[0,-1,2,5,10],[-2,-3,17,26,37]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.],[3.,4.]]> : tensor<2x2xf32>
  %in1 = arith.constant dense<[[1.,2.,3.],[4.,5.,6.]]> : tensor<2x3xf32>
  %r = call @b056(%in0, %in1) : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<2x5xf32>
  %u0 = tensor.cast %r : tensor<2x5xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
