// Groups that have formed are improved: operators move, split off and join
// others while the sum of prices falls, each step a decision of its own. (On a
// device with a fast L2: else few blocks of a matrix product wait for it, and
// other kernels are found.)
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{file=%fuse_src_root/docs/examples/fast-l2.json},fuse-form-groups{report=%t.json})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); steps = {d['kind']: d for d in r['decisions'] if d['accepted'] and d['kind'] in ('move', 'split')}; assert len(steps) == 2 and all(d['cost_fused_ns'] and not d['rule'] for d in steps.values()); assert r['kernels'] == 8"
//
// Without leave for the steps, or with prices that say nothing, there are none.
// RUN: fuse-opt %s --fuse-attach-device=file=%fuse_src_root/docs/examples/fast-l2.json --fuse-form-groups --mlir-debug-counter=fuse-decision-skip=0,fuse-decision-count=11 --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=ASKED
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{file=%fuse_src_root/docs/examples/fast-l2.json},fuse-form-groups{cost-model=always})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT
// RUN: fuse-opt %s --pass-pipeline="builtin.module(fuse-attach-device{file=%fuse_src_root/docs/examples/fast-l2.json},fuse-form-groups{mode=producer-consumer})" --remarks-filter="fuse-form.*" 2>&1 | FileCheck %s --check-prefix=VERDICT
//
// Operators move to kernels next to theirs, even to those that they have nothing
// to do with.
// RUN: fuse-opt %fuse_src_root/test/models/full/llama_like_layer_f32.mlir --fuse-form-groups --remarks-filter="fuse-form.*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BESIDE
// BESIDE-COUNT-2: remark: [Passed] Regrouped {{.*}}kind=move

// CHECK: remark: [Passed] Regrouped {{.*}}Function=parted {{.*}}Reason="makes another fusion possible: {{.*}}kind=split
// CHECK: remark: [Passed] Regrouped {{.*}}Function=moved {{.*}}Reason="saves {{[0-9]+}} ns: {{.*}}kind=move
// CHECK-NOT: Regrouped {{.*}}Function=softmax
// ASKED: remark: [Missed] IllegalFusion {{.*}}Function=parted {{.*}}kind=split, rule=action
// ASKED-LABEL: func.func @parted
// ASKED: fuse.group "parted_0_matmul"
// ASKED: linalg.matmul
// ASKED: linalg.reduce
// VERDICT-NOT: kind=split
// VERDICT-NOT: kind=move

// Two branches of two matrix products each, on sums and on what a row reduction
// gives: a product leaves what it was fused with first, and shares a launch with
// its twin in the other branch.
// CHECK-LABEL: func.func @parted
// CHECK: fuse.group
// CHECK: linalg.reduce
// CHECK: fuse.group
// CHECK-COUNT-2: linalg.matmul
// CHECK: fuse.group
// CHECK-COUNT-2: linalg.matmul
// CHECK: fuse.group
// CHECK-NOT: linalg.matmul
// CHECK-NOT: fuse.group
func.func @parted(%a: tensor<64x256xf32>, %b: tensor<64x256xf32>, %w0: tensor<256x512xf32>, %w1: tensor<512x256xf32>, %w2: tensor<256x512xf32>, %w3: tensor<512x256xf32>) -> (tensor<64x256xf32>) {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<64x256xf32>
  %n = tensor.empty() : tensor<64x512xf32>
  %r = tensor.empty() : tensor<64xf32>
  %fm = linalg.fill ins(%z : f32) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  %fn = linalg.fill ins(%z : f32) outs(%n : tensor<64x512xf32>) -> tensor<64x512xf32>
  %fr = linalg.fill ins(%z : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.mul ins(%a, %b : tensor<64x256xf32>, tensor<64x256xf32>) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  %1 = linalg.matmul ins(%0, %w0 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%fn : tensor<64x512xf32>) -> tensor<64x512xf32>
  %2 = linalg.tanh ins(%1 : tensor<64x512xf32>) outs(%n : tensor<64x512xf32>) -> tensor<64x512xf32>
  %3 = linalg.matmul ins(%2, %w1 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%fm : tensor<64x256xf32>) -> tensor<64x256xf32>
  %4 = linalg.mul ins(%0, %0 : tensor<64x256xf32>, tensor<64x256xf32>) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  %5 = linalg.tanh ins(%4 : tensor<64x256xf32>) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  %6 = linalg.mul ins(%0, %5 : tensor<64x256xf32>, tensor<64x256xf32>) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  %7 = linalg.reduce {arith.addf} ins(%6 : tensor<64x256xf32>) outs(%fr : tensor<64xf32>) dimensions = [1]
  %8 = linalg.broadcast ins(%7 : tensor<64xf32>) outs(%m : tensor<64x256xf32>) dimensions = [1]
  %9 = linalg.mul ins(%6, %8 : tensor<64x256xf32>, tensor<64x256xf32>) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  %10 = linalg.matmul ins(%9, %w2 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%fn : tensor<64x512xf32>) -> tensor<64x512xf32>
  %11 = linalg.tanh ins(%10 : tensor<64x512xf32>) outs(%n : tensor<64x512xf32>) -> tensor<64x512xf32>
  %12 = linalg.matmul ins(%11, %w3 : tensor<64x512xf32>, tensor<512x256xf32>) outs(%fm : tensor<64x256xf32>) -> tensor<64x256xf32>
  %13 = linalg.mul ins(%12, %3 : tensor<64x256xf32>, tensor<64x256xf32>) outs(%m : tensor<64x256xf32>) -> tensor<64x256xf32>
  return %13 : tensor<64x256xf32>
}

// Other sizes, at which an operator moves at the end.
// CHECK-LABEL: func.func @moved
func.func @moved(%a: tensor<16x128xf32>, %b: tensor<16x128xf32>, %w0: tensor<128x256xf32>, %w1: tensor<256x128xf32>, %w2: tensor<128x256xf32>, %w3: tensor<256x128xf32>) -> (tensor<16x128xf32>, tensor<16x128xf32>) {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<16x128xf32>
  %n = tensor.empty() : tensor<16x256xf32>
  %r = tensor.empty() : tensor<16xf32>
  %fm = linalg.fill ins(%z : f32) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %fn = linalg.fill ins(%z : f32) outs(%n : tensor<16x256xf32>) -> tensor<16x256xf32>
  %fr = linalg.fill ins(%z : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %x = linalg.add ins(%a, %b : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %0 = linalg.matmul ins(%x, %w0 : tensor<16x128xf32>, tensor<128x256xf32>) outs(%fn : tensor<16x256xf32>) -> tensor<16x256xf32>
  %1 = linalg.tanh ins(%0 : tensor<16x256xf32>) outs(%n : tensor<16x256xf32>) -> tensor<16x256xf32>
  %2 = linalg.matmul ins(%1, %w1 : tensor<16x256xf32>, tensor<256x128xf32>) outs(%fm : tensor<16x128xf32>) -> tensor<16x128xf32>
  %3 = linalg.mul ins(%x, %x : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %4 = linalg.tanh ins(%3 : tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %5 = linalg.mul ins(%x, %4 : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %6 = linalg.reduce {arith.addf} ins(%5 : tensor<16x128xf32>) outs(%fr : tensor<16xf32>) dimensions = [1]
  %7 = linalg.broadcast ins(%6 : tensor<16xf32>) outs(%m : tensor<16x128xf32>) dimensions = [1]
  %8 = linalg.mul ins(%5, %7 : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %9 = linalg.matmul ins(%8, %w2 : tensor<16x128xf32>, tensor<128x256xf32>) outs(%fn : tensor<16x256xf32>) -> tensor<16x256xf32>
  %10 = linalg.tanh ins(%9 : tensor<16x256xf32>) outs(%n : tensor<16x256xf32>) -> tensor<16x256xf32>
  %11 = linalg.matmul ins(%10, %w3 : tensor<16x256xf32>, tensor<256x128xf32>) outs(%fm : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %2, %11 : tensor<16x128xf32>, tensor<16x128xf32>
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
