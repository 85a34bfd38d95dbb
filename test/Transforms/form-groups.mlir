// Which operators end in one group, by kind of candidate and strategy.
// RUN: fuse-opt %s --fuse-form-groups | FileCheck %s
// RUN: fuse-opt %s --fuse-form-groups=strategy=none | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-form-groups=strategy=max | FileCheck %s --check-prefix=MAX
// RUN: fuse-opt %s --fuse-form-groups=cost-model=never | FileCheck %s --check-prefix=NONE
// RUN: fuse-opt %s --fuse-form-groups=mode=producer-consumer | FileCheck %s --check-prefix=PC
// RUN: fuse-opt %s --fuse-form-groups=mode=sibling | FileCheck %s --check-prefix=SIBLING

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// A chain is one kernel, and the empty tensor goes with it.
// CHECK-LABEL: func @chain
// CHECK-SAME: %[[X:.*]]: tensor<64x128xf32>
// CHECK-NEXT: %[[R:.*]] = fuse.group "chain_0_exp" -> (tensor<64x128xf32>)
// CHECK-SAME: op_class = #fuse.class<injective,
// CHECK-NEXT: %[[E:.*]] = tensor.empty
// CHECK-NEXT: %[[A:.*]] = linalg.exp ins(%[[X]] : {{.*}}) outs(%[[E]]
// CHECK-NEXT: %[[B:.*]] = linalg.abs ins(%[[A]] :
// CHECK-NEXT: fuse.yield %[[B]]
// CHECK: return %[[R]]
// NONE-LABEL: func @chain
// NONE: %[[A:.*]] = fuse.group "chain_0_exp"
// NONE: fuse.group "chain_1_abs"
// NONE: linalg.abs ins(%[[A]] :
// MAX-LABEL: func @chain
// MAX: fuse.group
// MAX-NOT: fuse.group
// MAX: return
// PC-LABEL: func @chain
// PC: fuse.group
// PC-NOT: fuse.group
// PC: return
// SIBLING-LABEL: func @chain
// SIBLING: fuse.group
// SIBLING: fuse.group
func.func @chain(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}

// A value that others need as well is one more result of the group.
// CHECK-LABEL: func @two_outputs
// CHECK: %[[R:.*]]:2 = fuse.group
// CHECK: %[[A:.*]] = linalg.exp
// CHECK: %[[B:.*]] = linalg.abs ins(%[[A]]
// CHECK: fuse.yield %[[A]], %[[B]]
// CHECK-NOT: fuse.group
// CHECK: return %[[R]]#0, %[[R]]#1
func.func @two_outputs(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %a, %b : tensor<64x128xf32>, tensor<64x128xf32>
}

// Both ways of a diamond meet in one kernel.
// CHECK-LABEL: func @diamond
// CHECK: fuse.group
// CHECK-NOT: fuse.group
// CHECK: return
func.func @diamond(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %c = linalg.negf ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %d = linalg.add ins(%b, %c : tensor<64x128xf32>, tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %d : tensor<64x128xf32>
}

// Two readers of one input with equal iteration spaces are siblings.
// CHECK-LABEL: func @siblings
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: linalg.abs
// CHECK-NOT: fuse.group
// CHECK: return
// PC-LABEL: func @siblings
// PC: fuse.group
// PC: fuse.group
// PC: return
// SIBLING-LABEL: func @siblings
// SIBLING: fuse.group
// SIBLING-NOT: fuse.group
// SIBLING: return
func.func @siblings(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %a, %b : tensor<64x128xf32>, tensor<64x128xf32>
}

// A softmax: prologue into reductions, a cascade, and its epilogue.
// CHECK-LABEL: func @softmax
// CHECK: fuse.group "softmax_0_reduction" -> (tensor<64x128xf32>)
// CHECK-SAME: op_class = #fuse.class<reduction
// CHECK-NOT: fuse.group
// CHECK: return
// MAX-LABEL: func @softmax
// MAX: fuse.group
// MAX-NOT: fuse.group
// MAX: return
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x128xf32>
  %er = tensor.empty() : tensor<64xf32>
  %im = linalg.fill ins(%ninf : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<64x128xf32>) outs(%im : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%in: f32, %max: f32, %out: f32):
    %0 = arith.subf %in, %max : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x128xf32>
  %is = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<64x128xf32>) outs(%is : tensor<64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<64xf32>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%d, %s : tensor<64x128xf32>, tensor<64xf32>) outs(%e : tensor<64x128xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.divf %in, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}

// A transposed weight is read where it lies; bias and ReLU follow the matmul
// through a view.
// CHECK-LABEL: func @linear
// CHECK: %[[G:.*]] = fuse.group "linear_0_matmul"
// CHECK: linalg.transpose
// CHECK: linalg.fill
// CHECK: linalg.matmul
// CHECK: tensor.expand_shape
// CHECK: linalg.generic
// CHECK: fuse.yield
// CHECK-NOT: fuse.group
// CHECK: return %[[G]]
func.func @linear(%x: tensor<32x64xf32>, %w: tensor<48x64xf32>, %b: tensor<48xf32>) -> tensor<4x8x48xf32> {
  %zero = arith.constant 0.0 : f32
  %et = tensor.empty() : tensor<64x48xf32>
  %wt = linalg.transpose ins(%w : tensor<48x64xf32>) outs(%et : tensor<64x48xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<32x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %m = linalg.matmul ins(%x, %wt : tensor<32x64xf32>, tensor<64x48xf32>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  %v = tensor.expand_shape %m [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32>
  %e3 = tensor.empty() : tensor<4x8x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v, %b : tensor<4x8x48xf32>, tensor<48xf32>) outs(%e3 : tensor<4x8x48xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %0 = arith.addf %in, %bias : f32
    %c = arith.constant 0.0 : f32
    %1 = arith.maximumf %0, %c : f32
    linalg.yield %1 : f32
  } -> tensor<4x8x48xf32>
  return %r : tensor<4x8x48xf32>
}

// Projections of one input that are equally wide share a kernel.
// CHECK-LABEL: func @qk
// CHECK: fuse.group
// CHECK: linalg.matmul
// CHECK: linalg.matmul
// CHECK-NOT: fuse.group
// CHECK: return
func.func @qk(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>, %v: tensor<64x48xf32>) -> (tensor<32x48xf32>, tensor<32x48xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x48xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x48xf32>) -> tensor<32x48xf32>
  %q = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  %k = linalg.matmul ins(%x, %v : tensor<32x64xf32>, tensor<64x48xf32>) outs(%i : tensor<32x48xf32>) -> tensor<32x48xf32>
  return %q, %k : tensor<32x48xf32>, tensor<32x48xf32>
}

// A cheap value that two kernels need, which cannot be one, is computed in both
// and stored by none.
// CHECK-LABEL: func @recompute
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: linalg.reduce
// CHECK: call @weights
// CHECK: fuse.group
// CHECK: linalg.exp
// CHECK: linalg.reduce
// CHECK-NOT: fuse.group
// CHECK: return
func.func private @weights(tensor<2048xf32>) -> tensor<2048xf32>
func.func @recompute(%x: tensor<2048x512xf32>) -> tensor<2048xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<2048x512xf32>
  %x1 = linalg.exp ins(%x : tensor<2048x512xf32>) outs(%ex : tensor<2048x512xf32>) -> tensor<2048x512xf32>
  %e = tensor.empty() : tensor<2048xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<2048xf32>) -> tensor<2048xf32>
  %q = linalg.reduce { arith.addf } ins(%x1 : tensor<2048x512xf32>) outs(%i : tensor<2048xf32>) dimensions = [1]
  %v = func.call @weights(%q) : (tensor<2048xf32>) -> tensor<2048xf32>
  %k = linalg.reduce { arith.maximumf } ins(%x1 : tensor<2048x512xf32>) outs(%v : tensor<2048xf32>) dimensions = [1]
  return %k : tensor<2048xf32>
}

// A fill that the caller gets is a kernel; a fill under a sum is not.
// CHECK-LABEL: func @fill
// CHECK: fuse.group "fill_0_fill"
// CHECK: linalg.fill
// CHECK-NOT: fuse.group
// CHECK: return
func.func @fill() -> tensor<16xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%one : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %f : tensor<16xf32>
}

// A row kernel stores the maximum of each row, not the shifted row, for a gather
// that needs one element of it, at a row that is not known to be its own: that
// element is shifted again.
// CHECK-LABEL: func @trade
// CHECK: %[[G:.*]]:2 = fuse.group {{.*}} -> (tensor<512xf32>, tensor<512xf32>)
// CHECK: fuse.group {{.*}} -> (tensor<f32>)
// CHECK: arith.subf
// CHECK: tensor.extract
// CHECK: return
func.func @trade(%x: tensor<512x8000xf32>, %label: tensor<512xi64>) -> (tensor<512xf32>, tensor<f32>) {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<512x8000xf32>
  %er = tensor.empty() : tensor<512xf32>
  %im = linalg.fill ins(%ninf : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<512x8000xf32>) outs(%im : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<512xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<512x8000xf32>, tensor<512xf32>) outs(%e : tensor<512x8000xf32>) {
  ^bb0(%in: f32, %max: f32, %out: f32):
    %0 = arith.subf %in, %max : f32
    linalg.yield %0 : f32
  } -> tensor<512x8000xf32>
  %is = linalg.fill ins(%zero : f32) outs(%er : tensor<512xf32>) -> tensor<512xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<512x8000xf32>) outs(%is : tensor<512xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    %1 = arith.addf %0, %out : f32
    linalg.yield %1 : f32
  } -> tensor<512xf32>
  %g = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%label : tensor<512xi64>) outs(%er : tensor<512xf32>) {
  ^bb0(%in: i64, %out: f32):
    %own = linalg.index 0 : index
    %rows = arith.constant 512 : index
    %r = arith.remui %own, %rows : index
    %c = arith.index_cast %in : i64 to index
    %v = tensor.extract %d[%r, %c] : tensor<512x8000xf32>
    linalg.yield %v : f32
  } -> tensor<512xf32>
  %e0 = tensor.empty() : tensor<f32>
  %i0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %l = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%g : tensor<512xf32>) outs(%i0 : tensor<f32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<f32>
  return %s, %l : tensor<512xf32>, tensor<f32>
}
