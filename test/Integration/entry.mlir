// Without --entry, the function `main` runs, or the only one.
// RUN: split-file %s %t
// RUN: fuse-run %t/only.mlir | FileCheck %s --check-prefix=ONLY
// RUN: fuse-run %t/several.mlir --entry=twice --reference-only | FileCheck %s --check-prefix=NAMED
// RUN: fuse-run %t/several.mlir --reference-only | FileCheck %s --check-prefix=MAIN
// RUN: fuse-run %t/unused.mlir | FileCheck %s --check-prefix=UNUSED
// RUN: not fuse-run %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// ONLY: {{^}}layer_0_exp
// ONLY: {{^}}kernels{{.*}} 1 -> 1{{$}}
// ONLY: {{^}}verified{{ +}}yes
// NAMED: result 0: [5] f32
// MAIN: result 0: [8] f32
// Functions that nothing calls may call what is nowhere.
// UNUSED: {{^}}kernels{{.*}} 3 -> 3{{$}}
// UNUSED: {{^}}verified{{ +}}yes
// NONE: none.mlir{{.*}}error: expected a function 'main' with a body, but there is none

//--- only.mlir
func.func private @outside(tensor<8xf32>)
func.func @layer(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- several.mlir
func.func @twice(%x: tensor<5xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5xf32>
  %r = linalg.add ins(%x, %x : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}

//--- unused.mlir
func.func private @outside(tensor<8xf32>) -> tensor<8xf32>
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = func.call @inner(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = func.call @outside(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = math.exp %b : tensor<8xf32>
  return %c : tensor<8xf32>
}
func.func @other(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = math.exp %x : tensor<8xf32>
  %b = func.call @inner(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %b : tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %a = math.exp %x : tensor<8xf32>
  return %a : tensor<8xf32>
}

//--- none.mlir
func.func @first(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @second(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
