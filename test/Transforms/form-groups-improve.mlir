// Groups that have formed are improved: operators move, split off and join
// others while the sum of prices falls, each step a decision of its own. (On a
// device whose L2 keeps nothing between kernels: else all of these are too small
// to matter.)
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{file=%fuse_src_root/docs/examples/small-l2.json},fuse-form-groups{report=%t.json})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); steps = {d['kind']: d for d in r['decisions'] if d['accepted'] and d['kind'] in ('move', 'split')}; assert len(steps) == 2 and all(d['cost_fused_ns'] and not d['rule'] for d in steps.values()); assert r['kernels'] == 3"
//
// Without leave for the steps, or with prices that say nothing, there are none.
// RUN: fuse-opt %s --fuse-attach-device=file=%fuse_src_root/docs/examples/small-l2.json --fuse-form-groups --mlir-debug-counter=fuse-decision-skip=0,fuse-decision-count=4 --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{file=%fuse_src_root/docs/examples/small-l2.json},fuse-form-groups{cost-model=always})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{file=%fuse_src_root/docs/examples/small-l2.json},fuse-form-groups{mode=producer-consumer})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT

// CHECK: remark: [Passed] Regrouped {{.*}}Function=parted {{.*}}Reason="makes another fusion possible: {{.*}}kind=split
// CHECK: remark: [Passed] Regrouped {{.*}}Function=parted {{.*}}Reason="saves {{[0-9]+}} ns: {{.*}}kind=move
// CHECK-NOT: Regrouped
// ASKED: remark: [Missed] IllegalFusion {{.*}}kind=split, rule=action
// ASKED-LABEL: func.func @parted
// ASKED-COUNT-2: fuse.group
// VERDICT-NOT: kind=split
// VERDICT-NOT: kind=move

// The row sum is with the element-wise operators at first, all in one kernel
// that waits for the contraction. Apart from them it shares the contraction's
// launch.
// CHECK-LABEL: func.func @parted
// CHECK: fuse.group
// CHECK: linalg.matmul
// CHECK-NOT: linalg.div
// CHECK: linalg.reduce
// CHECK: fuse.group
// CHECK: linalg.div
// CHECK-NOT: fuse.group
func.func @parted(%x: tensor<128x768xf32>, %y: tensor<128x768xf16>, %w: tensor<768x768xf16>, %q: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<128x768xf32>
  %v = tensor.empty() : tensor<128xf32>
  %f = linalg.fill ins(%z : f32) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  %g = linalg.fill ins(%z : f32) outs(%v : tensor<128xf32>) -> tensor<128xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<128x768xf32>) outs(%g : tensor<128xf32>) dimensions = [1]
  %1 = linalg.broadcast ins(%0 : tensor<128xf32>) outs(%m : tensor<128x768xf32>) dimensions = [1]
  %2 = linalg.mul ins(%x, %1 : tensor<128x768xf32>, tensor<128x768xf32>) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  %3 = linalg.matmul ins(%y, %w : tensor<128x768xf16>, tensor<768x768xf16>) outs(%f : tensor<128x768xf32>) -> tensor<128x768xf32>
  %4 = linalg.div ins(%3, %q : tensor<128x768xf32>, tensor<128x768xf32>) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  %5 = linalg.add ins(%4, %2 : tensor<128x768xf32>, tensor<128x768xf32>) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %5 : tensor<128x768xf32>
}

// Nothing to be gained: no step is taken.
// CHECK-LABEL: func.func @softmax
// CHECK: fuse.group
// CHECK-NOT: fuse.group
func.func @softmax(%x: tensor<128x768xf32>) -> tensor<128x768xf32> {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<128x768xf32>
  %v = tensor.empty() : tensor<128xf32>
  %g = linalg.fill ins(%z : f32) outs(%v : tensor<128xf32>) -> tensor<128xf32>
  %0 = linalg.exp ins(%x : tensor<128x768xf32>) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<128x768xf32>) outs(%g : tensor<128xf32>) dimensions = [1]
  %2 = linalg.broadcast ins(%1 : tensor<128xf32>) outs(%m : tensor<128x768xf32>) dimensions = [1]
  %3 = linalg.div ins(%0, %2 : tensor<128x768xf32>, tensor<128x768xf32>) outs(%m : tensor<128x768xf32>) -> tensor<128x768xf32>
  return %3 : tensor<128x768xf32>
}
