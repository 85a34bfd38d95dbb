// One function for each remark of fuse-form-groups and each rule that the
// planner itself checks (docs/Remarks.md).

func.func @fused(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%a : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %b : tensor<64x128xf32>
}

func.func @sibling(%x: tensor<64x128xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %e = tensor.empty() : tensor<64x128xf32>
  %a = linalg.exp ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  %b = linalg.abs ins(%x : tensor<64x128xf32>) outs(%e : tensor<64x128xf32>) -> tensor<64x128xf32>
  return %a, %b : tensor<64x128xf32>, tensor<64x128xf32>
}

func.func @must_fuse(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.exp {fuse.must_fuse = "t"} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %b = linalg.abs {fuse.must_fuse = "t"} ins(%y : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}

// A power for each row would be taken again for each element.
func.func @not_profitable(%x: tensor<4096xf16>, %y: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %e = tensor.empty() : tensor<4096xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4096xf16>) outs(%e : tensor<4096xf16>) {
  ^bb0(%in: f16, %out: f16):
    %0 = math.sin %in : f16
    %1 = math.powf %0, %0 : f16
    %2 = math.sin %1 : f16
    %3 = math.powf %2, %2 : f16
    linalg.yield %3 : f16
  } -> tensor<4096xf16>
  %f = tensor.empty() : tensor<4096x4096xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%p, %y : tensor<4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<4096x4096xf16>) {
  ^bb0(%a: f16, %b: f16, %out: f16):
    %0 = arith.addf %a, %b : f16
    linalg.yield %0 : f16
  } -> tensor<4096x4096xf16>
  return %r : tensor<4096x4096xf16>
}

func.func private @sort(tensor<64xf32>) -> tensor<64xf32>
func.func @opaque(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %a = linalg.exp ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %b = func.call @sort(%a) : (tensor<64xf32>) -> tensor<64xf32>
  return %b : tensor<64xf32>
}

// The two matrix products are both needed for every element of the sum.
func.func @split(%x: tensor<8x8xf32>, %y: tensor<8x640xf32>) -> tensor<8x640xf32> {
  %e = tensor.empty() : tensor<8x8xf32>
  %f = tensor.empty() : tensor<8x640xf32>
  %zero = arith.constant 0.0 : f32
  %g = fuse.group "both" -> (tensor<8x640xf32>) {
    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
    %a = linalg.matmul ins(%x, %x : tensor<8x8xf32>, tensor<8x8xf32>) outs(%i : tensor<8x8xf32>) -> tensor<8x8xf32>
    %j = linalg.fill ins(%zero : f32) outs(%f : tensor<8x640xf32>) -> tensor<8x640xf32>
    %b = linalg.matmul ins(%a, %y : tensor<8x8xf32>, tensor<8x640xf32>) outs(%j : tensor<8x640xf32>) -> tensor<8x640xf32>
    fuse.yield %b : tensor<8x640xf32>
  }
  return %g : tensor<8x640xf32>
}

// Different sizes, nothing in common: side by side in one launch.
func.func @independent(%x: tensor<512xf32>, %y: tensor<768xf32>) -> (tensor<512xf32>, tensor<768xf32>) {
  %e = tensor.empty() : tensor<512xf32>
  %f = tensor.empty() : tensor<768xf32>
  %a = linalg.exp ins(%x : tensor<512xf32>) outs(%e : tensor<512xf32>) -> tensor<512xf32>
  %b = linalg.abs ins(%y : tensor<768xf32>) outs(%f : tensor<768xf32>) -> tensor<768xf32>
  return %a, %b : tensor<512xf32>, tensor<768xf32>
}

// A cheap value that two kernels need, between which a call lies, is computed in
// both and stored by none.
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

// Two branches of two matrix products each: products share launches in pairs, for
// which what they start from has to be stored.
func.func @regrouped(%a: tensor<16x128xf32>, %b: tensor<16x128xf32>, %w0: tensor<128x256xf32>, %w1: tensor<256x128xf32>, %w2: tensor<128x256xf32>, %w3: tensor<256x128xf32>) -> (tensor<16x128xf32>, tensor<16x128xf32>) {
  %z = arith.constant 0.0 : f32
  %m = tensor.empty() : tensor<16x128xf32>
  %n = tensor.empty() : tensor<16x256xf32>
  %r = tensor.empty() : tensor<16xf32>
  %fm = linalg.fill ins(%z : f32) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %fn = linalg.fill ins(%z : f32) outs(%n : tensor<16x256xf32>) -> tensor<16x256xf32>
  %fr = linalg.fill ins(%z : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %x = linalg.add ins(%a, %b : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %0 = linalg.matmul ins(%x, %w0 : tensor<16x128xf32>, tensor<128x256xf32>) outs(%fn : tensor<16x256xf32>) -> tensor<16x256xf32>
  %1 = linalg.tanh ins(%0 : tensor<16x256xf32>) outs(%n : tensor<16x256xf32>) -> tensor<16x256xf32>
  %2 = linalg.matmul ins(%1, %w1 : tensor<16x256xf32>, tensor<256x128xf32>) outs(%fm : tensor<16x128xf32>) -> tensor<16x128xf32>
  %3 = linalg.mul ins(%x, %x : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %4 = linalg.tanh ins(%3 : tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %5 = linalg.mul ins(%x, %4 : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %6 = linalg.reduce {arith.addf} ins(%5 : tensor<16x128xf32>) outs(%fr : tensor<16xf32>) dimensions = [1]
  %7 = linalg.broadcast ins(%6 : tensor<16xf32>) outs(%m : tensor<16x128xf32>) dimensions = [1]
  %8 = linalg.mul ins(%5, %7 : tensor<16x128xf32>, tensor<16x128xf32>) outs(%m : tensor<16x128xf32>) -> tensor<16x128xf32>
  %9 = linalg.matmul ins(%8, %w2 : tensor<16x128xf32>, tensor<128x256xf32>) outs(%fn : tensor<16x256xf32>) -> tensor<16x256xf32>
  %10 = linalg.tanh ins(%9 : tensor<16x256xf32>) outs(%n : tensor<16x256xf32>) -> tensor<16x256xf32>
  %11 = linalg.matmul ins(%10, %w3 : tensor<16x256xf32>, tensor<256x128xf32>) outs(%fm : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %2, %11 : tensor<16x128xf32>, tensor<16x128xf32>
}
