// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// acc - x can be split (partial sums, then one subtraction); x - acc cannot. A
// matcher that looks only for "one subf on the accumulator" mixes them up.
func.func @b040(%x: tensor<4xi32>) -> (tensor<i32>, tensor<i32>) {
  %c100 = arith.constant 100 : i32
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<i32>
  %i0 = linalg.fill ins(%c100 : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %i1 = linalg.fill ins(%z : i32) outs(%e : tensor<i32>) -> tensor<i32>
  %a = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
    iterator_types = ["reduction"]}
    ins(%x : tensor<4xi32>) outs(%i0 : tensor<i32>) {
  ^bb0(%v: i32, %acc: i32):
    %s = arith.subi %acc, %v : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  %b = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>],
    iterator_types = ["reduction"]}
    ins(%x : tensor<4xi32>) outs(%i1 : tensor<i32>) {
  ^bb0(%v: i32, %acc: i32):
    %s = arith.subi %v, %acc : i32
    linalg.yield %s : i32
  } -> tensor<i32>
  return %a, %b : tensor<i32>, tensor<i32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [89]
// EXPECT: [3]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,2,3,5]> : tensor<4xi32>
  %r:2 = call @b040(%in0) : (tensor<4xi32>) -> (tensor<i32>, tensor<i32>)
  %u0 = tensor.cast %r#0 : tensor<i32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<i32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  return
}
