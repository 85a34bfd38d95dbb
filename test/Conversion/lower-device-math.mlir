// RUN: fuse-opt %s --fuse-lower-device-math | FileCheck %s

// What PTX has an instruction for becomes an intrinsic; the rest, and code of
// the host, stays.
// CHECK-LABEL: gpu.func @device
// CHECK:         llvm.intr.fabs
// CHECK:         llvm.intr.sqrt{{.*}} (f16) -> f16
// CHECK:         llvm.intr.floor{{.*}} (vector<4xf32>) -> vector<4xf32>
// CHECK:         llvm.intr.maximum
// CHECK:         llvm.intr.ctlz
// CHECK:         math.exp
// CHECK-LABEL: func.func @host
// CHECK:         math.absf
gpu.module @k {
  gpu.func @device(%x: f32, %h: f16, %v: vector<4xf32>, %i: i32) kernel {
    %0 = math.absf %x : f32
    %1 = math.sqrt %h : f16
    %2 = math.floor %v : vector<4xf32>
    %3 = arith.maximumf %x, %0 : f32
    %4 = math.ctlz %i : i32
    %5 = math.exp %x : f32
    gpu.return
  }
}
func.func @host(%x: f32) -> f32 {
  %0 = math.absf %x : f32
  return %0 : f32
}
