// Parallelism that fusing loses: the sum of squares of a few long rows and what
// scales the rows by it. Two rows are two blocks if one kernel does both,
// and wait for two multiprocessors; apart, all of them help. Where there are
// clusters, eight blocks share a row, and one kernel is enough.
// RUN: fuse-opt %s --fuse-attach-device=name=a100 --fuse-print-groups -o /dev/null | FileCheck %s
// RUN: fuse-opt %s --fuse-attach-device=name=h100 --fuse-print-groups -o /dev/null | FileCheck %s --check-prefix=CLUSTER

// CLUSTER-NOT: few_1
// CLUSTER:     producer-consumer{{ +}}yes{{ +}}-{{ +[0-9]+ +[0-9]+}}  few:

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-DAG: few_0_reduction
// CHECK-DAG: few_1_broadcast
// CHECK-DAG: producer-consumer{{ +}}no{{ +}}-{{ +[0-9]+ +[0-9]+}}  few:
func.func @few(%x: tensor<2x131072xf32>) -> tensor<2x131072xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<2xf32>
  %i = linalg.fill ins(%zero : f32) outs(%er : tensor<2xf32>) -> tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<2x131072xf32>) outs(%i : tensor<2xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<2xf32>
  %e = tensor.empty() : tensor<2x131072xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<2x131072xf32>, tensor<2xf32>) outs(%e : tensor<2x131072xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<2x131072xf32>
  return %r : tensor<2x131072xf32>
}

// Rows that fill the device are read once.
// CHECK-DAG: producer-consumer{{ +}}yes{{ +}}-{{ +[0-9]+ +[0-9]+}}  many:
// CHECK-NOT: many_1
func.func @many(%x: tensor<1024x32768xf32>) -> tensor<1024x32768xf32> {
  %zero = arith.constant 0.0 : f32
  %er = tensor.empty() : tensor<1024xf32>
  %i = linalg.fill ins(%zero : f32) outs(%er : tensor<1024xf32>) -> tensor<1024xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<1024x32768xf32>) outs(%i : tensor<1024xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %0 = arith.mulf %a, %a : f32
    %1 = arith.addf %0, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<1024xf32>
  %e = tensor.empty() : tensor<1024x32768xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<1024x32768xf32>, tensor<1024xf32>) outs(%e : tensor<1024x32768xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %0 = math.rsqrt %b : f32
    %1 = arith.mulf %a, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<1024x32768xf32>
  return %r : tensor<1024x32768xf32>
}
