// Kernels side by side: what shares nothing, and what shares an input but no
// space. They are looked at last, so that they break up nothing.
// RUN: fuse-opt %s --fuse-form-groups | FileCheck %s
// RUN: fuse-opt %s --fuse-form-groups=mode=producer-consumer | FileCheck %s --check-prefix=PC
// RUN: fuse-opt %s --fuse-form-groups=strategy=max | FileCheck %s --check-prefix=MAX
// RUN: fuse-opt %s --fuse-form-groups=cost-model=never | FileCheck %s --check-prefix=NEVER
// RUN: fuse-opt %s --fuse-form-groups --remarks-filter=fuse-form-groups -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Updates of two parameters with nothing in common.
// CHECK-LABEL: func @update
// CHECK: %{{.*}}:2 = fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
// PC-LABEL: func @update
// PC-COUNT-2: fuse.group
// PC: return
// NEVER-LABEL: func @update
// NEVER-COUNT-2: fuse.group
// NEVER: return
// REMARK: Fused | {{.*}}Function=update | {{.*}}bytesSaved=0, {{.*}}kind=independent
func.func @update(%p: tensor<64x32xf32>, %g: tensor<64x32xf32>, %q: tensor<48xf32>, %h: tensor<48xf32>) -> (tensor<64x32xf32>, tensor<48xf32>) {
  %e = tensor.empty() : tensor<64x32xf32>
  %a = linalg.sub ins(%p, %g : tensor<64x32xf32>, tensor<64x32xf32>) outs(%e : tensor<64x32xf32>) -> tensor<64x32xf32>
  %f = tensor.empty() : tensor<48xf32>
  %b = linalg.sub ins(%q, %h : tensor<48xf32>, tensor<48xf32>) outs(%f : tensor<48xf32>) -> tensor<48xf32>
  return %a, %b : tensor<64x32xf32>, tensor<48xf32>
}

// Kernels of which one needs the other are never side by side.
// CHECK-LABEL: func @dependent
// CHECK: fuse.group
// CHECK: call @g
// CHECK: fuse.group
// CHECK: return
func.func private @g(tensor<8xf32>) -> tensor<9xf32>
func.func @dependent(%x: tensor<8xf32>) -> tensor<9xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = func.call @g(%a) : (tensor<8xf32>) -> tensor<9xf32>
  %f = tensor.empty() : tensor<9xf32>
  %c = linalg.exp ins(%b : tensor<9xf32>) outs(%f : tensor<9xf32>) -> tensor<9xf32>
  return %c : tensor<9xf32>
}

// A call bars only what depends on it.
// CHECK-LABEL: func @beside_call
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK-NOT: fuse.group
// CHECK: return
func.func private @pure(tensor<8xf32>) -> tensor<8xf32>
func.func @beside_call(%x: tensor<8xf32>, %y: tensor<9xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = func.call @pure(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %f = tensor.empty() : tensor<9xf32>
  %c = linalg.abs ins(%y : tensor<9xf32>) outs(%f : tensor<9xf32>) -> tensor<9xf32>
  return %a, %b, %c : tensor<8xf32>, tensor<8xf32>, tensor<9xf32>
}

// Projections of one input that are unequally wide read it in one kernel.
// CHECK-LABEL: func @qkv
// CHECK: %{{.*}}:3 = fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @qkv(%x: tensor<32x64xf32>, %wq: tensor<64x96xf32>, %wk: tensor<64x48xf32>, %wv: tensor<64x48xf32>) -> (tensor<32x96xf32>, tensor<32x48xf32>, tensor<32x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x96xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x96xf32>) -> tensor<32x96xf32>
  %q = linalg.matmul ins(%x, %wq : tensor<32x64xf32>, tensor<64x96xf32>) outs(%i : tensor<32x96xf32>) -> tensor<32x96xf32>
  %f = tensor.empty() : tensor<32x48xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<32x48xf32>) -> tensor<32x48xf32>
  %k = linalg.matmul ins(%x, %wk : tensor<32x64xf32>, tensor<64x48xf32>) outs(%j : tensor<32x48xf32>) -> tensor<32x48xf32>
  %v = linalg.matmul ins(%x, %wv : tensor<32x64xf32>, tensor<64x48xf32>) outs(%j : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %q, %k, %v : tensor<32x96xf32>, tensor<32x48xf32>, tensor<32x48xf32>
}

// A fill that the host needs is an operator like others; what only kernels read
// stays a value that each of them makes.
// CHECK-LABEL: func @fills
// CHECK: %{{.*}}:3 = fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
// PC-LABEL: func @fills
// PC-COUNT-3: fuse.group
// PC: return
// NEVER-LABEL: func @fills
// NEVER-COUNT-3: fuse.group
// NEVER: return
func.func @fills(%s: f32, %x: tensor<64x32xf32>) -> (tensor<64xf32>, tensor<9xf32>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = tensor.splat %s : tensor<9xf32>
  %i = linalg.fill ins(%s : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.reduce {arith.addf} ins(%x : tensor<64x32xf32>) outs(%i : tensor<64xf32>) dimensions = [1]
  return %z, %b, %r : tensor<64xf32>, tensor<9xf32>, tensor<64xf32>
}

// `fuse.never_fuse` holds for fills, too.
// CHECK-LABEL: func @fill_alone
// CHECK-COUNT-2: fuse.group
// CHECK: return
func.func @fill_alone(%s: f32, %t: f32) -> (tensor<64xf32>, tensor<9xf32>) {
  %e = tensor.empty() : tensor<64xf32>
  %z = linalg.fill {fuse.never_fuse} ins(%s : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = tensor.splat %t : tensor<9xf32>
  return %z, %b : tensor<64xf32>, tensor<9xf32>
}

// Kernels side by side need not be equally far from the arguments: there is one
// kernel more before the second `exp` than before `abs`.
// MAX-LABEL: func @levels
// MAX: fuse.group
// MAX-COUNT-2: call @pure
// MAX: %{{.*}}:2 = fuse.group
// MAX: linalg.exp
// MAX: linalg.abs
// MAX-NOT: fuse.group
// MAX: return
func.func @levels(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = func.call @pure(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %c = linalg.exp ins(%b : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %d = func.call @pure(%y) : (tensor<8xf32>) -> tensor<8xf32>
  %k = linalg.abs ins(%d : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %c, %k : tensor<8xf32>, tensor<8xf32>
}
