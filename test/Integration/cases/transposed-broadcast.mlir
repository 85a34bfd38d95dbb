// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Broadcast and transpose at once: the 2-d operand is read as (k, i) by a 3-d
// consumer. The permutation and its inverse differ here.
func.func @b011(%x: tensor<2x3xf32>, %y: tensor<3x2x2xf32>) -> tensor<3x2x2xf32> {
  %e0 = tensor.empty() : tensor<2x3xf32>
  %e1 = tensor.empty() : tensor<3x2x2xf32>
  %p = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x : tensor<2x3xf32>) outs(%e0 : tensor<2x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<2x3xf32>
  %c = linalg.generic {
    indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (i, j, k)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%p, %y : tensor<2x3xf32>, tensor<3x2x2xf32>) outs(%e1 : tensor<3x2x2xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x2x2xf32>
  return %c : tensor<3x2x2xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[99,196],[299,396]],[[498,595],[698,795]],[[897,994],[1097,1194]]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1.,2.,3.],[4.,5.,6.]]> : tensor<2x3xf32>
  %in1 = arith.constant dense<[[[100.,200.],[300.,400.]],[[500.,600.],[700.,800.]],[[900.,1000.],[1100.,1200.]]]> : tensor<3x2x2xf32>
  %r = call @b011(%in0, %in1) : (tensor<2x3xf32>, tensor<3x2x2xf32>) -> tensor<3x2x2xf32>
  %u0 = tensor.cast %r : tensor<3x2x2xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
