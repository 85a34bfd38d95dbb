// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// Row sums of length 1, 31, 33, 96 and 1025 with an index-dependent weight:
// partial warps, a count of warps that is no power of two, more than one pass.
func.func @b045(%a: tensor<3x1xi32>, %b: tensor<3x31xi32>, %c: tensor<3x33xi32>, %d: tensor<3x96xi32>, %f: tensor<3x1025xi32>)
    -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3xi32>
  %init = linalg.fill ins(%z : i32) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  %ra = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%a : tensor<3x1xi32>) outs(%init : tensor<3xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %w = arith.muli %v, %k : i32
    %s = arith.addi %acc, %w : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  %rb = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%b : tensor<3x31xi32>) outs(%init : tensor<3xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %w = arith.muli %v, %k : i32
    %s = arith.addi %acc, %w : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  %rc = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%c : tensor<3x33xi32>) outs(%init : tensor<3xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %w = arith.muli %v, %k : i32
    %s = arith.addi %acc, %w : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  %rd = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%d : tensor<3x96xi32>) outs(%init : tensor<3xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %w = arith.muli %v, %k : i32
    %s = arith.addi %acc, %w : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  %rf = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
    ins(%f : tensor<3x1025xi32>) outs(%init : tensor<3xi32>) {
  ^bb0(%v: i32, %acc: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %w = arith.muli %v, %k : i32
    %s = arith.addi %acc, %w : i32
    linalg.yield %s : i32
  } -> tensor<3xi32>
  return %ra, %rb, %rc, %rd, %rf : tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [0,0,0]
// EXPECT: [930,930,930]
// EXPECT: [1056,1056,1056]
// EXPECT: [9120,9120,9120]
// EXPECT: [1049600,1049600,1049600]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<2> : tensor<3x1xi32>
  %in1 = arith.constant dense<2> : tensor<3x31xi32>
  %in2 = arith.constant dense<2> : tensor<3x33xi32>
  %in3 = arith.constant dense<2> : tensor<3x96xi32>
  %in4 = arith.constant dense<2> : tensor<3x1025xi32>
  %r:5 = call @b045(%in0, %in1, %in2, %in3, %in4) : (tensor<3x1xi32>, tensor<3x31xi32>, tensor<3x33xi32>, tensor<3x96xi32>, tensor<3x1025xi32>) -> (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>, tensor<3xi32>)
  %u0 = tensor.cast %r#0 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u2) : (tensor<*xi32>) -> ()
  %u3 = tensor.cast %r#3 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u3) : (tensor<*xi32>) -> ()
  %u4 = tensor.cast %r#4 : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u4) : (tensor<*xi32>) -> ()
  return
}
