// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Count, mean and sum of squared differences carried together (a running-mean
// reduction). Combining partial results needs its own formula, not the body.
func.func @b043(%x: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %r:3 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<2x4xf32>) outs(%init, %init, %init : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %n: f32, %mean: f32, %m2: f32):
    %one = arith.constant 1.0 : f32
    %n1 = arith.addf %n, %one : f32
    %d = arith.subf %a, %mean : f32
    %q = arith.divf %d, %n1 : f32
    %mean1 = arith.addf %mean, %q : f32
    %d1 = arith.subf %a, %mean1 : f32
    %p = arith.mulf %d, %d1 : f32
    %m21 = arith.addf %m2, %p : f32
    linalg.yield %n1, %mean1, %m21 : f32, f32, f32
  } -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [4,4]
// EXPECT: [5,8]
// EXPECT: [20,0]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[2.,4.,6.,8.],[8.,8.,8.,8.]]> : tensor<2x4xf32>
  %r:3 = call @b043(%in0) : (tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %u0 = tensor.cast %r#0 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<2xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
