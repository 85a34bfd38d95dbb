// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// 8-bit arithmetic wraps at each op, and the shifts see the wrapped value: a
// fused body that works in 32-bit registers must truncate in between.
func.func @b076(%x: tensor<4xi8>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %e8 = tensor.empty() : tensor<4xi8>
  %e = tensor.empty() : tensor<4xi32>
  %d = linalg.add ins(%x, %x : tensor<4xi8>, tensor<4xi8>) outs(%e8 : tensor<4xi8>) -> tensor<4xi8>
  %r:3 = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%d : tensor<4xi8>) outs(%e, %e, %e : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  ^bb0(%a: i8, %o0: i32, %o1: i32, %o2: i32):
    %one = arith.constant 1 : i8
    %s = arith.extsi %a : i8 to i32
    %u = arith.extui %a : i8 to i32
    %h = arith.shrui %a, %one : i8
    %k = arith.extsi %h : i8 to i32
    linalg.yield %s, %u, %k : i32, i32, i32
  } -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  return %r#0, %r#1, %r#2 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-56,0,-128,2]
// EXPECT: [200,0,128,2]
// EXPECT: [100,0,64,1]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[100,-128,64,1]> : tensor<4xi8>
  %r:3 = call @b076(%in0) : (tensor<4xi8>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
  %u0 = tensor.cast %r#0 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u2) : (tensor<*xi32>) -> ()
  return
}
