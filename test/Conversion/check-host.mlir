// RUN: fuse-opt %s --split-input-file --verify-diagnostics --fuse-check-host=form=llvm
// RUN: fuse-opt %s --split-input-file --fuse-check-host
// RUN: not fuse-opt %s --fuse-check-host=form=wasm 2>&1 | FileCheck %s

// CHECK: error: expected option 'host' to be 'mlir' or 'llvm', but got 'wasm'

llvm.func @fine() {
  llvm.return
}

// -----

func.func private @external()
llvm.func @left() {
  llvm.return
}
// expected-error @-4 {{expected host code that lowers to the LLVM dialect, but got 'func.func'}}
