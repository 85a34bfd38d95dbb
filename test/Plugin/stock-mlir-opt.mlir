// REQUIRES: dylib
// UNSUPPORTED: sanitizer
// RUN: mlir-opt-22 %s --load-dialect-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --load-pass-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --pass-pipeline='builtin.module(canonicalize)' | FileCheck %s

// Our passes are there by name, as the error for an unknown one shows.
// RUN: mlir-opt-22 %s --load-dialect-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --load-pass-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --pass-pipeline='builtin.module(func.func(fuse-print-group-shapes))' \
// RUN:   | FileCheck %s

// The same library may be loaded into fuse-opt, which links it.
// RUN: fuse-opt %s --load-dialect-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --load-pass-plugin=%fuse_lib_dir/libFuseMLIR%shlibext \
// RUN:   --pass-pipeline='builtin.module(canonicalize)' | FileCheck %s

// Upstream's mlir-opt parses, verifies and prints our dialect.
// CHECK-LABEL: func.func @group
func.func @group(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[R:.*]] = fuse.group
  %r = fuse.group -> (tensor<8xf32>) {
    // CHECK: %[[E:.*]] = math.exp
    %0 = math.exp %x : tensor<8xf32>
    // CHECK: fuse.yield %[[E]]
    fuse.yield %0 : tensor<8xf32>
  }
  // CHECK: return %[[R]]
  return %r : tensor<8xf32>
}
