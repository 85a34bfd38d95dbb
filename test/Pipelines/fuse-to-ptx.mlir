// RUN: fuse-opt %s --fuse-to-ptx --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefixes=CHECK,MLIR
// RUN: fuse-opt %s --fuse-to-ptx="host=llvm device=a100 chip=sm_90 strategy=none cost-model=traffic opt-level=1" --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefixes=CHECK,LLVM,OPTIONS
// RUN: fuse-opt %s --fuse-to-ptx=memory=device --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not fuse-opt %s --fuse-to-ptx=host=wasm 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not fuse-opt %s --fuse-to-ptx=memory=moon 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not fuse-opt %s --fuse-to-ptx=device=abacus 2>&1 | FileCheck %s --check-prefix=NODEVICE
// RUN: not fuse-opt %s --fuse-to-ptx=chip=sm_13 2>&1 | FileCheck %s --check-prefix=CHIP

// The order of the steps is part of the contract.
// CHECK:      builtin.module(
// OPTIONS:      fuse-attach-device{file= name=a100}
// CHECK:        fuse-normalize-ops
// CHECK-NEXT:   fuse-mark-updates
// CHECK-NEXT:   fuse-classify-ops
// MLIR:         fuse-form-groups{{.*}}strategy=greedy
// OPTIONS:      fuse-form-groups{{.*}}cost-model=traffic{{.*}}strategy=none
// CHECK-NEXT:   fuse-isolate-groups
// CHECK-NEXT:   fuse-fold-updates
// CHECK-NEXT:   fuse-select-schedules
// CHECK-NEXT:   convert-fuse-to-gpu
// CHECK:          fuse-expand-math
// CHECK:        fuse-check-extracts
// CHECK-NEXT:   fuse-prune-launches
// CHECK-NEXT:   lift-cf-to-scf
// CHECK-NEXT:   fuse-bufferize-host{results=returned}
// CHECK:        bufferization-lower-deallocations
// CHECK:        fuse-hoist-deallocs
// CHECK:        fuse-place-buffers{memory=host}
// CHECK-NEXT:   fuse-annotate-kernels
// CHECK:        fuse-attach-target
// OPTIONS-SAME: chip=sm_90{{.*}}opt-level=1
// CHECK-NEXT:   gpu.module(
// CHECK-NEXT:     fuse-expand-conversions
// CHECK-NEXT:     expand-strided-metadata
// CHECK-NEXT:     lower-affine
// CHECK-NEXT:     convert-scf-to-cf
// CHECK-NEXT:     convert-nvgpu-to-nvvm
// CHECK-NEXT:     fuse-lower-device-math
// CHECK-NEXT:     convert-gpu-to-nvvm{{.*}}use-bare-ptr-memref-call-conv=true
// CHECK-NEXT:     convert-nvvm-to-llvm
// CHECK:          reconcile-unrealized-casts
// CHECK-NEXT:     fuse-link-libdevice
// CHECK-NEXT:   )
// CHECK-NEXT:   fuse-compile-kernels
// CHECK-NEXT:   fuse-assign-streams{stream=own}
// MLIR-NEXT:    fuse-strip-markers{device=false}
// LLVM-NEXT:    fuse-strip-markers{device=true}
// MLIR-NEXT:    fuse-check-host{form=mlir}
// LLVM-NEXT:    convert-linalg-to-loops
// LLVM-NEXT:    lower-affine
// LLVM-NEXT:    fuse-lower-reshapes
// LLVM-NEXT:    expand-strided-metadata
// LLVM:         gpu-to-llvm{{.*}}use-bare-pointers-for-kernels=true
// LLVM:         reconcile-unrealized-casts
// LLVM-NEXT:    fuse-check-host{form=llvm}

// DEVICE:       fuse-bufferize-host{results=out-params}
// DEVICE:       fuse-place-buffers{memory=device}
// DEVICE:       fuse-assign-streams{stream=default}

// A bad value is one error that says what would do.
// HOST: error: expected option 'host' to be 'mlir' or 'llvm', but got 'wasm'
// MEMORY: error: expected option 'memory' to be 'host' or 'device', but got 'moon'
// NODEVICE: error: {{.*}}abacus
// CHIP: error: expected option 'chip' to be one of {{.*}} but got 'sm_13'
