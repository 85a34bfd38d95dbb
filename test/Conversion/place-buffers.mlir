// RUN: fuse-opt %s --split-input-file --fuse-place-buffers --cse | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-place-buffers=memory=device --cse | FileCheck %s --check-prefix=DEV
// RUN: not fuse-opt %s --split-input-file --fuse-place-buffers=memory=moon 2>&1 | FileCheck %s --check-prefix=ERR

// ERR: error: expected option 'memory' to be 'host' or 'device', but got 'moon'

// An argument is copied to the device once, before its first kernel, and the
// copy is freed after its last; a launch whose number of blocks is known at run
// time only is guarded; a result is copied to host memory. What only
// kernels use is device memory. With memory=device nothing is copied.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:      %[[X:.+]]: memref<8xf32>,
// CHECK:         %[[A:.+]] = gpu.alloc () : memref<8xf32>
// CHECK:         %[[DX:.+]] = gpu.alloc () : memref<8xf32>
// CHECK-NEXT:    gpu.memcpy %[[DX]], %[[X]]
// CHECK:         gpu.launch_func @k::@f {{.*}} args(%[[DX]] : memref<8xf32>, %[[A]] : memref<8xf32>)
// CHECK:         %[[B:.+]] = gpu.alloc () : memref<8xf32>
// CHECK-NOT:     gpu.memcpy
// CHECK:         gpu.launch_func @k::@two {{.*}} args(%[[DX]] : memref<8xf32>, %[[A]] : memref<8xf32>, %[[B]] : memref<8xf32>)
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.dealloc %[[DX]]
// CHECK-NEXT:    gpu.dealloc %[[A]]
// CHECK-NEXT:    %[[H:.+]] = memref.alloc()
// CHECK-NEXT:    gpu.memcpy %[[H]], %[[B]]
// CHECK-NEXT:    gpu.dealloc %[[B]]
// CHECK-NEXT:    return %[[H]]
// DEV-LABEL: func.func @chain(
// DEV-NOT:     gpu.memcpy
// DEV:         return
gpu.module @k {
  gpu.func @f(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
    gpu.return
  }
  gpu.func @two(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) kernel {
    gpu.return
  }
}
func.func @chain(%x: memref<8xf32>, %g: index) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  fuse.launch @k::@f grid(%g) block(%g) ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = memref.alloc() : memref<8xf32>
  fuse.launch @k::@two grid(%g) block(%g) ins(%x, %a : memref<8xf32>, memref<8xf32>) outs(%b : memref<8xf32>)
  memref.dealloc %a : memref<8xf32>
  return %b : memref<8xf32>
}

// -----

// Memory that host code reads as well is shared; what no kernel uses stays.
// CHECK-LABEL: func.func @shared(
// CHECK:         gpu.alloc host_shared () : memref<8xf32>
// CHECK:         memref.load
// CHECK:         memref.alloc() : memref<4xf32>
gpu.module @k {
  gpu.func @f(%a: memref<8xf32>) kernel {
    gpu.return
  }
}
func.func @shared(%g: index) -> f32 {
  %a = memref.alloc() : memref<8xf32>
  fuse.launch @k::@f grid(%g) block(%g) outs(%a : memref<8xf32>)
  %v = memref.load %a[%g] : memref<8xf32>
  memref.dealloc %a : memref<8xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.store %v, %b[%g] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return %v : f32
}

// -----

// Buffers a loop carries are one class; the argument joins it as a copy.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:      %[[X:.+]]: memref<8xf32>,
// CHECK:         %[[DX:.+]] = gpu.alloc ()
// CHECK-NEXT:    gpu.memcpy %[[DX]], %[[X]]
// CHECK:         scf.for {{.*}} iter_args(%[[A:.+]] = %[[DX]])
// CHECK:           %[[B:.+]] = gpu.alloc ()
// CHECK:           gpu.launch_func {{.*}} args(%[[A]] : memref<8xf32>, %[[B]] : memref<8xf32>)
// CHECK:         gpu.dealloc %[[DX]]
gpu.module @k {
  gpu.func @f(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
    gpu.return
  }
}
func.func @loop(%x: memref<8xf32>, %n: index) -> memref<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> memref<8xf32> {
    %b = memref.alloc() : memref<8xf32>
    fuse.launch @k::@f grid(%c1) block(%c1) ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
    scf.yield %b : memref<8xf32>
  }
  %c = memref.alloc() : memref<8xf32>
  memref.copy %r, %c : memref<8xf32> to memref<8xf32>
  return %c : memref<8xf32>
}

// -----

// A buffer argument that is written is not ours to place: the launch works on
// a copy, which is copied back.
// CHECK-LABEL: func.func @written(
// CHECK-SAME:      %[[X:.+]]: memref<8xf32>,
// CHECK:         memref.store %{{.+}}, %[[X]]
// CHECK:         %[[I:.+]] = gpu.alloc ()
// CHECK:         gpu.memcpy %[[I]], %[[X]]
// CHECK:         %[[O:.+]] = gpu.alloc ()
// CHECK:         gpu.launch_func {{.*}} args(%[[I]] : memref<8xf32>, %[[O]] : memref<8xf32>)
// CHECK:         gpu.memcpy %[[X]], %[[O]]
// DEV-LABEL: func.func @written(
// DEV-SAME:      %[[X:.+]]: memref<8xf32>,
// DEV:         %[[H:.+]] = memref.alloc()
// DEV:         gpu.memcpy %[[H]], %[[X]]
// DEV:         memref.store %{{.+}}, %[[H]]
// DEV:         gpu.memcpy %[[X]], %[[H]]
// DEV:         memref.dealloc %[[H]]
// DEV:         gpu.launch_func {{.*}} args(%[[X]] : memref<8xf32>, %[[X]] : memref<8xf32>)
gpu.module @k {
  gpu.func @f(%a: memref<8xf32>, %b: memref<8xf32>) kernel {
    gpu.return
  }
}
func.func @written(%x: memref<8xf32>, %v: f32) {
  %c1 = arith.constant 1 : index
  memref.store %v, %x[%c1] : memref<8xf32>
  fuse.launch @k::@f grid(%c1) block(%c1) ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  return
}

// -----

// What a call gives is moved to the device; a constant is uploaded in either
// mode; a callee that launches kernels gets device memory with memory=device.
// CHECK-LABEL: func.func @calls(
// CHECK:         %[[C:.+]] = memref.get_global @c
// CHECK:         %[[R:.+]] = call @given
// CHECK:         %[[DR:.+]] = gpu.alloc ()
// CHECK:         gpu.memcpy %[[DR]], %[[R]]
// CHECK:         memref.dealloc %[[R]]
// CHECK:         gpu.memcpy %[[DC:.+]], %[[C]] :
// CHECK:         gpu.launch_func {{.*}} args(%[[DR]] : memref<8xf32>, %[[DC]] : memref<8xf32>, %{{.+}} : memref<8xf32>)
// DEV-LABEL: func.func @caller(
// DEV:         %[[DC:.+]] = gpu.alloc ()
// DEV:         gpu.memcpy %[[DC]], %{{.+}}
// DEV:         call @callee(%[[DC]])
gpu.module @k {
  gpu.func @f(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>) kernel {
    gpu.return
  }
}
memref.global "private" constant @c : memref<8xf32> = dense<1.0>
func.func private @given() -> memref<8xf32>
func.func @calls(%g: index) {
  %c = memref.get_global @c : memref<8xf32>
  %r = call @given() : () -> memref<8xf32>
  %a = memref.alloc() : memref<8xf32>
  fuse.launch @k::@f grid(%g) block(%g) ins(%r, %c : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  memref.dealloc %a : memref<8xf32>
  memref.dealloc %r : memref<8xf32>
  return
}
func.func @callee(%x: memref<8xf32>) {
  %g = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  fuse.launch @k::@f grid(%g) block(%g) ins(%x, %x : memref<8xf32>, memref<8xf32>) outs(%a : memref<8xf32>)
  memref.dealloc %a : memref<8xf32>
  return
}
func.func @caller() {
  %c = memref.get_global @c : memref<8xf32>
  call @callee(%c) : (memref<8xf32>) -> ()
  return
}
