// RUN: %python %S/../Inputs/run_case.py %s %mlir_lib_dir %fuse_lib_dir/libfuse_runtime%shlibext
// KERNELS: 1

// A ladder of 40 diamonds: each level reads the one before through two different
// ops. Inlining producers freely makes 2^40 copies; sharing them makes 120 ops.
func.func @b136(%x0: tensor<4xi32>) -> tensor<4xi32> {
  %e = tensor.empty() : tensor<4xi32>
  %one = arith.constant dense<1> : tensor<4xi32>
  %five = arith.constant dense<5> : tensor<4xi32>
  %a1 = linalg.add ins(%x0, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b1 = linalg.map { arith.xori } ins(%x0, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x1 = linalg.add ins(%a1, %b1 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a2 = linalg.add ins(%x1, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b2 = linalg.map { arith.xori } ins(%x1, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x2 = linalg.add ins(%a2, %b2 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a3 = linalg.add ins(%x2, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b3 = linalg.map { arith.xori } ins(%x2, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x3 = linalg.add ins(%a3, %b3 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a4 = linalg.add ins(%x3, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b4 = linalg.map { arith.xori } ins(%x3, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x4 = linalg.add ins(%a4, %b4 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a5 = linalg.add ins(%x4, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b5 = linalg.map { arith.xori } ins(%x4, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x5 = linalg.add ins(%a5, %b5 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a6 = linalg.add ins(%x5, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b6 = linalg.map { arith.xori } ins(%x5, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x6 = linalg.add ins(%a6, %b6 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a7 = linalg.add ins(%x6, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b7 = linalg.map { arith.xori } ins(%x6, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x7 = linalg.add ins(%a7, %b7 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a8 = linalg.add ins(%x7, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b8 = linalg.map { arith.xori } ins(%x7, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x8 = linalg.add ins(%a8, %b8 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a9 = linalg.add ins(%x8, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b9 = linalg.map { arith.xori } ins(%x8, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x9 = linalg.add ins(%a9, %b9 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a10 = linalg.add ins(%x9, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b10 = linalg.map { arith.xori } ins(%x9, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x10 = linalg.add ins(%a10, %b10 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a11 = linalg.add ins(%x10, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b11 = linalg.map { arith.xori } ins(%x10, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x11 = linalg.add ins(%a11, %b11 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a12 = linalg.add ins(%x11, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b12 = linalg.map { arith.xori } ins(%x11, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x12 = linalg.add ins(%a12, %b12 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a13 = linalg.add ins(%x12, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b13 = linalg.map { arith.xori } ins(%x12, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x13 = linalg.add ins(%a13, %b13 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a14 = linalg.add ins(%x13, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b14 = linalg.map { arith.xori } ins(%x13, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x14 = linalg.add ins(%a14, %b14 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a15 = linalg.add ins(%x14, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b15 = linalg.map { arith.xori } ins(%x14, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x15 = linalg.add ins(%a15, %b15 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a16 = linalg.add ins(%x15, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b16 = linalg.map { arith.xori } ins(%x15, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x16 = linalg.add ins(%a16, %b16 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a17 = linalg.add ins(%x16, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b17 = linalg.map { arith.xori } ins(%x16, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x17 = linalg.add ins(%a17, %b17 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a18 = linalg.add ins(%x17, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b18 = linalg.map { arith.xori } ins(%x17, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x18 = linalg.add ins(%a18, %b18 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a19 = linalg.add ins(%x18, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b19 = linalg.map { arith.xori } ins(%x18, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x19 = linalg.add ins(%a19, %b19 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a20 = linalg.add ins(%x19, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b20 = linalg.map { arith.xori } ins(%x19, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x20 = linalg.add ins(%a20, %b20 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a21 = linalg.add ins(%x20, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b21 = linalg.map { arith.xori } ins(%x20, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x21 = linalg.add ins(%a21, %b21 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a22 = linalg.add ins(%x21, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b22 = linalg.map { arith.xori } ins(%x21, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x22 = linalg.add ins(%a22, %b22 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a23 = linalg.add ins(%x22, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b23 = linalg.map { arith.xori } ins(%x22, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x23 = linalg.add ins(%a23, %b23 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a24 = linalg.add ins(%x23, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b24 = linalg.map { arith.xori } ins(%x23, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x24 = linalg.add ins(%a24, %b24 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a25 = linalg.add ins(%x24, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b25 = linalg.map { arith.xori } ins(%x24, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x25 = linalg.add ins(%a25, %b25 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a26 = linalg.add ins(%x25, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b26 = linalg.map { arith.xori } ins(%x25, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x26 = linalg.add ins(%a26, %b26 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a27 = linalg.add ins(%x26, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b27 = linalg.map { arith.xori } ins(%x26, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x27 = linalg.add ins(%a27, %b27 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a28 = linalg.add ins(%x27, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b28 = linalg.map { arith.xori } ins(%x27, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x28 = linalg.add ins(%a28, %b28 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a29 = linalg.add ins(%x28, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b29 = linalg.map { arith.xori } ins(%x28, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x29 = linalg.add ins(%a29, %b29 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a30 = linalg.add ins(%x29, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b30 = linalg.map { arith.xori } ins(%x29, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x30 = linalg.add ins(%a30, %b30 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a31 = linalg.add ins(%x30, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b31 = linalg.map { arith.xori } ins(%x30, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x31 = linalg.add ins(%a31, %b31 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a32 = linalg.add ins(%x31, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b32 = linalg.map { arith.xori } ins(%x31, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x32 = linalg.add ins(%a32, %b32 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a33 = linalg.add ins(%x32, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b33 = linalg.map { arith.xori } ins(%x32, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x33 = linalg.add ins(%a33, %b33 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a34 = linalg.add ins(%x33, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b34 = linalg.map { arith.xori } ins(%x33, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x34 = linalg.add ins(%a34, %b34 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a35 = linalg.add ins(%x34, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b35 = linalg.map { arith.xori } ins(%x34, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x35 = linalg.add ins(%a35, %b35 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a36 = linalg.add ins(%x35, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b36 = linalg.map { arith.xori } ins(%x35, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x36 = linalg.add ins(%a36, %b36 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a37 = linalg.add ins(%x36, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b37 = linalg.map { arith.xori } ins(%x36, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x37 = linalg.add ins(%a37, %b37 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a38 = linalg.add ins(%x37, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b38 = linalg.map { arith.xori } ins(%x37, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x38 = linalg.add ins(%a38, %b38 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a39 = linalg.add ins(%x38, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b39 = linalg.map { arith.xori } ins(%x38, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x39 = linalg.add ins(%a39, %b39 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %a40 = linalg.add ins(%x39, %one : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  %b40 = linalg.map { arith.xori } ins(%x39, %five : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)
  %x40 = linalg.add ins(%a40, %b40 : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>) -> tensor<4xi32>
  return %x40 : tensor<4xi32>
}
// The values were worked out by hand, not by running it.
// EXPECT: [-6,-6,-6,-6]
func.func private @printMemrefI32(tensor<*xi32>) attributes {llvm.emit_c_interface}
func.func @main() {
  %in0 = arith.constant dense<[0,1,2,7]> : tensor<4xi32>
  %r = call @b136(%in0) : (tensor<4xi32>) -> tensor<4xi32>
  %u0 = tensor.cast %r : tensor<4xi32> to tensor<*xi32>
  call @printMemrefI32(%u0) : (tensor<*xi32>) -> ()
  return
}
