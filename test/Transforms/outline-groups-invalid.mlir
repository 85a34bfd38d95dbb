// RUN: fuse-opt %s --pass-pipeline='builtin.module(func.func(fuse-outline-groups))' --verify-diagnostics

// expected-error @below {{expected a symbol table to put functions into}}
func.func @no_table(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
