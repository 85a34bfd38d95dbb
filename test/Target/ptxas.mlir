// REQUIRES: ptxas
// RUN: fuse-opt %s --fuse-to-ptx | fuse-translate --gpu-binary-to-ptx > %t.90
// RUN: ptxas -arch=sm_90 -v %t.90 -o /dev/null 2>&1 | FileCheck %s
// RUN: fuse-opt %s --fuse-to-ptx=device=a100 | fuse-translate --gpu-binary-to-ptx > %t.80
// RUN: ptxas -arch=sm_80 -v %t.80 -o /dev/null 2>&1 | FileCheck %s
// RUN: fuse-opt %s --fuse-to-ptx=chip=sm_100 | fuse-translate --gpu-binary-to-ptx > %t.100
// RUN: ptxas -arch=sm_100 -v %t.100 -o /dev/null 2>&1 | FileCheck %s

// PTX for each architecture assembles, without spills.
// CHECK: Compiling entry function
// CHECK: 0 bytes spill stores, 0 bytes spill loads

// Multiplication and addition are not contracted, division and subnormals are
// exact; reads go through the non-coherent path.
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.90
// PTX-NOT: fma
// PTX-NOT: .ftz
// PTX:     ld.global.nc
// PTX-NOT: fma
// PTX:     mul.rn.f32
// PTX-NEXT: add.rn.f32
// PTX:     div.rn.f32
#id = affine_map<(i) -> (i)>
func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = fuse.kernel "f" ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%in0: tensor<8xf32>, %in1: tensor<8xf32>, %out: tensor<8xf32>):
    %k = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%in0, %in1 : tensor<8xf32>, tensor<8xf32>) outs(%out : tensor<8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %0, %b : f32
      %2 = arith.divf %1, %a : f32
      linalg.yield %2 : f32
    } -> tensor<8xf32>
    fuse.yield %k : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
