// RUN: fuse-opt %s --fuse-hoist-deallocs | FileCheck %s

// Up to the last use of the buffer or of a view of it, not further.
// CHECK-LABEL: func.func @view(
// CHECK:         %[[A:.+]] = memref.alloc()
// CHECK:         %[[V:.+]] = memref.collapse_shape %[[A]]
// CHECK:         memref.load %[[V]]
// CHECK-NEXT:    memref.dealloc %[[A]]
// CHECK-NEXT:    call @work
func.func private @work()
func.func @view(%i: index) -> f32 {
  %a = memref.alloc() : memref<2x4xf32>
  %v = memref.collapse_shape %a [[0, 1]] : memref<2x4xf32> into memref<8xf32>
  %x = memref.load %v[%i] : memref<8xf32>
  call @work() : () -> ()
  memref.dealloc %a : memref<2x4xf32>
  return %x : f32
}

// A loop that carries the buffer is a use; what is freed under a condition
// stays.
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for
// CHECK:         }
// CHECK-NEXT:    memref.load
// CHECK-NEXT:    memref.dealloc
// CHECK-NEXT:    call @work
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      memref.dealloc
func.func @loop(%n: index, %c: i1) -> f32 {
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<8xf32>
  %b = memref.alloc() : memref<8xf32>
  %r = scf.for %i = %c1 to %n step %c1 iter_args(%t = %a) -> memref<8xf32> {
    scf.yield %t : memref<8xf32>
  }
  %x = memref.load %r[%n] : memref<8xf32>
  call @work() : () -> ()
  scf.if %c {
    memref.dealloc %b : memref<8xf32>
  }
  memref.dealloc %a : memref<8xf32>
  return %x : f32
}
