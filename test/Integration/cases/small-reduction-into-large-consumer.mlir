// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// A column statistic over a large tensor, then applied to all of it. In one
// kernel only 8 blocks' worth of parallel work would be left for 8 million
// elements; two kernels are right.
func.func @b141(%x: tensor<1048576x8xf32>) -> tensor<1048576x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %e2 = tensor.empty() : tensor<1048576x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.reduce { arith.addf } ins(%x : tensor<1048576x8xf32>) outs(%init : tensor<8xf32>) dimensions = [0]
  %r = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]}
    ins(%x, %s : tensor<1048576x8xf32>, tensor<8xf32>) outs(%e2 : tensor<1048576x8xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %n = arith.constant 1048576.0 : f32
    %m = arith.divf %b, %n : f32
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<1048576x8xf32>
  return %r : tensor<1048576x8xf32>
}
// The values were worked out by hand: all 3 but the last element, which is
// 3 + 2^20, so the mean of column 7 is 4.
// EXPECT: [[0,0,0,0,0,0,0,-1]]
// EXPECT: [[0,0,0,0,0,0,0,1.04858e+06]]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %three = arith.constant 3.0 : f32
  %big = arith.constant 1048579.0 : f32
  %il = arith.constant 1048575 : index
  %i7 = arith.constant 7 : index
  %e = tensor.empty() : tensor<1048576x8xf32>
  %f = linalg.fill ins(%three : f32) outs(%e : tensor<1048576x8xf32>) -> tensor<1048576x8xf32>
  %x = tensor.insert %big into %f[%il, %i7] : tensor<1048576x8xf32>
  %r = call @b141(%x) : (tensor<1048576x8xf32>) -> tensor<1048576x8xf32>
  %s = tensor.extract_slice %r[0, 0] [1, 8] [1, 1] : tensor<1048576x8xf32> to tensor<1x8xf32>
  %u = tensor.cast %s : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %t = tensor.extract_slice %r[1048575, 0] [1, 8] [1, 1] : tensor<1048576x8xf32> to tensor<1x8xf32>
  %v = tensor.cast %t : tensor<1x8xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
