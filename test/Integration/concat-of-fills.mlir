// A concatenation of fills whose type knows more than those of the fills: right
// values, in a single kernel.
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %s --size=0.0=7 | FileCheck %s
// RUN: fuse-opt %s --fuse-normalize-ops | FileCheck %s --check-prefix=FORM
// CHECK: {{^}}kernels{{.*}} -> 1{{$}}
// CHECK: {{^}}verified{{ +}}yes
// FORM: return {{.*}} : tensor<6xf32>
func.func @main(%a: tensor<?xf32>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = arith.subi %n, %c4 : index
  %s = tensor.extract %a[%c4] : tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %r = tensor.concat dim(0) %f, %f : (tensor<?xf32>, tensor<?xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
