// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// An update at three run-time offsets, then a read at two others: each offset
// belongs to its own dimension, and composing the maps must not rotate them.
func.func @b155(%x: tensor<3x3x3xi32>, %u: tensor<1x2x1xi32>, %a: index, %b: index, %c: index, %d: index, %f: index) -> tensor<3x2x2xi32> {
  %eu = tensor.empty() : tensor<1x2x1xi32>
  %er = tensor.empty() : tensor<3x2x2xi32>
  %n = linalg.add ins(%u, %u : tensor<1x2x1xi32>, tensor<1x2x1xi32>) outs(%eu : tensor<1x2x1xi32>) -> tensor<1x2x1xi32>
  %i = tensor.insert_slice %n into %x[%a, %b, %c] [1, 2, 1] [1, 1, 1] : tensor<1x2x1xi32> into tensor<3x3x3xi32>
  %s = tensor.extract_slice %i[0, %d, %f] [3, 2, 2] [1, 1, 1] : tensor<3x3x3xi32> to tensor<3x2x2xi32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(p, q, r) -> (p, q, r)>, affine_map<(p, q, r) -> (p, q, r)>],
    iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%s : tensor<3x2x2xi32>) outs(%er : tensor<3x2x2xi32>) {
  ^bb0(%v: i32, %o: i32):
    %k1 = arith.constant 1 : i32
    %m = arith.subi %v, %k1 : i32
    linalg.yield %m : i32
  } -> tensor<3x2x2xi32>
  return %r : tensor<3x2x2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [[[0,0],[0,0]],[[0,0],[0,0]],[[9,0],[11,0]]]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<1> : tensor<3x3x3xi32>
  %in1 = arith.constant dense<[[[5],[6]]]> : tensor<1x2x1xi32>
  %in2 = arith.constant 2 : index
  %in3 = arith.constant 1 : index
  %in4 = arith.constant 0 : index
  %in5 = arith.constant 1 : index
  %in6 = arith.constant 0 : index
  %r = call @b155(%in0, %in1, %in2, %in3, %in4, %in5, %in6) : (tensor<3x3x3xi32>, tensor<1x2x1xi32>, index, index, index, index, index) -> tensor<3x2x2xi32>
  %u0 = tensor.cast %r : tensor<3x2x2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
