// Kernels of sizes that are known at run time only are priced over a range of
// sizes, and everything that shows a price says so.
// RUN: fuse-opt %s --fuse-print-groups -o /dev/null | FileCheck %s --check-prefix=PRINT
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-form-groups{report=%t.json})" --remarks-filter="fuse-form-groups" 2>&1 | FileCheck %s --check-prefix=IR
// RUN: %python -c "import json; g = {r['name']: r for r in json.load(open(r'%t.json'))['groups']}; lo, hi = g['rows_0_reduce']['predicted_ns_range']; assert 2000 <= lo < g['rows_0_reduce']['predicted_ns'] < hi, (lo, hi); assert g['fixed_0_exp']['predicted_ns_range'] is None"
// RUN: fuse-explain %s --at=rows:%%e --and=rows:%%s | tr '\n' ' ' | FileCheck %s --check-prefix=EXPLAIN
// RUN: fuse-explain %s --at=fixed:%%a --and=fixed:%%b | tr '\n' ' ' | FileCheck %s --check-prefix=FIXED
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-print-groups{cost-model=traffic})" -o /dev/null | FileCheck %s --check-prefix=TRAFFIC

// The remarks of decisions, and what stands on the groups.
// IR-DAG: remark: [Passed] Fused | {{.*}}Function=rows | Reason="saves {{[0-9]+}} ns: {{[0-9]+}} ns fused, {{[0-9]+}} ns apart at the assumed sizes"
// IR-DAG: remark: [Passed] Fused | {{.*}}Function=fixed | Reason="saves 2000 ns: 2000 ns fused, 4000 ns apart"
// IR: fuse.group "rows_0_reduce"
// IR-SAME: predicted_ns_least = {{[0-9]+}} : i64, predicted_ns_most = {{[0-9]+}} : i64
// IR: fuse.group "fixed_0_exp"
// IR-NOT: predicted_ns_least

// An eighth of both sizes is a 64th of the elements: bound by the shortest
// kernel there is. Eight times both is 64 times the time.
// PRINT: rows_0_reduce {{.*}} 2000..{{[0-9]+}}{{ +[0-9]+$}}
// PRINT: fixed_0_exp {{.*}} 2000{{ +[0-9]+$}}
// The model is the one that was asked for: launch and bytes only.
// TRAFFIC: rows_0_reduce {{.*}} 13{{[0-9]+}}..{{[0-9]+}}

// EXPLAIN: linalg.exp (rows:{{[0-9]+}}) and linalg.reduce (rows:{{[0-9]+}}) share the kernel
// EXPLAIN-SAME: Sizes are unknown, and these are the prices at assumed ones. From an eighth of them to eight times as much, one kernel takes 2000 to {{[0-9]+}} ns, and apart they take 4000 to {{[0-9]+}} ns.
// FIXED: share the kernel
// FIXED-NOT: Sizes are unknown
func.func @rows(%x: tensor<?x?xf32>, %m: tensor<?x?xf32>, %r: tensor<?xf32>) -> tensor<?xf32> {
  %e = linalg.exp ins(%x : tensor<?x?xf32>) outs(%m : tensor<?x?xf32>) -> tensor<?x?xf32>
  %s = linalg.reduce {arith.addf} ins(%e : tensor<?x?xf32>) outs(%r : tensor<?xf32>) dimensions = [1]
  return %s : tensor<?xf32>
}

func.func @fixed(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %o = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%o : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}
