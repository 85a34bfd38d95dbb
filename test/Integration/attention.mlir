// Attention is one kernel: the scores stay in shared memory, and q, k, v and the
// result cross the memory bus once each.
// RUN: fuse-opt %s --fuse-plan="report=%t.json" | FileCheck %s --check-prefix=PLAN
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json
// RUN: fuse-run %s | FileCheck %s --check-prefix=RAN
// RUN: fuse-run %s --strategy=max | FileCheck %s --check-prefix=RAN
// RUN: fuse-run %s --cost-model=never | FileCheck %s --check-prefix=APART

// PLAN: fuse.group
// PLAN: linalg.transpose
// PLAN: linalg.batch_matmul
// PLAN: linalg.batch_matmul
// PLAN: linalg.transpose
// PLAN: fuse.yield
// PLAN-NOT: fuse.group

// REPORT: "bytes": 4096
// REPORT: "accepted": true
// REPORT: "kind": "attention"
// REPORT: "bytes_emitted": 4096
// REPORT-NEXT: "bytes_read": 3072
// REPORT-NEXT: "bytes_written": 1024
// REPORT: "path": "attention"

// RAN: main_0_batch_matmul{{ +}}attention
// RAN: kernels{{ +}}9 -> 1
// RAN: verified{{ +}}yes

// APART-NOT: _matmul{{ +}}attention
// APART: verified{{ +}}yes

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
