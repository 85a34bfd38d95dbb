// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The load is only made when the index is inside. Turning the scf.if into a
// select, or hoisting the load, reads out of bounds (index 1000000, -1).
func.func @b065(%table: tensor<3xf32>, %idx: tensor<4xi32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%idx : tensor<4xi32>) outs(%e : tensor<4xf32>) {
  ^bb0(%k: i32, %o: f32):
    %three = arith.constant 3 : i32
    %ok = arith.cmpi ult, %k, %three : i32
    %r = scf.if %ok -> f32 {
      %p = arith.index_cast %k : i32 to index
      %v = tensor.extract %table[%p] : tensor<3xf32>
      scf.yield %v : f32
    } else {
      %d = arith.constant -7.0 : f32
      scf.yield %d : f32
    }
    linalg.yield %r : f32
  } -> tensor<4xf32>
  %s = linalg.add ins(%g, %g : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [6,-14,-14,2]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.]> : tensor<3xf32>
  %in1 = arith.constant dense<[2,1000000,-1,0]> : tensor<4xi32>
  %r = call @b065(%in0, %in1) : (tensor<3xf32>, tensor<4xi32>) -> tensor<4xf32>
  %u0 = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
