// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Boolean tensors between fused ops: xor, then counted as unsigned (true = 1)
// and as signed (true = -1). In memory an i1 takes a byte.
func.func @b075(%a: tensor<2x3xi1>, %b: tensor<2x3xi1>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2x3xf32>) {
  %z = arith.constant 0 : i32
  %eb = tensor.empty() : tensor<2x3xi1>
  %e = tensor.empty() : tensor<2xi32>
  %ef = tensor.empty() : tensor<2x3xf32>
  %init = linalg.fill ins(%z : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %x = linalg.map { arith.xori } ins(%a, %b : tensor<2x3xi1>, tensor<2x3xi1>) outs(%eb : tensor<2x3xi1>)
  %u = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<2x3xi1>) outs(%init : tensor<2xi32>) {
  ^bb0(%v: i1, %acc: i32):
    %w = arith.extui %v : i1 to i32
    %s = arith.addi %acc, %w : i32
    linalg.yield %s : i32
  } -> tensor<2xi32>
  %s = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
    iterator_types = ["parallel", "reduction"]}
    ins(%x : tensor<2x3xi1>) outs(%init : tensor<2xi32>) {
  ^bb0(%v: i1, %acc: i32):
    %w = arith.extsi %v : i1 to i32
    %t = arith.addi %acc, %w : i32
    linalg.yield %t : i32
  } -> tensor<2xi32>
  %f = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xi1>) outs(%ef : tensor<2x3xf32>) {
  ^bb0(%v: i1, %o: f32):
    %w = arith.uitofp %v : i1 to f32
    linalg.yield %w : f32
  } -> tensor<2x3xf32>
  return %u, %s, %f : tensor<2xi32>, tensor<2xi32>, tensor<2x3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1,3]
// EXPECT: [-1,-3]
// EXPECT: [[1,0,0],[1,1,1]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[true,false,true],[false,false,true]]> : tensor<2x3xi1>
  %in1 = arith.constant dense<[[false,false,true],[true,true,false]]> : tensor<2x3xi1>
  %r:3 = call @b075(%in0, %in1) : (tensor<2x3xi1>, tensor<2x3xi1>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2x3xf32>)
  %u0 = tensor.cast %r#0 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<2x3xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
