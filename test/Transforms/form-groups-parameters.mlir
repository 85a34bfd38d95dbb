// kernel-parameters: on a device with 24 bytes for the parameters of a kernel
// three tensors fit, five do not.
// RUN: fuse-opt %s --fuse-print-groups -o /dev/null | FileCheck %s

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.parameter_bytes" = 24 : i64>>} {
  // CHECK-DAG: {{^}}producer-consumer{{ +}}no{{ +}}kernel-parameters{{ +}}{{.*}} five:{{[0-9]+}}:linalg.add:{{.*}} -> five:{{[0-9]+}}:linalg.mul:
  func.func @five(%x: tensor<64xf32>, %y: tensor<64xf32>, %z: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
    %e = tensor.empty() : tensor<64xf32>
    %a = linalg.add ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %b = linalg.mul ins(%a, %z : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %a, %b : tensor<64xf32>, tensor<64xf32>
  }

  // CHECK-DAG: {{^}}producer-consumer{{ +}}yes{{ +}}-{{ +}}{{.*}} three:{{[0-9]+}}:linalg.add:{{.*}} -> three:{{[0-9]+}}:linalg.mul:
  func.func @three(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %a = linalg.add ins(%x, %y : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    %b = linalg.mul ins(%a, %x : tensor<64xf32>, tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    return %b : tensor<64xf32>
  }
}
