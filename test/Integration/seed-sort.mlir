// A call to an external sort is a barrier: the chain around it becomes two
// groups. Nothing can be run, and the tool says so.
// RUN: fuse-run %s --report=%t.json 2>&1 | FileCheck %s
// RUN: %python -c "import json, sys; r = json.load(open(sys.argv[1])); assert r['verified'] is None and r['max_error'] is None; assert [len(g['ops']) for g in r['groups']] == [2, 2], r['groups']" %t.json

// CHECK: kernels {{ *}}4 -> 2
// CHECK: verified {{ *}}not run: {{.*}}external function 'sort'

func.func private @sort(tensor<64xf32>) -> tensor<64xf32>

func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.absf %x : tensor<64xf32>
  %1 = arith.addf %0, %0 : tensor<64xf32>
  %2 = call @sort(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = arith.mulf %2, %2 : tensor<64xf32>
  %4 = arith.negf %3 : tensor<64xf32>
  return %4 : tensor<64xf32>
}
