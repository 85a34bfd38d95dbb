// What a few groups hold is grouped anew by the exact search where no single
// step pays: here the normalised rows are stored once instead of being computed
// again from the table for each of the two places that they are read at. For
// that, two groups have to become one that also takes operators of a third.
// RUN: fuse-opt %s --fuse-form-groups=report=%t.json --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); d, = (d for d in r['decisions'] if d['kind'] == 'regroup'); assert d['accepted'] and d['cost_fused_ns'] < d['cost_unfused_ns'] and d['bytes_saved'] > 2 * 8192 * 2048 * 4; assert r['kernels'] == 3"
//
// Without leave for the step, and without prices, there is none.
// RUN: fuse-opt %s --fuse-form-groups --mlir-debug-counter=fuse-decision-skip=0,fuse-decision-count=12 --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: fuse-opt %s --fuse-form-groups=cost-model=always --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT
// RUN: fuse-opt %s --fuse-form-groups=mode=producer-consumer --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT

#place = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#column = affine_map<(d0, d1) -> (d1)>

// CHECK: remark: [Passed] Regrouped {{.*}}Function=normed_once {{.*}}Reason="saves {{[0-9]+}} ns: {{.*}}kind=regroup
// CHECK-NOT: Regrouped
// ASKED: remark: [Missed] IllegalFusion {{.*}}kind=regroup, rule=action
// ASKED-LABEL: func.func @normed_once
// ASKED-COUNT-3: fuse.group
// VERDICT-NOT: kind=regroup

// CHECK-LABEL: func.func @normed_once
// CHECK: fuse.group
// CHECK: tensor.extract
// CHECK: linalg.reduce
// CHECK: arith.mulf
// CHECK: fuse.group
// CHECK-NOT: linalg.reduce
// CHECK: tensor.concat
// CHECK-NOT: fuse.group
func.func @normed_once(%i: tensor<8192xi32>, %t: tensor<32000x2048xf32>, %w: tensor<2048xf32>, %c: tensor<8192x2048xf32>, %s: tensor<8192x2048xf32>) -> tensor<8192x2048xf32> {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<8192x2048xf32>
  %h = tensor.empty() : tensor<4096x2048xf32>
  %v = tensor.empty() : tensor<8192xf32>
  %f = linalg.fill ins(%z : f32) outs(%v : tensor<8192xf32>) -> tensor<8192xf32>
  %x = linalg.generic {indexing_maps = [#row, #place], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<8192xi32>) outs(%m : tensor<8192x2048xf32>) {
  ^bb0(%a: i32, %o: f32):
    %p = arith.index_cast %a : i32 to index
    %q = linalg.index 1 : index
    %e = tensor.extract %t[%p, %q] : tensor<32000x2048xf32>
    linalg.yield %e : f32
  } -> tensor<8192x2048xf32>
  %0 = linalg.square ins(%x : tensor<8192x2048xf32>) outs(%m : tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
  %1 = linalg.reduce {arith.addf} ins(%0 : tensor<8192x2048xf32>) outs(%f : tensor<8192xf32>) dimensions = [1]
  %2 = linalg.rsqrt ins(%1 : tensor<8192xf32>) outs(%v : tensor<8192xf32>) -> tensor<8192xf32>
  %3 = linalg.generic {indexing_maps = [#place, #row, #column, #place], iterator_types = ["parallel", "parallel"]} ins(%x, %2, %w : tensor<8192x2048xf32>, tensor<8192xf32>, tensor<2048xf32>) outs(%m : tensor<8192x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %d: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    %q = arith.mulf %p, %d : f32
    linalg.yield %q : f32
  } -> tensor<8192x2048xf32>
  %lo = tensor.extract_slice %3[0, 0] [4096, 2048] [1, 1] : tensor<8192x2048xf32> to tensor<4096x2048xf32>
  %hi = tensor.extract_slice %3[4096, 0] [4096, 2048] [1, 1] : tensor<8192x2048xf32> to tensor<4096x2048xf32>
  %n = linalg.negf ins(%hi : tensor<4096x2048xf32>) outs(%h : tensor<4096x2048xf32>) -> tensor<4096x2048xf32>
  %r = tensor.concat dim(0) %n, %lo : (tensor<4096x2048xf32>, tensor<4096x2048xf32>) -> tensor<8192x2048xf32>
  %4 = linalg.mul ins(%3, %c : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%m : tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
  %5 = linalg.mul ins(%r, %s : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%m : tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
  %6 = linalg.add ins(%4, %5 : tensor<8192x2048xf32>, tensor<8192x2048xf32>) outs(%m : tensor<8192x2048xf32>) -> tensor<8192x2048xf32>
  return %6 : tensor<8192x2048xf32>
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
