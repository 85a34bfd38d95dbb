// RUN: fuse-opt %s --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

#id = affine_map<(i) -> (i)>

// Two halves made from two halves made from two halves: where it is known which
// half is asked for, it is known for the halves that this one is made from. A
// chain of them is as long as it has steps, not as it has ways through.
// CHECK-LABEL: gpu.func @halves
// CHECK:         arith.cmpi sle, %{{.+}}, %c31
// CHECK-COUNT-1: = scf.if
// CHECK-NOT:     scf.if
// CHECK:           memref.load
// CHECK:           arith.mulf
// CHECK:           arith.addf
// CHECK:           arith.mulf
// CHECK-NOT:     scf.if
// CHECK:         } else {
// CHECK-NOT:     scf.if
// CHECK:         gpu.return
func.func @halves(%x: tensor<64xf32>, %e: tensor<64xf32>) -> tensor<64xf32> {
  %r = fuse.kernel "halves" ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> (tensor<64xf32>) {
  ^bb0(%a: tensor<64xf32>, %o: tensor<64xf32>):
    %h = tensor.empty() : tensor<32xf32>
    %w = tensor.empty() : tensor<64xf32>
    %a0 = tensor.extract_slice %a[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %a1 = tensor.extract_slice %a[32] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %b0 = linalg.mul ins(%a0, %a1 : tensor<32xf32>, tensor<32xf32>) outs(%h : tensor<32xf32>) -> tensor<32xf32>
    %b1 = linalg.add ins(%a0, %a1 : tensor<32xf32>, tensor<32xf32>) outs(%h : tensor<32xf32>) -> tensor<32xf32>
    %b = tensor.concat dim(0) %b0, %b1 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
    %b2 = tensor.extract_slice %b[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %b3 = tensor.extract_slice %b[32] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %c0 = linalg.mul ins(%b2, %b3 : tensor<32xf32>, tensor<32xf32>) outs(%h : tensor<32xf32>) -> tensor<32xf32>
    %c1 = linalg.sub ins(%b2, %b3 : tensor<32xf32>, tensor<32xf32>) outs(%h : tensor<32xf32>) -> tensor<32xf32>
    %c = tensor.concat dim(0) %c0, %c1 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
    %d = linalg.add ins(%c, %b : tensor<64xf32>, tensor<64xf32>) outs(%w : tensor<64xf32>) -> tensor<64xf32>
    %d0 = tensor.extract_slice %d[0] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %d1 = tensor.extract_slice %d[32] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %f0 = linalg.mul ins(%d0, %d1 : tensor<32xf32>, tensor<32xf32>) outs(%h : tensor<32xf32>) -> tensor<32xf32>
    %f1 = linalg.sub ins(%d0, %d1 : tensor<32xf32>, tensor<32xf32>) outs(%h : tensor<32xf32>) -> tensor<32xf32>
    %f = tensor.concat dim(0) %f0, %f1 : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
    fuse.yield %f : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
