// Three equal kernels are one function; each row has the counts of its own
// launch, and the results are right.
// RUN: fuse-run %s --device=h200 --report=%t.json | FileCheck %s
// RUN: %python -c "import json, sys; \
// RUN:   groups = json.load(open(sys.argv[1]))['groups']; \
// RUN:   assert len(groups) == 3, groups; \
// RUN:   assert len({g['name'] for g in groups}) == 3, groups; \
// RUN:   assert len({g['entry'] for g in groups}) == 1, groups; \
// RUN:   assert [g['counted_sectors']['unique'] for g in groups] == 3 * [1024]; \
// RUN:   assert len({g['shared_bytes'] for g in groups}) == 1, groups" %t.json

// CHECK-DAG: main_0_reduction row
// CHECK-DAG: main_1_reduction row
// CHECK-DAG: main_2_reduction row
// CHECK: kernels         {{[0-9]+}} -> 3
// CHECK-NEXT: compiled        1 kernels, to which the others are equal
// CHECK: verified        yes
func.func @main(%x: tensor<32x128xf32>) -> tensor<32x128xf32> {
  %e = tensor.empty() : tensor<32x128xf32>
  %0 = linalg.softmax dimension(1) ins(%x : tensor<32x128xf32>)
      outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %1 = fuse.boundary %0 : tensor<32x128xf32>
  %2 = linalg.softmax dimension(1) ins(%1 : tensor<32x128xf32>)
      outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  %3 = fuse.boundary %2 : tensor<32x128xf32>
  %4 = linalg.softmax dimension(1) ins(%3 : tensor<32x128xf32>)
      outs(%e : tensor<32x128xf32>) -> tensor<32x128xf32>
  return %4 : tensor<32x128xf32>
}
