// What a few groups hold is grouped anew by the exact search where no single
// step pays: the matrix products of two branches share launches in pairs, for
// which the sum that they start from has to be stored beside a row reduction
// instead of being part of the first product.
// RUN: fuse-opt %s --fuse-form-groups=report=%t.json --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); d = [d for d in r['decisions'] if d['kind'] == 'regroup' and d['accepted']]; assert d and all(d['cost_fused_ns'] < d['cost_unfused_ns'] for d in d); assert r['kernels'] == 4"
//
// Without leave for the step, and without prices, there is none.
// RUN: fuse-opt %s --fuse-form-groups --mlir-debug-counter=fuse-decision-skip=0,fuse-decision-count=1 --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: fuse-opt %s --fuse-form-groups=cost-model=always --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT
// RUN: fuse-opt %s --fuse-form-groups=mode=producer-consumer --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT

// CHECK: remark: [Passed] Regrouped {{.*}}Function=two_branches {{.*}}Reason="saves {{[0-9]+}} ns: {{.*}}kind=regroup
// CHECK-NOT: Regrouped {{.*}}Function=softmax
// ASKED: remark: [Missed] IllegalFusion {{.*}}kind=regroup, rule=action
// ASKED-NOT: remark: [Passed] Regrouped
// VERDICT-NOT: kind=regroup

// CHECK-LABEL: func.func @two_branches
// CHECK: fuse.group
// CHECK: linalg.reduce
// CHECK: fuse.group
// CHECK-COUNT-2: linalg.matmul
// CHECK: fuse.group
// CHECK-COUNT-2: linalg.matmul
// CHECK-NOT: fuse.group
func.func @two_branches(%a: tensor<128x128xf32>, %b: tensor<128x128xf32>, %w0: tensor<128x384xf32>, %w1: tensor<384x128xf32>, %w2: tensor<128x384xf32>, %w3: tensor<384x128xf32>) -> (tensor<128x128xf32>, tensor<128x128xf32>) {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<128x128xf32>
  %n = tensor.empty() : tensor<128x384xf32>
  %r = tensor.empty() : tensor<128xf32>
  %fm = linalg.fill ins(%z : f32) outs(%m : tensor<128x128xf32>) -> tensor<128x128xf32>
  %fn = linalg.fill ins(%z : f32) outs(%n : tensor<128x384xf32>) -> tensor<128x384xf32>
  %fr = linalg.fill ins(%z : f32) outs(%r : tensor<128xf32>) -> tensor<128xf32>
  %x = linalg.add ins(%a, %b : tensor<128x128xf32>, tensor<128x128xf32>) outs(%m : tensor<128x128xf32>) -> tensor<128x128xf32>
  %0 = linalg.matmul ins(%x, %w0 : tensor<128x128xf32>, tensor<128x384xf32>) outs(%fn : tensor<128x384xf32>) -> tensor<128x384xf32>
  %1 = linalg.tanh ins(%0 : tensor<128x384xf32>) outs(%n : tensor<128x384xf32>) -> tensor<128x384xf32>
  %2 = linalg.matmul ins(%1, %w1 : tensor<128x384xf32>, tensor<384x128xf32>) outs(%fm : tensor<128x128xf32>) -> tensor<128x128xf32>
  %3 = linalg.mul ins(%x, %x : tensor<128x128xf32>, tensor<128x128xf32>) outs(%m : tensor<128x128xf32>) -> tensor<128x128xf32>
  %4 = linalg.tanh ins(%3 : tensor<128x128xf32>) outs(%m : tensor<128x128xf32>) -> tensor<128x128xf32>
  %5 = linalg.mul ins(%x, %4 : tensor<128x128xf32>, tensor<128x128xf32>) outs(%m : tensor<128x128xf32>) -> tensor<128x128xf32>
  %6 = linalg.reduce {arith.addf} ins(%5 : tensor<128x128xf32>) outs(%fr : tensor<128xf32>) dimensions = [1]
  %7 = linalg.broadcast ins(%6 : tensor<128xf32>) outs(%m : tensor<128x128xf32>) dimensions = [1]
  %8 = linalg.mul ins(%5, %7 : tensor<128x128xf32>, tensor<128x128xf32>) outs(%m : tensor<128x128xf32>) -> tensor<128x128xf32>
  %9 = linalg.matmul ins(%8, %w2 : tensor<128x128xf32>, tensor<128x384xf32>) outs(%fn : tensor<128x384xf32>) -> tensor<128x384xf32>
  %10 = linalg.tanh ins(%9 : tensor<128x384xf32>) outs(%n : tensor<128x384xf32>) -> tensor<128x384xf32>
  %11 = linalg.matmul ins(%10, %w3 : tensor<128x384xf32>, tensor<384x128xf32>) outs(%fm : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %2, %11 : tensor<128x128xf32>, tensor<128x128xf32>
}

// One kernel is the best plan: nothing is tried in vain.
// CHECK-LABEL: func.func @softmax
// CHECK: fuse.group
// CHECK-NOT: fuse.group
func.func @softmax(%x: tensor<8192x2048xf32>) -> tensor<8192x2048xf32> {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<8192x2048xf32>
  %v = tensor.empty() : tensor<8192xf32>
  %g = linalg.fill ins(%z : f32) outs(%v : tensor<8192xf32>) -> tensor<8192xf32>
  %0 = linalg.exp ins(%x : tensor<8192x2048xf32>) outs(%m : tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<8192x2048xf32>) outs(%g : tensor<8192xf32>) dimensions = [1]
  %2 = linalg.broadcast ins(%1 : tensor<8192xf32>) outs(%m : tensor<8192x2048xf32>) dimensions = [1]
  %3 = linalg.div ins(%0, %2 : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%m : tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
  return %3 : tensor<8192x2048xf32>
}
