// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// Max, min, sum and product of the same rows: a fine horizontal fusion, but
// each accumulator has its own start value and its own combiner.
func.func @b028(%x: tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %lo = arith.constant -2147483648 : i32
  %hi = arith.constant 2147483647 : i32
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<2xi32>
  %imax = linalg.fill ins(%lo : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %imin = linalg.fill ins(%hi : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %isum = linalg.fill ins(%z : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %iprod = linalg.fill ins(%one : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %a = linalg.reduce { arith.maxsi } ins(%x : tensor<2x3xi32>) outs(%imax : tensor<2xi32>) dimensions = [1]
  %b = linalg.reduce { arith.minsi } ins(%x : tensor<2x3xi32>) outs(%imin : tensor<2xi32>) dimensions = [1]
  %c = linalg.reduce { arith.addi } ins(%x : tensor<2x3xi32>) outs(%isum : tensor<2xi32>) dimensions = [1]
  %d = linalg.reduce { arith.muli } ins(%x : tensor<2x3xi32>) outs(%iprod : tensor<2xi32>) dimensions = [1]
  return %a, %b, %c, %d : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [3,-4]
// EXPECT: [-1,-6]
// EXPECT: [4,-15]
// EXPECT: [-6,-120]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[3,-1,2],[-4,-5,-6]]> : tensor<2x3xi32>
  %r:4 = call @b028(%in0) : (tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  %u0 = tensor.cast %r#0 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  %u2 = tensor.cast %r#2 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u2) : (tensor<*xi32>) -> ()
  %u3 = tensor.cast %r#3 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u3) : (tensor<*xi32>) -> ()
  return
}
