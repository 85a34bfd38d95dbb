// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 2

// An scf.while whose condition reads the carried tensor. Elementwise ops stand
// in both regions; they may not be fused across the region border.
func.func @b093(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c0 = arith.constant 0 : index
  %lim = arith.constant 100 : i32
  %e = tensor.empty() : tensor<2xi32>
  %r = scf.while (%a = %x) : (tensor<2xi32>) -> tensor<2xi32> {
    %d = linalg.add ins(%a, %a : tensor<2xi32>, tensor<2xi32>) outs(%e : tensor<2xi32>) -> tensor<2xi32>
    %v = tensor.extract %d[%c0] : tensor<2xi32>
    %go = arith.cmpi slt, %v, %lim : i32
    scf.condition(%go) %d : tensor<2xi32>
  } do {
  ^bb0(%a: tensor<2xi32>):
    %t = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a : tensor<2xi32>) outs(%e : tensor<2xi32>) {
    ^bb0(%v: i32, %o: i32):
      %one = arith.constant 1 : i32
      %s = arith.addi %v, %one : i32
      linalg.yield %s : i32
    } -> tensor<2xi32>
    scf.yield %t : tensor<2xi32>
  }
  return %r : tensor<2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [126,702]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1,10]> : tensor<2xi32>
  %r = call @b093(%in0) : (tensor<2xi32>) -> tensor<2xi32>
  %u0 = tensor.cast %r : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
