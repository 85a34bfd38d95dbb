// Marked operators run like others: in kernels, on the host where no kernel can
// hold them, and in the reference.
// RUN: fuse-run %s --entry=kernels | FileCheck %s --check-prefix=KERNELS
// RUN: fuse-run %s --entry=host | FileCheck %s --check-prefix=HOST
// KERNELS: kernels_0_reduce {{.*}} reduce + negf
// KERNELS-NEXT: kernels_1_exp {{.*}} exp
// HOST: host_0_injective {{.*}} generic
// HOST-NOT: host_1
// HOST: {{^}}kernels{{ +}}4 -> 3
// HOST: verified{{ +}}yes
// KERNELS: {{^}}kernels{{ +}}4 -> 3
// KERNELS: verified{{ +}}yes

#id = affine_map<(i) -> (i)>

// A reduction and what follows it are one kernel by the user's will, the last
// operator is alone.
func.func @kernels(%x: tensor<16x32xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %r = linalg.reduce ins(%x : tensor<16x32xf32>) outs(%f : tensor<16xf32>)
      dimensions = [1] {fuse.must_fuse = "t"} (%a: f32, %b: f32) {
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  }
  %n = linalg.negf {fuse.must_fuse = "t"} ins(%r : tensor<16xf32>)
      outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %t = linalg.exp {fuse.never_fuse} ins(%n : tensor<16xf32>)
      outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %t : tensor<16xf32>
}

// A body that calls stays on the host.
func.func @host(%x: tensor<64xf32>) -> tensor<64xf32> {
  %y = math.exp %x : tensor<64xf32>
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel"], fuse.never_fuse}
      ins(%y : tensor<64xf32>) outs(%e : tensor<64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %b = func.call @square(%a) : (f32) -> f32
    linalg.yield %b : f32
  } -> tensor<64xf32>
  return %r : tensor<64xf32>
}
func.func private @square(%a: f32) -> f32 {
  %b = arith.mulf %a, %a : f32
  return %b : f32
}
