// REQUIRES: dylib
// UNSUPPORTED: sanitizer
// RUN: mlir-opt-22 %s --load-dialect-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --load-pass-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --pass-pipeline='builtin.module(fuse-attach-device{name=a100},fuse-form-groups{cost-model=traffic})' \
// RUN:   | FileCheck %s
// RUN: not mlir-opt-22 %s --load-dialect-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --load-pass-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --pass-pipeline='builtin.module(fuse-form-groups{cost-model=unheard-of})' \
// RUN:   2>&1 | FileCheck %s --check-prefix=ERROR

// Planning inside of upstream's mlir-opt: our passes with their options, the
// registry of cost models, and their diagnostics.
// ERROR: unknown cost model 'unheard-of'
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<1024xf32>) -> tensor<1024xf32> {
  // CHECK:     fuse.group
  // CHECK:       linalg.exp
  // CHECK:       linalg.abs
  // CHECK:       fuse.yield
  // CHECK-NOT: fuse.group
  %e = tensor.empty() : tensor<1024xf32>
  %0 = linalg.exp ins(%x : tensor<1024xf32>) outs(%e : tensor<1024xf32>)
      -> tensor<1024xf32>
  %1 = linalg.abs ins(%0 : tensor<1024xf32>) outs(%e : tensor<1024xf32>)
      -> tensor<1024xf32>
  return %1 : tensor<1024xf32>
}
