// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Write base[0:3] over base[1:4]. Done in place, front to back, it smears the
// first element over the rest.
func.func @b060(%x: tensor<4xi32>) -> tensor<4xi32> {
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<4xi32>
  %base = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %o: i32):
    %s = arith.addi %a, %one : i32
    linalg.yield %s : i32
  } -> tensor<4xi32>
  %head = tensor.extract_slice %base[0] [3] [1] : tensor<4xi32> to tensor<3xi32>
  %r = tensor.insert_slice %head into %base[1] [3] [1] : tensor<3xi32> into tensor<4xi32>
  return %r : tensor<4xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1,1,2,3]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0,1,2,3]> : tensor<4xi32>
  %r = call @b060(%in0) : (tensor<4xi32>) -> tensor<4xi32>
  %u0 = tensor.cast %r : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
