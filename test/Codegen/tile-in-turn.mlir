// Elements of a factor that are computed on the way to shared memory are under way in
// registers while the present tile is multiplied, if they fit beside the sums; else a
// loop fills the next stage, some at a time. A tile's sums may have all registers.
// RUN: fuse-opt %s --split-input-file --fuse-select-schedules="chip=sm_80" --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// CHECK-LABEL: gpu.func @held
// CHECK-SAME:    nvvm.minctasm = 1 : i32
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           gpu.barrier
// CHECK-NOT:       scf.for
// CHECK:           math.exp
// CHECK:           nvgpu.ldmatrix
// CHECK:           store {{.*}}#gpu.address_space<workgroup>
// CHECK:         gpu.return
func.func @held(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf32> {
  %e = tensor.empty() : tensor<256x256xf32>
  %r = fuse.kernel "held" ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%e : tensor<256x256xf32>) -> (tensor<256x256xf32>) {
  ^bb0(%p: tensor<256x256xf16>, %q: tensor<256x256xf16>, %o: tensor<256x256xf32>):
    %zero = arith.constant 0.0 : f32
    %eh = tensor.empty() : tensor<256x256xf16>
    %em = tensor.empty() : tensor<256x256xf32>
    %x = linalg.exp ins(%p : tensor<256x256xf16>) outs(%eh : tensor<256x256xf16>) -> tensor<256x256xf16>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<256x256xf32>) -> tensor<256x256xf32>
    %m = linalg.matmul {fuse.tile = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 2, column_warps = 2, stages = 2, group = 1, parts = 1, unit = mma, async = true>} ins(%x, %q : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
    fuse.yield %m : tensor<256x256xf32>
  }
  return %r : tensor<256x256xf32>
}

// -----

// One warp has 128 x 64 elements of each factor to fetch.
// CHECK-LABEL: gpu.func @turns
// CHECK:         scf.for {{.*}} iter_args
// CHECK:           gpu.barrier
// CHECK:           scf.for
// CHECK:             math.exp
// CHECK:             store {{.*}}#gpu.address_space<workgroup>
// CHECK:           nvgpu.ldmatrix
// CHECK:         gpu.return
func.func @turns(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf32> {
  %e = tensor.empty() : tensor<256x256xf32>
  %r = fuse.kernel "turns" ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%e : tensor<256x256xf32>) -> (tensor<256x256xf32>) {
  ^bb0(%p: tensor<256x256xf16>, %q: tensor<256x256xf16>, %o: tensor<256x256xf32>):
    %zero = arith.constant 0.0 : f32
    %eh = tensor.empty() : tensor<256x256xf16>
    %em = tensor.empty() : tensor<256x256xf32>
    %x = linalg.exp ins(%p : tensor<256x256xf16>) outs(%eh : tensor<256x256xf16>) -> tensor<256x256xf16>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<256x256xf32>) -> tensor<256x256xf32>
    %m = linalg.matmul {fuse.tile = #fuse.tile<rows = 128, columns = 32, depth = 64, row_warps = 1, column_warps = 1, stages = 2, group = 1, parts = 1, unit = mma, async = true>} ins(%x, %q : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
    fuse.yield %m : tensor<256x256xf32>
  }
  return %r : tensor<256x256xf32>
}
