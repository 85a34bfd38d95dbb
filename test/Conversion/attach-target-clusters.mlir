// RUN: fuse-opt %s --fuse-attach-target=chip=sm_90 | FileCheck %s
// RUN: fuse-opt %s --fuse-attach-target=chip=sm_100 -o /dev/null
// RUN: not fuse-opt %s --fuse-attach-target=chip=sm_89 2>&1 | FileCheck %s --check-prefix=OLD

// A kernel that was planned for a device with clusters needs a chip that has
// them.
// CHECK: gpu.module @k [#nvvm.target<O = 3, chip = "sm_90"
// OLD: attach-target-clusters.mlir:[[# @LINE + 3]]:{{.*}}error: kernel 'rows' was planned for a device with clusters, but sm_89 has none
// OLD-NOT: 'single'
gpu.module @k {
  gpu.func @rows() kernel attributes {nvvm.cluster_dim = array<i32: 4, 1, 1>} {
    gpu.return
  }
  gpu.func @single() kernel {
    gpu.return
  }
}
