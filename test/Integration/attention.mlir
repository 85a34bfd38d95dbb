// Attention is one group if the plan may assume its kernel, which is emitted as
// the three that there are code generators for; without it the planner never
// puts the contractions together. The report counts what is emitted, and prices
// the assumed kernel: q, k, v and the result, once each.
// RUN: fuse-opt %s --fuse-plan="assume=attention report=%t.json" | FileCheck %s --check-prefix=PLAN
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json
// RUN: fuse-opt %s --fuse-plan | FileCheck %s --check-prefix=APART
// RUN: fuse-run %s --assume=attention | FileCheck %s --check-prefix=RAN
// RUN: fuse-run %s --assume=attention --strategy=max | FileCheck %s --check-prefix=RAN
// RUN: not fuse-run %s --assume=magic 2>&1 | FileCheck %s --check-prefix=BAD

// PLAN: fuse.group
// PLAN: linalg.transpose
// PLAN: linalg.batch_matmul
// PLAN: linalg.batch_matmul
// PLAN: linalg.transpose
// PLAN: fuse.yield
// PLAN-NOT: fuse.group

// REPORT: "bytes": 10752
// REPORT: "accepted": true
// REPORT: "kind": "attention"
// REPORT: "assumed": "attention"
// REPORT-NEXT: "bytes_emitted": 10752
// REPORT-NEXT: "bytes_read": 3072
// REPORT-NEXT: "bytes_written": 1024
// REPORT: "kernels": 3
// REPORT: "kernels": 3

// APART-COUNT-3: fuse.group

// RAN-NOT: split
// RAN: kernels{{ +}}9 -> 3
// RAN: verified{{ +}}yes

// BAD: unknown kind of kernel 'magic' to assume; known are 'attention'
func.func @main(%q: tensor<1x2x16x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>) -> tensor<1x16x2x8xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.35 : f32
  %qc = tensor.collapse_shape %q [[0,1],[2],[3]] : tensor<1x2x16x8xf32> into tensor<2x16x8xf32>
  %kc = tensor.collapse_shape %k [[0,1],[2],[3]] : tensor<1x2x16x8xf32> into tensor<2x16x8xf32>
  %vc = tensor.collapse_shape %v [[0,1],[2],[3]] : tensor<1x2x16x8xf32> into tensor<2x16x8xf32>
  %ek = tensor.empty() : tensor<2x8x16xf32>
  %kt = linalg.transpose ins(%kc : tensor<2x16x8xf32>) outs(%ek : tensor<2x8x16xf32>) permutation = [0, 2, 1]
  %es = tensor.empty() : tensor<2x16x16xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %s = linalg.batch_matmul ins(%qc, %kt : tensor<2x16x8xf32>, tensor<2x8x16xf32>) outs(%fs : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %c = tensor.splat %scale : tensor<2x16x16xf32>
  %sc = linalg.mul ins(%s, %c : tensor<2x16x16xf32>, tensor<2x16x16xf32>) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %p = linalg.softmax dimension(2) ins(%sc : tensor<2x16x16xf32>) outs(%es : tensor<2x16x16xf32>) -> tensor<2x16x16xf32>
  %eo = tensor.empty() : tensor<2x16x8xf32>
  %fo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %o = linalg.batch_matmul ins(%p, %vc : tensor<2x16x16xf32>, tensor<2x16x8xf32>) outs(%fo : tensor<2x16x8xf32>) -> tensor<2x16x8xf32>
  %et = tensor.empty() : tensor<16x2x8xf32>
  %t = linalg.transpose ins(%o : tensor<2x16x8xf32>) outs(%et : tensor<16x2x8xf32>) permutation = [1, 0, 2]
  %r = tensor.expand_shape %t [[0,1],[2],[3]] output_shape [1,16,2,8] : tensor<16x2x8xf32> into tensor<1x16x2x8xf32>
  return %r : tensor<1x16x2x8xf32>
}
