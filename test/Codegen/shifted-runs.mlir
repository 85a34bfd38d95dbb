// A padded row of half types is read by the aligned vectors around it, whatever place
// of the window it is for; these are shifted and the zeros around the row put in.
// Tiles have whole windows, so a thread knows the places of its elements: three
// neighbouring ones of one channel are parts of one run, of which it loads three vectors
// (here those of two channels).
// RUN: fuse-opt %s --fuse-select-schedules="chip=sm_80" | FileCheck %s --check-prefix=TILE
// RUN: fuse-opt %s --fuse-select-schedules="chip=sm_80" --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// TILE-LABEL: fuse.kernel "rows"
// TILE-SAME:    depth = 48

// CHECK-LABEL: gpu.func @rows
// CHECK:         scf.for
// CHECK:           nvgpu.device_async_copy {{.*}}, 8
// CHECK-COUNT-6:   vector.load {{.*}} : memref<3072xf16>, vector<8xf16>
// CHECK-NOT:       vector.load {{.*}} : memref<3072xf16>
// CHECK-NOT:       memref.load
// CHECK:           nvgpu.ldmatrix
// CHECK:           llvm.intr.fshr
// CHECK-COUNT-6:   vector.store {{.*}} vector<8xf16>
// CHECK-NOT:       vector.store
// CHECK:           scf.yield
#x = affine_map<(o, p, c, i) -> (c, p + i)>
#w = affine_map<(o, p, c, i) -> (o, c, i)>
#r = affine_map<(o, p, c, i) -> (o, p)>
func.func @rows(%a: tensor<48x64xf16>, %b: tensor<64x48x3xf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = fuse.kernel "rows" ins(%a, %b : tensor<48x64xf16>, tensor<64x48x3xf16>) outs(%e : tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  ^bb0(%x: tensor<48x64xf16>, %w: tensor<64x48x3xf16>, %o: tensor<64x64xf32>):
    %zero = arith.constant 0.0 : f32
    %around = arith.constant 0.0 : f16
    %p = tensor.pad %x low[0, 1] high[0, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %around : f16
    } : tensor<48x64xf16> to tensor<48x66xf16>
    %em = tensor.empty() : tensor<64x64xf32>
    %f = linalg.fill ins(%zero : f32) outs(%em : tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = linalg.generic {indexing_maps = [#x, #w, #r], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%p, %w : tensor<48x66xf16>, tensor<64x48x3xf16>) outs(%f : tensor<64x64xf32>) {
    ^bb0(%l: f16, %m: f16, %s: f32):
      %0 = arith.extf %l : f16 to f32
      %1 = arith.extf %m : f16 to f32
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      linalg.yield %3 : f32
    } -> tensor<64x64xf32>
    fuse.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
