// RUN: fuse-opt %s --fuse-strip-markers | FileCheck %s

// All attributes of the dialect go, others stay.
// CHECK-LABEL: func.func @f
// CHECK:         call @g(%{{.+}}) {other.mark} : (f32) -> ()
func.func private @g(f32)
func.func @f(%x: f32) {
  call @g(%x) {fuse.class = #fuse.class<opaque, "a call">, fuse.ordinal = 3, other.mark} : (f32) -> ()
  return
}
