// Strategy optimal: the cheapest plan, how it says so, and where it stops.
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{strategy=optimal report=%t.json})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['strategy'] == 'optimal' and r['optimal_gap'] == 0 and r['optimal_bound_ns'] == sum(g['predicted_ns'] for g in r['groups']) and r['optimal_work'] > 0"
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{strategy=optimal optimal-limit=1 report=%t.json})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=STOPPED
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert 0 < r['optimal_gap'] < 0.1 and r['optimal_bound_ns'] == 2000 and r['kernels'] == 1"
// Measured times have no least one to begin with.
// RUN: rm -f %t.table.json
// RUN: fuse-run %s --strategy=none --profile=%t.table.json
// RUN: fuse-run %s --profile=%t.table.json
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{strategy=optimal optimal-limit=1 cost-model=profile{table=%t.table.json} report=%t.json})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=NOBOUND
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['optimal_gap'] is None and r['kernels'] == 1"
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{report=%t.json})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=GREEDY
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{strategy=optimal mode=sibling})" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{strategy=optimal optimal-limit=0})" 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{strategy=best})" 2>&1 | FileCheck %s --check-prefix=STRATEGY

// CHECK: remark: [Passed] Optimal | Category:fuse-form-groups | Function=module | Reason="no legal plan costs less than [[NS:[0-9]+]] ns", boundNs=[[NS]], totalNs=[[NS]], work={{[0-9]+}}
// CHECK: remark: [Passed] Fused {{.*}}kind=producer-consumer
// STOPPED: remark: [Missed] OptimalStopped {{.*}}Reason="stopped after {{[0-9]+}} steps; the plan is at most {{[0-9.]+}} % above the cheapest one", boundNs=2000,
// NOBOUND: remark: [Missed] OptimalStopped {{.*}}Reason="stopped after {{[0-9]+}} steps, before anything was known about the cheapest plan"
// GREEDY-NOT: Optimal
// MODE: error: expected mode 'all' with strategy 'optimal', but got 'sibling'
// LIMIT: error: expected optimal-limit above 0, but got '0'
// STRATEGY: error: expected strategy greedy, optimal, max, none, policy-xla, policy-tvm, policy-inductor, policy-nvfuser or policy-iree, but got 'best'

// One kernel; the row sum is read by both.
// CHECK-LABEL: func.func @main
// CHECK: %[[G:.*]]:2 = fuse.group
// CHECK-NOT: fuse.group
func.func @main(%x: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64x128xf32>) {
  %z = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<64xf32>
  %m = tensor.empty() : tensor<64x128xf32>
  %s = linalg.fill ins(%z : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.reduce {arith.addf} ins(%x : tensor<64x128xf32>) outs(%s : tensor<64xf32>) dimensions = [1]
  %1 = linalg.broadcast ins(%0 : tensor<64xf32>) outs(%m : tensor<64x128xf32>) dimensions = [1]
  %2 = linalg.sub ins(%x, %1 : tensor<64x128xf32>, tensor<64x128xf32>) outs(%m : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %0, %2 : tensor<64xf32>, tensor<64x128xf32>
}
