// RUN: fuse-opt %s --fuse-plan --dump-pass-pipeline 2>&1 | FileCheck %s
// RUN: fuse-opt %s --fuse-plan="device=h100 mode=sibling strategy=max cost-model=never report=%t.json model=m" --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=OPTIONS

// The device first, then one normal form, classes and the decision.
// CHECK:      builtin.module(
// CHECK-NEXT:   fuse-normalize-ops
// CHECK-NEXT:   fuse-mark-updates
// CHECK-NEXT:   fuse-classify-ops
// CHECK:        fuse-form-groups{{.*}}cost-model=analytic {{.*}}mode=all{{.*}}strategy=greedy}
// CHECK-NEXT: )

// OPTIONS:      fuse-attach-device{file= name=h100}
// OPTIONS-NEXT: fuse-normalize-ops
// OPTIONS-NEXT: fuse-mark-updates
// OPTIONS-NEXT: fuse-classify-ops
// OPTIONS:      fuse-form-groups{{.*}}cost-model=never {{.*}}mode=sibling model=m {{.*}}report={{.*}}.json strategy=max}
