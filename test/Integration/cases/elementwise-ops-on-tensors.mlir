// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext

// No linalg at all: arith and math straight on tensors, with a scalar i1
// condition on a tensor select, and a constant tensor.
func.func @b111(%x: tensor<4xf32>, %y: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>) {
  %k = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %a = arith.addf %x, %y : tensor<4xf32>
  %b = math.absf %a : tensor<4xf32>
  %m = arith.mulf %b, %k : tensor<4xf32>
  %gt = arith.cmpf ogt, %m, %x : tensor<4xf32>
  %s = arith.select %gt, %m, %x : tensor<4xi1>, tensor<4xf32>
  %t = arith.select %c, %s, %y : tensor<4xf32>
  return %s, %gt, %t : tensor<4xf32>, tensor<4xi1>, tensor<4xf32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [2,2,30,0]
// EXPECT: [1,1,0,1]
// EXPECT: [1,1,-31,4]
func.func private @printMemrefF32(tensor<*xf32>) attributes {llvm.emit_c_interface}
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[1.,-2.,30.,-4.]> : tensor<4xf32>
  %in1 = arith.constant dense<[1.,1.,-31.,4.]> : tensor<4xf32>
  %in2 = arith.constant false
  %r:3 = call @b111(%in0, %in1, %in2) : (tensor<4xf32>, tensor<4xf32>, i1) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xf32>)
  %u0 = tensor.cast %r#0 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %o1 = arith.extui %r#1 : tensor<4xi1> to tensor<4xi32>
  %u1 = tensor.cast %o1 : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<4xf32> to tensor<*xf32>
  call @printMemrefF32(%u2) : (tensor<*xf32>) -> ()
  return
}
