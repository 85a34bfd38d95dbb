// RUN: fuse-opt %s --fuse-attach-device --fuse-strip-markers | FileCheck %s --check-prefixes=CHECK,KEEP
// RUN: fuse-opt %s --fuse-attach-device --fuse-strip-markers=device | FileCheck %s --check-prefixes=CHECK,STRIP

// All attributes of the dialect go, others stay.
// KEEP:        dlti.target_system_spec
// STRIP-NOT:   dlti
// CHECK-LABEL: func.func @f
// CHECK:         call @g(%{{.+}}) {other.mark} : (f32) -> ()
func.func private @g(f32)
func.func @f(%x: f32) {
  call @g(%x) {fuse.class = #fuse.class<opaque, "a call">, fuse.ordinal = 3, other.mark} : (f32) -> ()
  return
}
