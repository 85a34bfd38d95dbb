// RUN: fuse-opt %s --fuse-prune-launches | FileCheck %s

// An input that the device function does not use is not passed, by any launch.
// CHECK-LABEL: func.func @unused_input(
// CHECK-SAME:      %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-COUNT-2: fuse.launch @k::@f {{.*}} ins(%[[X]] : tensor<8xf32>) outs(
func.func @unused_input(%x: tensor<8xf32>, %y: tensor<8xf32>, %e: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %r = fuse.launch @k::@f grid(%c1) block(%c1) ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  %s = fuse.launch @k::@f grid(%c1) block(%c1) ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// Launches for nothing go, with what only they needed; so do their kernels. A
// result without elements is its destination.
// CHECK-LABEL: func.func @in_vain(
// CHECK-SAME:      %[[Z:[a-z0-9]+]]: tensor<0xf32>
// CHECK:         %[[R:.+]] = fuse.launch @k::@mixed {{.*}} outs(%{{.+}} : tensor<8xf32>) -> (tensor<8xf32>)
// CHECK-NOT:     fuse.launch
// CHECK:         return %[[Z]], %[[Z]], %[[R]]
func.func @in_vain(%z: tensor<0xf32>, %e: tensor<8xf32>) -> (tensor<0xf32>, tensor<0xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %a = fuse.launch @k::@empty grid(%c1) block(%c1) outs(%z : tensor<0xf32>) -> (tensor<0xf32>)
  %b:2 = fuse.launch @k::@mixed grid(%c1) block(%c1) outs(%z, %e : tensor<0xf32>, tensor<8xf32>) -> (tensor<0xf32>, tensor<8xf32>)
  %c = fuse.launch @k::@dead grid(%c1) block(%c1) ins(%b#1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  %d = fuse.launch @k::@dead grid(%c1) block(%c1) ins(%c : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  return %a, %b#0, %b#1 : tensor<0xf32>, tensor<0xf32>, tensor<8xf32>
}

// CHECK-LABEL: gpu.func @f(
// CHECK-SAME:      %{{[a-z0-9]+}}: memref<8xf32>, %{{[a-z0-9]+}}: memref<8xf32> {llvm.noundef}) workgroup({{.*}} : memref<4xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-NOT:   @empty
// CHECK-NOT:   @dead
// CHECK-LABEL: gpu.func @mixed(
// CHECK-SAME:      %{{[a-z0-9]+}}: memref<8xf32>) kernel
// CHECK-LABEL: gpu.func @never_launched(
// CHECK-SAME:      %{{[a-z0-9]+}}: memref<8xf32>) kernel
gpu.module @k {
  gpu.func @f(%a: memref<8xf32>, %unused: memref<8xf32>, %b: memref<8xf32> {llvm.noundef}) workgroup(%s: memref<4xf32, #gpu.address_space<workgroup>>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %a[%t] : memref<8xf32>
    memref.store %v, %b[%t] : memref<8xf32>
    gpu.return
  }
  gpu.func @empty(%a: memref<0xf32>) kernel {
    gpu.return
  }
  gpu.func @mixed(%a: memref<0xf32>, %b: memref<8xf32>) kernel {
    gpu.return
  }
  gpu.func @dead(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
    %t = gpu.thread_id x
    %v = memref.load %a[%t] : memref<8xf32>
    memref.store %v, %b[%t] : memref<8xf32>
    gpu.return
  }
  gpu.func @never_launched(%a: memref<8xf32>) kernel {
    gpu.return
  }
}
