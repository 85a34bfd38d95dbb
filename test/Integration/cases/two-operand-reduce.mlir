// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// One linalg.reduce with two inputs and two accumulators whose combiners differ
// and read each other's input.
func.func @b048(%x: tensor<2x3xi32>, %y: tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
  %z = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %e = tensor.empty() : tensor<2xi32>
  %i0 = linalg.fill ins(%z : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %i1 = linalg.fill ins(%one : i32) outs(%e : tensor<2xi32>) -> tensor<2xi32>
  %r:2 = linalg.reduce ins(%x, %y : tensor<2x3xi32>, tensor<2x3xi32>) outs(%i0, %i1 : tensor<2xi32>, tensor<2xi32>) dimensions = [1]
    (%a: i32, %b: i32, %s: i32, %p: i32) {
      %d = arith.subi %a, %b : i32
      %s1 = arith.addi %s, %d : i32
      %p1 = arith.muli %p, %b : i32
      linalg.yield %s1, %p1 : i32, i32
    }
  return %r#0, %r#1 : tensor<2xi32>, tensor<2xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [0,12]
// EXPECT: [8,-3]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[[1,2,3],[4,5,6]]> : tensor<2x3xi32>
  %in1 = arith.constant dense<[[2,2,2],[1,3,-1]]> : tensor<2x3xi32>
  %r:2 = call @b048(%in0, %in1) : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %u0 = tensor.cast %r#0 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  %u1 = tensor.cast %r#1 : tensor<2xi32> to tensor<*xi32>
  call @printMemrefI32(%u1) : (tensor<*xi32>) -> ()
  return
}
