// RUN: fuse-opt %s --fuse-fold-updates --split-input-file | FileCheck %s

// The kernel that makes what is inserted stores it at its place.
// CHECK-LABEL: @own
// CHECK: %[[R:.*]] = fuse.kernel "exp" ins(%{{.*}}, %[[I:.*]] : tensor<1x64xf32>, index) outs(%[[CACHE:.*]] : tensor<16x64xf32>) -> (tensor<16x64xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<1x64xf32>, %[[AT:.*]]: index, %[[O:.*]]: tensor<16x64xf32>):
// CHECK: %[[S:.*]] = tensor.insert_slice %{{.*}} into %[[O]][%[[AT]], 0]
// CHECK-NEXT: fuse.yield %[[S]]
// CHECK: return %[[R]]
func.func @own(%x: tensor<1x64xf32>, %cache: tensor<16x64xf32>, %i: index)
    -> tensor<16x64xf32> {
  %e = tensor.empty() : tensor<1x64xf32>
  %k = fuse.kernel "exp" ins(%x : tensor<1x64xf32>)
      outs(%e : tensor<1x64xf32>) -> (tensor<1x64xf32>) {
  ^bb0(%a: tensor<1x64xf32>, %o: tensor<1x64xf32>):
    %0 = linalg.exp ins(%a : tensor<1x64xf32>) outs(%a : tensor<1x64xf32>)
        -> tensor<1x64xf32>
    fuse.yield %0 : tensor<1x64xf32>
  }
  %r = tensor.insert_slice %k into %cache[%i, 0] [1, 64] [1, 1]
      {fuse.in_place} : tensor<1x64xf32> into tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}

// -----

// A result that others need as well is stored twice.
// CHECK-LABEL: @twice
// CHECK: %[[R:.*]]:2 = fuse.kernel "exp" ins(%{{.*}} : tensor<1xf32>) outs(%{{.*}}, %{{.*}} : tensor<1xf32>, tensor<8xf32>)
// CHECK: %[[E:.*]] = linalg.exp
// CHECK: %[[C:.*]] = linalg.copy ins(%[[E]]
// CHECK: %[[I:.*]] = tensor.insert_slice %[[C]]
// CHECK: fuse.yield %[[E]], %[[I]]
// CHECK: return %[[R]]#1, %[[R]]#0
func.func @twice(%x: tensor<1xf32>, %b: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<1xf32>) {
  %e = tensor.empty() : tensor<1xf32>
  %l = fuse.kernel "exp" ins(%x : tensor<1xf32>)
      outs(%e : tensor<1xf32>) -> (tensor<1xf32>) {
  ^bb0(%in: tensor<1xf32>, %o: tensor<1xf32>):
    %0 = linalg.exp ins(%in : tensor<1xf32>) outs(%in : tensor<1xf32>)
        -> tensor<1xf32>
    fuse.yield %0 : tensor<1xf32>
  }
  %s = tensor.insert_slice %l into %b[1] [1] [1] {fuse.in_place}
      : tensor<1xf32> into tensor<8xf32>
  return %s, %l : tensor<8xf32>, tensor<1xf32>
}

// -----

// A kernel that reads the destination would see what it writes: another kernel
// inserts. So it is for what no kernel makes.
// CHECK-LABEL: @another
// CHECK: fuse.kernel "slice"
// CHECK: fuse.kernel "another_copy" ins(%{{.*}} : tensor<1xf32>) outs(%{{.*}} : tensor<8xf32>)
// CHECK: linalg.copy
// CHECK: tensor.insert_slice
// CHECK: fuse.kernel "another_copy_1" ins(%{{.*}} : tensor<1xf32>) outs(%{{.*}} : tensor<8xf32>)
func.func @another(%x: tensor<1xf32>, %a: tensor<8xf32>, %c: tensor<8xf32>)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<1xf32>
  %k = fuse.kernel "slice" ins(%a : tensor<8xf32>)
      outs(%e : tensor<1xf32>) -> (tensor<1xf32>) {
  ^bb0(%in: tensor<8xf32>, %o: tensor<1xf32>):
    %0 = tensor.extract_slice %in[0] [1] [1] : tensor<8xf32> to tensor<1xf32>
    fuse.yield %0 : tensor<1xf32>
  }
  %r = tensor.insert_slice %k into %a[1] [1] [1] {fuse.in_place}
      : tensor<1xf32> into tensor<8xf32>
  %t = tensor.insert_slice %x into %c[1] [1] [1] {fuse.in_place}
      : tensor<1xf32> into tensor<8xf32>
  return %r, %t : tensor<8xf32>, tensor<8xf32>
}
