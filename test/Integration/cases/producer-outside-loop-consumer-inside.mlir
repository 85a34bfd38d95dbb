// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 2

// The producer runs once before a loop of five rounds; its only use is inside.
// Pulled into the consumer it runs five times.
func.func @b090(%x: tensor<3xf32>, %acc0: tensor<3xf32>) -> tensor<3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<3xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<3xf32>) outs(%e : tensor<3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %t = math.tanh %a : f32
    %u = math.exp %t : f32
    %z = arith.constant 0.0 : f32
    %w = arith.mulf %u, %z : f32
    %s = arith.addf %a, %w : f32
    linalg.yield %s : f32
  } -> tensor<3xf32>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%acc = %acc0) -> (tensor<3xf32>) {
    %n = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%p, %acc : tensor<3xf32>, tensor<3xf32>) outs(%e : tensor<3xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<3xf32>
    scf.yield %n : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [105,210,315]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.]> : tensor<3xf32>
  %in1 = arith.constant dense<[100.,200.,300.]> : tensor<3xf32>
  %r = call @b090(%in0, %in1) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %u0 = tensor.cast %r : tensor<3xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
