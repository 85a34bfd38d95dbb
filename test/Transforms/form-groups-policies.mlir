// The policies of other compilers: what each joins and what it does not. Kernels
// of the same functions under each; docs/Policies.md has the rules.
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-xla | FileCheck %s --check-prefix=XLA
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-tvm | FileCheck %s --check-prefix=TVM
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-inductor | FileCheck %s --check-prefix=IND
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-nvfuser | FileCheck %s --check-prefix=NVF
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-iree | FileCheck %s --check-prefix=IREE
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-tvm --remarks-filter="fuse-form.*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: fuse-opt %s --fuse-form-groups=strategy=policy-inductor --remarks-filter="fuse-form.*" -o /dev/null 2>&1 | FileCheck %s --check-prefix=CALL
// RUN: not fuse-opt %s --fuse-form-groups="strategy=policy-xla mode=sibling" 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: fuse-run %s --entry=softmax --strategy=policy-iree | FileCheck %s --check-prefix=RAN

// REMARK: remark: [Missed] IllegalFusion {{.*}}Function=softmax | Reason="tvm: nothing follows a reduction"{{.*}}rule=policy
// CALL: remark: [Missed] IllegalFusion {{.*}}Function=bias_exp | Reason="inductor: a library call is a kernel of its own"{{.*}}rule=policy
// MODE: error: expected mode 'all' with strategy 'policy-xla', but got 'sibling'
// RAN:     kernels {{ *}}22 -> 10
// RAN:     verified        yes

// A reduction whose result comes back to every place, twice.
// XLA-LABEL: func.func @softmax
// XLA-COUNT-1: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @softmax
// TVM-COUNT-4: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @softmax
// IND-COUNT-1: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @softmax
// NVF-COUNT-1: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @softmax
// IREE-COUNT-1: fuse.group
// IREE-NOT: fuse.group
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %low = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<64xf32>
  %e = tensor.empty() : tensor<64x128xf32>
  %i = linalg.fill ins(%low : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %max = linalg.reduce {arith.maximumf} ins(%x : tensor<64x128xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  %diff = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %max : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<64x128xf32>
  %exp = linalg.exp ins(%diff : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce {arith.addf} ins(%exp : tensor<64x128xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %q = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%exp, %sum : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.divf %a, %b : f32
    linalg.yield %d : f32
  } -> tensor<64x128xf32>
  return %q : tensor<64x128xf32>
}

// What follows a matrix product: a library takes the bias at most.
// XLA-LABEL: func.func @bias_exp
// XLA-COUNT-2: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @bias_exp
// TVM-COUNT-1: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @bias_exp
// IND-COUNT-2: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @bias_exp
// NVF-COUNT-2: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @bias_exp
// IREE-COUNT-1: fuse.group
// IREE-NOT: fuse.group
func.func @bias_exp(%a: tensor<64x32xf32>, %b: tensor<32x48xf32>, %v: tensor<48xf32>) -> tensor<64x48xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  %m = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x48xf32>) outs(%z : tensor<64x48xf32>) -> tensor<64x48xf32>
  %bias = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%m, %v : tensor<64x48xf32>, tensor<48xf32>) outs(%e : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %d = arith.addf %x, %y : f32
    linalg.yield %d : f32
  } -> tensor<64x48xf32>
  %exp = linalg.exp ins(%bias : tensor<64x48xf32>) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  return %exp : tensor<64x48xf32>
}

// Two readers of one input: not everybody joins them.
// XLA-LABEL: func.func @siblings
// XLA-COUNT-1: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @siblings
// TVM-COUNT-2: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @siblings
// IND-COUNT-1: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @siblings
// NVF-COUNT-2: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @siblings
// IREE-COUNT-2: fuse.group
// IREE-NOT: fuse.group
func.func @siblings(%x: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %0 = linalg.exp ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %1 = linalg.abs ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  return %0, %1 : tensor<4096xf32>, tensor<4096xf32>
}

// A value that is a result, too.
// XLA-LABEL: func.func @result_too
// XLA-COUNT-1: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @result_too
// TVM-COUNT-2: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @result_too
// IND-COUNT-1: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @result_too
// NVF-COUNT-1: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @result_too
// IREE-COUNT-1: fuse.group
// IREE-NOT: fuse.group
func.func @result_too(%x: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %e = tensor.empty() : tensor<4096xf32>
  %0 = linalg.exp ins(%x : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %1 = linalg.abs ins(%0 : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  return %0, %1 : tensor<4096xf32>, tensor<4096xf32>
}

// An operator on the rows of a reduction.
// XLA-LABEL: func.func @after_sum
// XLA-COUNT-2: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @after_sum
// TVM-COUNT-2: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @after_sum
// IND-COUNT-1: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @after_sum
// NVF-COUNT-1: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @after_sum
// IREE-COUNT-1: fuse.group
// IREE-NOT: fuse.group
func.func @after_sum(%x: tensor<64x128xf32>) -> tensor<64xf32> {
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %sum = linalg.reduce {arith.addf} ins(%x : tensor<64x128xf32>) outs(%z : tensor<64xf32>) dimensions = [1]
  %0 = linalg.abs ins(%sum : tensor<64xf32>) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// A value of five reads with two readers, which meet again.
// XLA-LABEL: func.func @two_readers
// XLA-COUNT-1: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @two_readers
// TVM-COUNT-1: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @two_readers
// IND-COUNT-1: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @two_readers
// NVF-COUNT-1: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @two_readers
// IREE-COUNT-1: fuse.group
// IREE-NOT: fuse.group
#id = affine_map<(i) -> (i)>
func.func @two_readers(%a: tensor<4096xf32>, %b: tensor<4096xf32>, %c: tensor<4096xf32>, %d: tensor<4096xf32>, %f: tensor<4096xf32>) -> tensor<4096xf32> {
  %e = tensor.empty() : tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]} ins(%a, %b, %c, %d, %f : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) {
  ^bb0(%v: f32, %w: f32, %x: f32, %y: f32, %u: f32, %o: f32):
    %1 = arith.addf %v, %w : f32
    %2 = arith.addf %x, %y : f32
    %3 = arith.addf %1, %2 : f32
    %4 = arith.addf %3, %u : f32
    linalg.yield %4 : f32
  } -> tensor<4096xf32>
  %p = linalg.exp ins(%s : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %q = linalg.abs ins(%s : tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %m = linalg.mul ins(%p, %q : tensor<4096xf32>, tensor<4096xf32>) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  return %m : tensor<4096xf32>
}

// Two reductions of one input, of which one reads it through another operator,
// and one of another input: siblings.
// XLA-LABEL: func.func @moments
// XLA-COUNT-2: fuse.group
// XLA-NOT: fuse.group
// TVM-LABEL: func.func @moments
// TVM-COUNT-3: fuse.group
// TVM-NOT: fuse.group
// IND-LABEL: func.func @moments
// IND-COUNT-2: fuse.group
// IND-NOT: fuse.group
// NVF-LABEL: func.func @moments
// NVF-COUNT-2: fuse.group
// NVF-NOT: fuse.group
// IREE-LABEL: func.func @moments
// IREE-COUNT-3: fuse.group
// IREE-NOT: fuse.group
func.func @moments(%x: tensor<64x128xf32>, %y: tensor<64x128xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<64x128xf32>
  %r = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%r : tensor<64xf32>) -> tensor<64xf32>
  %0 = linalg.reduce { arith.addf } ins(%x : tensor<64x128xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %1 = linalg.mul ins(%x, %x : tensor<64x128xf32>, tensor<64x128xf32>) outs(%m : tensor<64x128xf32>) -> tensor<64x128xf32>
  %2 = linalg.reduce { arith.addf } ins(%1 : tensor<64x128xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  %3 = linalg.reduce { arith.addf } ins(%y : tensor<64x128xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
  return %0, %2, %3 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
