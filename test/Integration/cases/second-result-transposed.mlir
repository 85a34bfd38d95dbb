// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Two results, each written through its own map; the consumer reads only the
// second one. Composing with the first result's map transposes the data.
func.func @b001(%x: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %e0 = tensor.empty() : tensor<2x3xf32>
  %e1 = tensor.empty() : tensor<3x2xf32>
  %p:2 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (j, i)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xf32>) outs(%e0, %e1 : tensor<2x3xf32>, tensor<3x2xf32>) {
  ^bb0(%a: f32, %o0: f32, %o1: f32):
    %neg = arith.negf %a : f32
    %dbl = arith.addf %a, %a : f32
    linalg.yield %neg, %dbl : f32, f32
  } -> (tensor<2x3xf32>, tensor<3x2xf32>)
  %c = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>,
                     affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%p#1, %w : tensor<3x2xf32>, tensor<3x2xf32>) outs(%e1 : tensor<3x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x2xf32>
  return %c : tensor<3x2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[12,28],[34,50],[56,72]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.,3.],[4.,5.,6.]]> : tensor<2x3xf32>
  %in1 = arith.constant dense<[[10.,20.],[30.,40.],[50.,60.]]> : tensor<3x2xf32>
  %r = call @b001(%in0, %in1) : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  %u0 = tensor.cast %r : tensor<3x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
