// RUN: fuse-opt %s --split-input-file --fuse-bufferize-host | FileCheck %s
// RUN: fuse-opt %s --split-input-file --fuse-bufferize-host=results=out-params | FileCheck %s --check-prefix=OUT

// A launch reads its `ins` and overwrites its `outs`; intermediates are freed
// after their last use, the result is the caller's.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:      %[[X:.+]]: memref<8xf32>, %{{.+}}: index) -> memref<8xf32>
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK-NEXT:    fuse.launch @k::@f {{.*}} ins(%[[X]] : memref<8xf32>) outs(%[[A]] : memref<8xf32>)
// CHECK-NEXT:    %[[B:.+]] = memref.alloc()
// CHECK-NEXT:    fuse.launch @k::@f {{.*}} ins(%[[A]] : memref<8xf32>) outs(%[[B]] : memref<8xf32>)
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    return %[[B]]
// OUT-LABEL: func.func @chain(
// OUT-SAME:      %[[X:.+]]: memref<8xf32>, %{{.+}}: index, %[[R:.+]]: memref<8xf32> {bufferize.result})
// OUT:         fuse.launch {{.*}} outs(%[[R]] : memref<8xf32>)
// OUT-NOT:     memref.copy
// OUT:         return
func.func @chain(%x: tensor<8xf32>, %g: index) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = fuse.launch @k::@f grid(%g) block(%g) ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  %b = fuse.launch @k::@f grid(%g) block(%g) ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  return %b : tensor<8xf32>
}

// -----

// Two results that start as one uninitialized tensor get a buffer each; a
// tensor that is both read and written is not written in place.
// CHECK-LABEL: func.func @apart(
// CHECK-SAME:      %[[X:.+]]: memref<8xf32>
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK:         %[[B:.+]] = memref.alloc()
// CHECK:         fuse.launch @k::@two {{.*}} ins(%[[X]] : {{.*}}) outs(%[[A]], %[[B]] :
// CHECK:         %[[C:.+]] = memref.alloc()
// CHECK:         fuse.launch @k::@f {{.*}} ins(%[[A]] : {{.*}}) outs(%[[C]] :
func.func @apart(%x: tensor<8xf32>, %g: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a:2 = fuse.launch @k::@two grid(%g) block(%g) ins(%x : tensor<8xf32>) outs(%e, %e : tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  %c = fuse.launch @k::@f grid(%g) block(%g) ins(%a#0 : tensor<8xf32>) outs(%a#0 : tensor<8xf32>) -> (tensor<8xf32>)
  return %a#0, %a#1, %c : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Kernels see contiguous buffers: a slice is copied.
// CHECK-LABEL: func.func @slice(
// CHECK:         %[[S:.+]] = memref.subview
// CHECK:         memref.copy %[[S]], %[[C:[^ ]+]] :
// CHECK:         fuse.launch {{.*}} ins(%[[C]] : memref<4x4xf32>)
func.func @slice(%x: tensor<8x8xf32>, %g: index) -> tensor<4x4xf32> {
  %s = tensor.extract_slice %x[0, 4] [4, 4] [1, 1] : tensor<8x8xf32> to tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %r = fuse.launch @k::@g grid(%g) block(%g) ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> (tensor<4x4xf32>)
  return %r : tensor<4x4xf32>
}

// -----

// Arguments are never written, and a result is never an argument or given
// twice: the caller owns each by itself.
// CHECK-LABEL: func.func @results(
// CHECK-SAME:      %[[X:.+]]: memref<8xf32>
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK:         fuse.launch {{.*}} ins(%[[X]] : {{.*}}) outs(%[[A]] :
// CHECK:         memref.copy %[[A]], %[[A2:.+]] :
// CHECK:         %[[X2:.+]] = bufferization.clone %[[X]]
// CHECK:         return %[[X2]], %[[A]], %[[A2]]
// OUT-LABEL: func.func @results(
// OUT-SAME:      %[[X:.+]]: memref<8xf32>, %{{.+}}: index, %[[RX:.+]]: memref<8xf32> {bufferize.result}, %[[RA:.+]]: memref<8xf32> {bufferize.result}, %[[RB:.+]]: memref<8xf32> {bufferize.result})
// OUT:         fuse.launch {{.*}} outs(%[[RA]] :
// OUT-DAG:     memref.copy %[[RA]], %[[RB]]
// OUT-DAG:     memref.copy %[[X]], %[[RX]]
func.func @results(%x: tensor<8xf32>, %g: index) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %a = fuse.launch @k::@f grid(%g) block(%g) ins(%x : tensor<8xf32>) outs(%x : tensor<8xf32>) -> (tensor<8xf32>)
  return %x, %a, %a : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// Callers free what they are given; declarations and recursion are fine.
// CHECK-LABEL: func.func private @declared(memref<8xf32>) -> memref<8xf32>
// CHECK-LABEL: func.func private @again(
// CHECK-LABEL: func.func @calls(
// CHECK:         %[[A:.+]] = call @declared
// CHECK:         %[[B:.+]] = call @again(%[[A]]
// CHECK:         memref.dealloc %[[A]]
// CHECK:         return %[[B]]
func.func private @declared(tensor<8xf32>) -> tensor<8xf32>
func.func private @again(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %done = arith.cmpi eq, %n, %c0 : index
  %r = scf.if %done -> tensor<8xf32> {
    scf.yield %x : tensor<8xf32>
  } else {
    %m = arith.subi %n, %c1 : index
    %s = func.call @again(%x, %m) : (tensor<8xf32>, index) -> tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @calls(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  %a = call @declared(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %b = call @again(%a, %n) : (tensor<8xf32>, index) -> tensor<8xf32>
  return %b : tensor<8xf32>
}

// -----

// Code on buffers stays as it is, and so do operators of class `opaque`.
// CHECK-LABEL: func.func @buffers(
// CHECK:         linalg.exp ins(%{{.+}} : memref<8xf32>)
// CHECK-NOT:     memref.dealloc
// CHECK-LABEL: func.func @opaque(
// CHECK:         linalg.exp {{.*}} ins(%{{.+}} : memref<8xf32>)
func.func @buffers(%x: memref<8xf32>) -> memref<8xf32> {
  %a = memref.alloc() : memref<8xf32>
  linalg.exp ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  return %x : memref<8xf32>
}
func.func @opaque(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp {fuse.class = #fuse.class<opaque, "test">} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// Marks of the user, which only operators with results may have, end here.
// CHECK-LABEL: func.func @marked(
// CHECK:         linalg.exp {fuse.class
// CHECK-NOT:     fuse.never_fuse
// CHECK-NOT:     fuse.must_fuse
// CHECK:         return
func.func @marked(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp {fuse.class = #fuse.class<opaque, "test">, fuse.never_fuse, fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a : tensor<8xf32>
}

// -----

// Who frees a buffer by hand goes on doing so.
// CHECK-LABEL: func.func @by_hand(
// CHECK:         %[[M:.+]] = memref.alloc() : memref<8xf32>
// CHECK:         %[[A:.+]] = memref.alloc() {{.*}} : memref<8xf32>
// CHECK:         fuse.launch
// CHECK-COUNT-1: memref.dealloc %[[M]]
// CHECK-NOT:     memref.dealloc
// CHECK:         return %[[A]]
func.func @by_hand(%x: tensor<8xf32>, %v: f32, %g: index) -> tensor<8xf32> {
  %m = memref.alloc() : memref<8xf32>
  memref.store %v, %m[%g] : memref<8xf32>
  %e = tensor.empty() : tensor<8xf32>
  %a = fuse.launch @k::@f grid(%g) block(%g) ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  memref.dealloc %m : memref<8xf32>
  return %a : tensor<8xf32>
}

// -----

// A launch that writes a part of its destination reads the rest of it: in place
// where nothing else needs it, else in a copy.
// CHECK-LABEL: func.func @updates(
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK:         fuse.launch @k::@f {{.*}} outs(%[[A]] : memref<8xf32>)
// CHECK-NOT:     memref.copy
// CHECK:         fuse.launch @k::@u {{.*}} outs(%[[A]] : memref<8xf32>) {fuse.updates = array<i32: 0>}
// CHECK:         %[[B:.+]] = memref.alloc()
// CHECK:         memref.copy %[[A]], %[[B]]
// CHECK:         fuse.launch @k::@u {{.*}} outs(%[[B]] : memref<8xf32>) {fuse.updates = array<i32: 0>}
// CHECK:         return %[[A]], %[[B]]
func.func @updates(%x: tensor<8xf32>, %g: index)
    -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %0 = fuse.launch @k::@f grid(%g) block(%g) ins(%x : tensor<8xf32>)
      outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  %1 = fuse.launch @k::@u grid(%g) block(%g) ins(%x : tensor<8xf32>)
      outs(%0 : tensor<8xf32>) -> (tensor<8xf32>)
      {fuse.updates = array<i32: 0>}
  %2 = fuse.launch @k::@u grid(%g) block(%g) ins(%x : tensor<8xf32>)
      outs(%1 : tensor<8xf32>) -> (tensor<8xf32>)
      {fuse.updates = array<i32: 0>}
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
