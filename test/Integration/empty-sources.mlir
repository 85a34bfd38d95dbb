// Tensors without elements that something is put around, into or behind: nothing
// of them is read, and what has no elements itself is no kernel.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/pad.mlir | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/pad.mlir --strategy=none | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/pad-dynamic.mlir --size=0.0=3,0.2=4 --size=0.0=0,0.2=1 | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/insert.mlir | FileCheck %s
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/concat.mlir --size=0.2=3,0.3=4,1.2=3,1.3=4 | FileCheck %s --check-prefix=NONE
// CHECK: kernels{{ +[0-9] -> 1$}}
// CHECK: verified{{ +}}yes
// NONE: kernels{{ +0 -> 0$}}
// NONE: verified{{ +}}yes

//--- pad.mlir
func.func @main(%a: tensor<3x0x3xf32>) -> tensor<3x2x3xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %a low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%x: index, %y: index, %z: index):
    tensor.yield %one : f32
  } : tensor<3x0x3xf32> to tensor<3x2x3xf32>
  return %0 : tensor<3x2x3xf32>
}

//--- pad-dynamic.mlir
func.func @main(%a: tensor<?x0x?xf32>) -> tensor<?x2x?xf32> {
  %one = arith.constant 1.0 : f32
  %0 = tensor.pad %a low[0, 1, 0] high[0, 1, 0] {
  ^bb0(%x: index, %y: index, %z: index):
    tensor.yield %one : f32
  } : tensor<?x0x?xf32> to tensor<?x2x?xf32>
  return %0 : tensor<?x2x?xf32>
}

//--- insert.mlir
func.func @main(%a: tensor<3x0xf32>, %b: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = math.exp %b : tensor<3x5xf32>
  %1 = tensor.insert_slice %a into %0[0, 2] [3, 0] [1, 1] : tensor<3x0xf32> into tensor<3x5xf32>
  %2 = math.tanh %1 : tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

//--- concat.mlir
func.func @main(%a: tensor<7x0x?x?xi64>, %b: tensor<7x0x?x?xi64>) -> tensor<?x0x?x?xi64> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<7x0x?x?xi64>, tensor<7x0x?x?xi64>) -> tensor<?x0x?x?xi64>
  return %0 : tensor<?x0x?x?xi64>
}
