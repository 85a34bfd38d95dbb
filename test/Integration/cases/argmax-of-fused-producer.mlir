// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// argmax over an elementwise result, whose index then feeds a gather: the index
// loop number must still be the reduction loop after fusing the producer.
func.func @b038(%x: tensor<3x4xi32>, %table: tensor<4xi32>) -> tensor<3xi32> {
  %lo = arith.constant -2147483648 : i32
  %z = arith.constant 0 : i32
  %e2 = tensor.empty() : tensor<3x4xi32>
  %e = tensor.empty() : tensor<3xi32>
  %iv = linalg.fill ins(%lo : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %ii = linalg.fill ins(%z : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %sq = linalg.mul ins(%x, %x : tensor<3x4xi32>, tensor<3x4xi32>) outs(%e2 : tensor<3x4xi32>) -> tensor<3x4xi32>
  %r:2 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%sq : tensor<3x4xi32>) outs(%iv, %ii : tensor<3xi32>, tensor<3xi32>) {
  ^bb0(%a: i32, %best: i32, %where: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %gt = arith.cmpi sgt, %a, %best : i32
    %v = arith.select %gt, %a, %best : i32
    %w = arith.select %gt, %k, %where : i32
    linalg.yield %v, %w : i32, i32
  } -> (tensor<3xi32>, tensor<3xi32>)
  %g = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%r#1 : tensor<3xi32>) outs(%e : tensor<3xi32>) {
  ^bb0(%k: i32, %o: i32):
    %p = arith.index_cast %k : i32 to index
    %v = tensor.extract %table[%p] : tensor<4xi32>
    linalg.yield %v : i32
  } -> tensor<3xi32>
  return %g : tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [20,30,40]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1,-5,4,5],[2,2,-3,1],[0,0,0,-1]]> : tensor<3x4xi32>
  %in1 = arith.constant dense<[10,20,30,40]> : tensor<4xi32>
  %r = call @b038(%in0, %in1) : (tensor<3x4xi32>, tensor<4xi32>) -> tensor<3xi32>
  %u0 = tensor.cast %r : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
