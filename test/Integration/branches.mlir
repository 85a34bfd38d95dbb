// Branches that reach one block twice, with other operands each time.
// RUN: split-file %s %t
// RUN: fuse-run %t/condition.mlir | FileCheck %s --check-prefix=CONDITION
// CONDITION: {{^}}kernels{{ +}}1 -> 1
// CONDITION: verified{{ +}}yes, max error 0 (
// RUN: fuse-run %t/switch.mlir | FileCheck %s --check-prefix=SWITCH
// SWITCH: {{^}}kernels{{ +}}2 -> 2
// SWITCH: verified{{ +}}yes,

//--- condition.mlir
func.func @main(%x: tensor<6xf32>, %y: tensor<6xf32>, %c: i1) -> (tensor<6xf32>, tensor<6xf32>) {
  cf.cond_br %c, ^a(%x, %y : tensor<6xf32>, tensor<6xf32>), ^a(%y, %x : tensor<6xf32>, tensor<6xf32>)
^a(%p: tensor<6xf32>, %q: tensor<6xf32>):
  %d = arith.subf %p, %q : tensor<6xf32>
  return %d, %p : tensor<6xf32>, tensor<6xf32>
}

//--- switch.mlir
func.func @main(%x: tensor<6xf32>, %y: tensor<6xf32>, %k: i32) -> tensor<6xf32> {
  cf.switch %k : i32, [default: ^a(%x : tensor<6xf32>), 0: ^a(%y : tensor<6xf32>), 1: ^b(%x : tensor<6xf32>)]
^b(%z: tensor<6xf32>):
  %n = arith.negf %z : tensor<6xf32>
  cf.br ^a(%n : tensor<6xf32>)
^a(%p: tensor<6xf32>):
  %e = math.exp %p : tensor<6xf32>
  return %e : tensor<6xf32>
}
