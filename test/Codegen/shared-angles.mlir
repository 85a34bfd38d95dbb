// Rotary positions: an angle is the same for all heads, and for both halves of a
// row. A thread owns elements of both halves, half a row apart, and computes each
// angle's sine and cosine once; nothing asks which half an element lies in.
// RUN: fuse-opt %s --fuse-normalize-ops --fuse-plan --fuse-isolate-groups --fuse-select-schedules | FileCheck %s --check-prefix=SCHEDULE
// RUN: fuse-opt %s --fuse-normalize-ops --fuse-plan --fuse-isolate-groups --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s
// RUN: fuse-run %s | FileCheck %s --check-prefix=VALUES

// SCHEDULE-COUNT-1: #fuse.schedule<pointwise, rows = 262144, columns = 1, grid = 256, threads = 128, positions = 2, vector = 4, residency = none, layout = (d0, d1, d2, d3) -> (((d0 * 16 + d1 floordiv 8) * 2 + d2) * 32 + (d1 mod 8) * 4 + d3)>

// CHECK-LABEL:   gpu.func
// CHECK-NOT:     scf.if
// CHECK-COUNT-4: math.cos
// CHECK-NOT:     math.cos
// CHECK-COUNT-2: vector.store
// CHECK-NOT:     vector.store
// CHECK:         gpu.return

// VALUES: kernels         6 -> 1
// VALUES: verified        yes
#full = affine_map<(h, i, j) -> (h, i, j)>
#pos = affine_map<(h, i, j) -> (i)>
func.func @main(%x: tensor<32x128x64xf32>, %positions: tensor<128xi64>, %frequencies: tensor<32xf32>) -> tensor<32x128x64xf32> {
%lo = tensor.extract_slice %x[0, 0, 0] [32, 128, 32] [1, 1, 1] : tensor<32x128x64xf32> to tensor<32x128x32xf32>
%hi = tensor.extract_slice %x[0, 0, 32] [32, 128, 32] [1, 1, 1] : tensor<32x128x64xf32> to tensor<32x128x32xf32>
%e = tensor.empty() : tensor<32x128x32xf32>
%n = linalg.generic {indexing_maps = [#full, #full], iterator_types = ["parallel", "parallel", "parallel"]} ins(%hi : tensor<32x128x32xf32>) outs(%e : tensor<32x128x32xf32>) {
^bb0(%p: f32, %o: f32):
%s = arith.negf %p : f32
linalg.yield %s : f32
} -> tensor<32x128x32xf32>
%w = tensor.concat dim(2) %n, %lo : (tensor<32x128x32xf32>, tensor<32x128x32xf32>) -> tensor<32x128x64xf32>
%f = tensor.concat dim(0) %frequencies, %frequencies : (tensor<32xf32>, tensor<32xf32>) -> tensor<64xf32>
%y = tensor.empty() : tensor<32x128x64xf32>
%r = linalg.generic {indexing_maps = [#full, #full, #pos, affine_map<(h, i, j) -> (j)>, #full], iterator_types = ["parallel", "parallel", "parallel"]} ins(%x, %w, %positions, %f : tensor<32x128x64xf32>, tensor<32x128x64xf32>, tensor<128xi64>, tensor<64xf32>) outs(%y : tensor<32x128x64xf32>) {
^bb0(%p: f32, %q: f32, %i: i64, %g: f32, %o: f32):
%k = arith.sitofp %i : i64 to f32
%a = arith.mulf %k, %g : f32
%c = math.cos %a : f32
%s = math.sin %a : f32
%u = arith.mulf %p, %c : f32
%v = arith.mulf %q, %s : f32
%t = arith.addf %u, %v : f32
linalg.yield %t : f32
} -> tensor<32x128x64xf32>
return %r : tensor<32x128x64xf32>
}
