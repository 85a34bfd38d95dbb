// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The division stands under scf.if (divisor 0 on two lanes). Flattened to a
// select, or hoisted out of the if, it divides by zero.
func.func @b078(%n: tensor<4xi32>, %d: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %dd = linalg.sub ins(%d, %n : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %q = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%n, %dd : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) {
  ^bb0(%a: i32, %b: i32, %o: i32):
    %z = arith.constant 0 : i32
    %ok = arith.cmpi ne, %b, %z : i32
    %r = scf.if %ok -> i32 {
      %v = arith.divsi %a, %b : i32
      scf.yield %v : i32
    } else {
      scf.yield %a : i32
    }
    linalg.yield %r : i32
  } -> tensor<4xi32>
  return %q : tensor<4xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [5,-9,8,-1]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[10,-9,8,7]> : tensor<4xi32>
  %in1 = arith.constant dense<[12,-9,8,3]> : tensor<4xi32>
  %r = call @b078(%in0, %in1) : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %u0 = tensor.cast %r : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
