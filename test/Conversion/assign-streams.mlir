// RUN: fuse-opt %s --split-input-file --fuse-assign-streams | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-assign-streams=stream=default | FileCheck %s --check-prefix=DEF
// RUN: not fuse-opt %s --fuse-assign-streams=stream=gulf 2>&1 | FileCheck %s --check-prefix=ERR

// ERR: error: expected option 'stream' to be 'own' or 'default', but got 'gulf'

// One stream for the whole function; the host waits before it returns. On the
// default stream nothing waits.
// CHECK-LABEL: func.func @straight(
// CHECK:         %[[S:.+]] = llvm.call @mgpuStreamCreate()
// CHECK:         %[[T:.+]] = builtin.unrealized_conversion_cast %[[S]] : !llvm.ptr to !gpu.async.token
// CHECK:         gpu.alloc async [%[[T]]]
// CHECK:         gpu.memcpy async [%[[T]]]
// CHECK-NOT:     mgpuStreamSynchronize
// CHECK:         gpu.launch_func async [%[[T]]]
// CHECK:         gpu.dealloc async [%[[T]]]
// CHECK:         llvm.call @mgpuStreamSynchronize(%[[S]])
// CHECK:         llvm.call @mgpuStreamDestroy(%[[S]])
// CHECK-NEXT:    return
// DEF-LABEL: func.func @straight(
// DEF:         %[[S:.+]] = llvm.mlir.zero : !llvm.ptr
// DEF:         %[[T:.+]] = builtin.unrealized_conversion_cast %[[S]]
// DEF:         gpu.launch_func async [%[[T]]]
// DEF-NOT:     llvm.call
// DEF:         return
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @straight(%x: memref<8xf32>, %g: index) {
    %a = gpu.alloc () : memref<8xf32>
    gpu.memcpy %a, %x : memref<8xf32>, memref<8xf32>
    gpu.launch_func @k::@f blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%a : memref<8xf32>)
    gpu.dealloc %a : memref<8xf32>
    return
  }
}

// -----

// The host waits before it reads what the device wrote, once; memory of its
// own needs no waiting. In a loop the wait is repeated.
// CHECK-LABEL: func.func @reads(
// CHECK:         %[[A:.+]] = gpu.alloc host_shared ()
// CHECK:         memref.store %{{.+}}, %[[A]]
// CHECK:         gpu.launch_func
// CHECK:         memref.load %arg
// CHECK:         llvm.call @mgpuStreamSynchronize
// CHECK-NEXT:    memref.load %[[A]]
// CHECK-NEXT:    memref.load %[[A]]
// CHECK:         scf.for
// CHECK:           llvm.call @mgpuStreamSynchronize
// CHECK-NEXT:      memref.load %[[A]]
// CHECK:           gpu.launch_func
// DEF-LABEL: func.func @reads(
// DEF:         %[[S:.+]] = llvm.mlir.zero : !llvm.ptr
// DEF:         llvm.call @mgpuStreamSynchronize(%[[S]])
// DEF-NEXT:    memref.load
module attributes {gpu.container_module} {
  gpu.module @k {
    gpu.func @f(%a: memref<8xf32>) kernel {
      gpu.return
    }
  }
  func.func @reads(%h: memref<8xf32>, %v: f32, %g: index) {
    %c1 = arith.constant 1 : index
    %a = gpu.alloc host_shared () : memref<8xf32>
    memref.store %v, %a[%g] : memref<8xf32>
    gpu.launch_func @k::@f blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%a : memref<8xf32>)
    %0 = memref.load %h[%g] : memref<8xf32>
    %1 = memref.load %a[%g] : memref<8xf32>
    %2 = memref.load %a[%c1] : memref<8xf32>
    scf.for %i = %g to %g step %c1 {
      %3 = memref.load %a[%g] : memref<8xf32>
      gpu.launch_func @k::@f blocks in (%g, %g, %g) threads in (%g, %g, %g) args(%a : memref<8xf32>)
    }
    gpu.dealloc %a : memref<8xf32>
    return
  }
}
