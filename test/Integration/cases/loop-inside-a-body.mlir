// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The body holds an scf.for that reads a captured tensor (a polynomial), so a
// fused body has nested regions that capture outer values.
func.func @b095(%x: tensor<3xi32>, %coef: tensor<4xi32>) -> tensor<3xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<3xi32>
  %e4 = tensor.empty() : tensor<4xi32>
  %neg = linalg.sub ins(%coef, %coef : tensor<4xi32>, tensor<4xi32>) outs(%e4 : tensor<4xi32>) -> tensor<4xi32>
  %co = linalg.add ins(%neg, %coef : tensor<4xi32>, tensor<4xi32>) outs(%e4 : tensor<4xi32>) -> tensor<4xi32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) {
  ^bb0(%a: i32, %o: i32):
    %z = arith.constant 0 : i32
    %s = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %z) -> (i32) {
      %c = tensor.extract %co[%k] : tensor<4xi32>
      %m = arith.muli %acc, %a : i32
      %t = arith.addi %m, %c : i32
      scf.yield %t : i32
    }
    linalg.yield %s : i32
  } -> tensor<3xi32>
  %r = linalg.add ins(%p, %x : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>) -> tensor<3xi32>
  return %r : tensor<3xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [9,19,1]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,2,-1]> : tensor<3xi32>
  %in1 = arith.constant dense<[1,0,2,5]> : tensor<4xi32>
  %r = call @b095(%in0, %in1) : (tensor<3xi32>, tensor<4xi32>) -> tensor<3xi32>
  %u0 = tensor.cast %r : tensor<3xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
