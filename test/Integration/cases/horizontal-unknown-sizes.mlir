// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 2

// Two siblings on tensor<?>, whose sizes are unrelated at run time (3 and 5
// here). Nothing proves them equal, so one shared bound is wrong.
func.func @b026(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %na = tensor.dim %a, %c0 : tensor<?xf32>
  %nb = tensor.dim %b, %c0 : tensor<?xf32>
  %ea = tensor.empty(%na) : tensor<?xf32>
  %eb = tensor.empty(%nb) : tensor<?xf32>
  %ra = linalg.map { arith.negf } ins(%a : tensor<?xf32>) outs(%ea : tensor<?xf32>)
  %rb = linalg.add ins(%b, %b : tensor<?xf32>, tensor<?xf32>) outs(%eb : tensor<?xf32>) -> tensor<?xf32>
  return %ra, %rb : tensor<?xf32>, tensor<?xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-1,-2,-3]
// EXPECT: [2,4,6,8,10]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,2.,3.]> : tensor<3xf32>
  %arg0 = tensor.cast %in0 : tensor<3xf32> to tensor<?xf32>
  %in1 = arith.constant dense<[1.,2.,3.,4.,5.]> : tensor<5xf32>
  %arg1 = tensor.cast %in1 : tensor<5xf32> to tensor<?xf32>
  %r:2 = call @b026(%arg0, %arg1) : (tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %u0 = tensor.cast %r#0 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
