// The other models: bytes only, and the two with a verdict; and the device.
// RUN: fuse-opt %s --fuse-print-groups=cost-model=traffic -o /dev/null | FileCheck %s --check-prefix=TRAFFIC
// RUN: fuse-opt %s --fuse-print-groups=cost-model=always -o /dev/null | FileCheck %s --check-prefix=ALWAYS
// RUN: fuse-opt %s --fuse-print-groups=cost-model=never -o /dev/null | FileCheck %s --check-prefix=NEVER
// RUN: fuse-opt %s --fuse-attach-device=name=a100 --fuse-print-groups=cost-model=traffic -o /dev/null | FileCheck %s --check-prefix=A100

// 1300 ns of launch and 128 MB at 0.91 x 4800 GB/s; with a second kernel in
// between another 128 MB and a launch. Recomputation is free to this model.
// TRAFFIC: kernels 2 -> 1
// TRAFFIC: producer-consumer{{ +}}yes{{ +}}-{{ +}}32028{{ +}}64056
// ALWAYS: kernels 2 -> 1
// NEVER: kernels 2 -> 2
// NEVER: producer-consumer{{ +}}no{{ +}}-
// A100: producer-consumer{{ +}}yes{{ +}}-{{ +}}7{{[0-9]+}}
func.func @f(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %e = tensor.empty() : tensor<4096x4096xf32>
  %a = linalg.exp ins(%x : tensor<4096x4096xf32>) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %b = linalg.abs ins(%a : tensor<4096x4096xf32>) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %b : tensor<4096x4096xf32>
}
