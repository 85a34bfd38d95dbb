// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// The consumer reads the producer twice: as an operand, and from inside its body
// with tensor.extract at another position. Erasing the producer after inlining
// the operand leaves a use that nothing dominates.
func.func @b010(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<4xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]}
    ins(%p : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %i = linalg.index 0 : index
    %back = arith.subi %c3, %i : index
    %far = tensor.extract %p[%back] : tensor<4xf32>
    %d = arith.subf %a, %far : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  return %c : tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-15,-5,5,15]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.,4.]> : tensor<4xf32>
  %r = call @b010(%in0) : (tensor<4xf32>) -> tensor<4xf32>
  %u0 = tensor.cast %r : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
