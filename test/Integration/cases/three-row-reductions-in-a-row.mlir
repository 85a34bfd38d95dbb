// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// max, then sum of the differences, then max of |x| + sum: three dependent block
// reductions on 5 rows of 33. Reusing one shared buffer without a barrier
// between them (or a barrier inside "if row < 5") goes wrong.
func.func @b046(%x: tensor<5x33xi32>) -> tensor<5xi32> {
  %lo = arith.constant -2147483648 : i32
  %z = arith.constant 0 : i32
  %e2 = tensor.empty() : tensor<5x33xi32>
  %e = tensor.empty() : tensor<5xi32>
  %im = linalg.fill ins(%lo : i32) outs(%e : tensor<5xi32>) -> tensor<5xi32>
  %is = linalg.fill ins(%z : i32) outs(%e : tensor<5xi32>) -> tensor<5xi32>
  %v = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<5x33xi32>) outs(%e2 : tensor<5x33xi32>) {
  ^bb0(%a: i32, %o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c33 = arith.constant 33 : index
    %m = arith.muli %i, %c33 : index
    %s = arith.addi %m, %j : index
    %k = arith.index_cast %s : index to i32
    %r = arith.subi %k, %a : i32
    linalg.yield %r : i32
  } -> tensor<5x33xi32>
  %m = linalg.reduce { arith.maxsi } ins(%v : tensor<5x33xi32>) outs(%im : tensor<5xi32>) dimensions = [1]
  %d = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%v, %m : tensor<5x33xi32>, tensor<5xi32>) outs(%e2 : tensor<5x33xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %r = arith.subi %b, %a : i32
    linalg.yield %r : i32
  } -> tensor<5x33xi32>
  %s = linalg.reduce { arith.addi } ins(%d : tensor<5x33xi32>) outs(%is : tensor<5xi32>) dimensions = [1]
  %t = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%v, %s : tensor<5x33xi32>, tensor<5xi32>) outs(%e2 : tensor<5x33xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %r = arith.addi %b, %a : i32
    linalg.yield %r : i32
  } -> tensor<5x33xi32>
  %r = linalg.reduce { arith.maxsi } ins(%t : tensor<5x33xi32>) outs(%im : tensor<5xi32>) dimensions = [1]
  return %r : tensor<5xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [559,592,625,658,691]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<1> : tensor<5x33xi32>
  %r = call @b046(%in0) : (tensor<5x33xi32>) -> tensor<5xi32>
  %u0 = tensor.cast %r : tensor<5xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
