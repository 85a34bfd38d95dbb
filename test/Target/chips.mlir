// Every built-in device gets code that assembles for its chip: a chain of
// element-wise operators with half types, and a reduction of rows.
// REQUIRES: ptxas
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=t4' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM75 --input-file %t.ptx
// RUN: ptxas -arch=sm_75 %t.ptx -o %t.cubin
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=a100-40' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM80 --input-file %t.ptx
// RUN: ptxas -arch=sm_80 %t.ptx -o %t.cubin
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=a100-80' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM80 --input-file %t.ptx
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=l4' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM89 --input-file %t.ptx
// RUN: ptxas -arch=sm_89 %t.ptx -o %t.cubin
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=rtx4090' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM89 --input-file %t.ptx
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=h100-pcie' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM90 --input-file %t.ptx
// RUN: ptxas -arch=sm_90 %t.ptx -o %t.cubin
// RUN: fuse-opt %s --fuse-to-ptx='strategy=none device=b200' | fuse-translate --gpu-binary-to-ptx > %t.ptx
// RUN: FileCheck %s --check-prefix=SM100 --input-file %t.ptx
// RUN: ptxas -arch=sm_100 %t.ptx -o %t.cubin

// SM75: .target sm_75
// SM80: .target sm_80
// SM89: .target sm_89
// SM90: .target sm_90
// SM100: .target sm_100
// SM75-COUNT-3: .visible .entry
// SM100-COUNT-3: .visible .entry
func.func @f(%x: tensor<64x100xf16>, %y: tensor<64x100xbf16>) -> (tensor<64x100xf16>, tensor<64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x100xf16>
  %a = linalg.exp ins(%x : tensor<64x100xf16>) outs(%e : tensor<64x100xf16>) -> tensor<64x100xf16>
  %b = linalg.tanh ins(%a : tensor<64x100xf16>) outs(%e : tensor<64x100xf16>) -> tensor<64x100xf16>
  %s = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%s : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%y : tensor<64x100xbf16>) outs(%i : tensor<64xf32>) {
  ^bb0(%in: bf16, %out: f32):
    %0 = arith.extf %in : bf16 to f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<64xf32>
  return %b, %r : tensor<64x100xf16>, tensor<64xf32>
}
