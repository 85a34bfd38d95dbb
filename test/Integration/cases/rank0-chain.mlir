// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// A chain of rank-0 tensors whose maps have no results: i32 -> i1 -> i8 -> f32.
// Fusable like any other, and not worth a kernel each.
func.func @b101(%x: tensor<i32>) -> tensor<f32> {
  %eb = tensor.empty() : tensor<i1>
  %e8 = tensor.empty() : tensor<i8>
  %ef = tensor.empty() : tensor<f32>
  %a = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%x : tensor<i32>) outs(%eb : tensor<i1>) {
  ^bb0(%v: i32, %o: i1):
    %three = arith.constant 3 : i32
    %s = arith.cmpi sge, %v, %three : i32
    linalg.yield %s : i1
  } -> tensor<i1>
  %b = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%a : tensor<i1>) outs(%e8 : tensor<i8>) {
  ^bb0(%v: i1, %o: i8):
    %s = arith.extui %v : i1 to i8
    linalg.yield %s : i8
  } -> tensor<i8>
  %c = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
    ins(%b : tensor<i8>) outs(%ef : tensor<f32>) {
  ^bb0(%v: i8, %o: f32):
    %s = arith.sitofp %v : i8 to f32
    linalg.yield %s : f32
  } -> tensor<f32>
  return %c : tensor<f32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [1]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<4> : tensor<i32>
  %r = call @b101(%in0) : (tensor<i32>) -> tensor<f32>
  %u0 = tensor.cast %r : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
