// RUN: fuse-opt %s --split-input-file --verify-diagnostics

// Each verifier rule of the dialect, by its id.

func.func @group_c1(%x: tensor<8xf32>) {
  // expected-error @below {{expected at least one operation in the body (group_c1)}}
  fuse.group {
    fuse.yield
  }
  return
}

// -----

func.func @group_c2(%x: tensor<8xf32>) {
  // expected-error @below {{expected 'fuse.yield' to give the types of the results (group_c2)}}
  %r = fuse.group -> (tensor<4xf32>) {
    %0 = math.exp %x : tensor<8xf32>
    // expected-note @below {{yields 'tensor<8xf32>'}}
    fuse.yield %0 : tensor<8xf32>
  }
  return
}

// -----

func.func @group_c3_group(%x: tensor<8xf32>) {
  fuse.group {
    // expected-error @below {{expected no enclosing group or kernel (group_c3)}}
    fuse.group {
      %0 = math.exp %x : tensor<8xf32>
      fuse.yield
    }
    fuse.yield
  }
  return
}

// -----

func.func @group_c3_kernel(%x: tensor<8xf32>) {
  fuse.kernel "k" ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    // expected-error @below {{expected no enclosing group or kernel (group_c3)}}
    fuse.group {
      %0 = math.exp %a : tensor<8xf32>
      fuse.yield
    }
    fuse.yield
  }
  return
}

// -----

func.func @group_c4(%x: tensor<8xf32>) {
  // expected-error @below {{expected yielded values to be defined in the body (group_c4)}}
  %r = fuse.group -> (tensor<8xf32>) {
    %0 = math.exp %x : tensor<8xf32>
    fuse.yield %x : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_c1(%x: tensor<8xf32>) {
  // expected-error @below {{expected block arguments of the types of the operands (kernel_c1)}}
  fuse.kernel "k" ins(%x : tensor<8xf32>) {
  ^bb0(%a: tensor<4xf32>):
    fuse.yield
  }
  return
}

// -----

func.func @kernel_c2(%x: tensor<8xf32>) {
  // expected-error @below {{expected results of the types of 'outs' (kernel_c2)}}
  %r = fuse.kernel "k" ins(%x : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    fuse.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @kernel_c3(%x: tensor<8xf32>) {
  // expected-error @below {{expected 'fuse.yield' to give the types of the results (kernel_c3)}}
  %r = fuse.kernel "k" outs(%x : tensor<8xf32>) -> (tensor<8xf32>) {
  ^bb0(%a: tensor<8xf32>):
    // expected-note @below {{yields}}
    fuse.yield
  }
  return
}

// -----

func.func @kernel_c4(%x: memref<8xf32>) {
  // expected-error @below {{must be variadic of ranked tensor of any type values, but got 'memref<8xf32>'}}
  "fuse.kernel"(%x) <{kernel_name = "k", operandSegmentSizes = array<i32: 0, 1>}> ({
  ^bb0(%a: memref<8xf32>):
    "fuse.yield"() : () -> ()
  }) : (memref<8xf32>) -> ()
  return
}

// -----

// A kernel is isolated from above.
func.func @kernel_isolated(%x: tensor<8xf32>) {
  // expected-note @below {{required by region isolation constraints}}
  fuse.kernel "k" {
    // expected-error @below {{using value defined outside the region}}
    %0 = math.exp %x : tensor<8xf32>
    fuse.yield
  }
  return
}

// -----

func.func @launch_c1(%g: index, %x: tensor<8xf32>) {
  // expected-error @below {{expected results of the types of 'outs' (launch_c1)}}
  %r = fuse.launch @m::@k grid(%g) block(%g) outs(%x : tensor<8xf32>)
      -> (tensor<4xf32>)
  return
}

// -----

func.func @launch_c2(%g: index, %x: tensor<8xf32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{expected positive grid and block sizes, but got 0 (launch_c2)}}
  fuse.launch @m::@k grid(%g) block(%zero) ins(%x : tensor<8xf32>)
  return
}

// -----

func.func @boundary_type(%x: f32) {
  // expected-error @below {{must be ranked tensor of any type values}}
  %0 = "fuse.boundary"(%x) : (f32) -> f32
  return
}

// -----

func.func @class_type(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.class' to be a '#fuse.class', but got 3 : i32}}
  %0 = math.exp %x {fuse.class = 3 : i32} : f32
  return
}

// -----

func.func @ordinal_type(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.ordinal' to be an integer, but got "a"}}
  %0 = math.exp %x {fuse.ordinal = "a"} : f32
  return
}

// -----

func.func @must_fuse_type(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.must_fuse' to be a non-empty string, but got unit}}
  %0 = math.exp %x {fuse.must_fuse} : f32
  return
}

// -----

func.func @never_fuse_type(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.never_fuse' to be a unit attribute, but got true}}
  %0 = math.exp %x {fuse.never_fuse = true} : f32
  return
}

// -----

func.func @unknown_attribute(%x: f32) {
  // expected-error @below {{unknown attribute 'fuse.nevr_fuse' of the fuse dialect}}
  %0 = math.exp %x {fuse.nevr_fuse} : f32
  return
}

// -----

// expected-error @below {{expected positive sizes in a schedule}}
#schedule_c1 = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 0, threads = 2, positions = 1, vector = 4, residency = none, layout = (b, t, p, e) -> (e)>

// -----

// expected-error @below {{expected at most 1024 threads, but got 2048}}
#schedule_c1 = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 2048, positions = 1, vector = 4, residency = none, layout = (b, t, p, e) -> (e)>

// -----

// expected-error @below {{expected a layout of 4 dimensions and 2 result(s)}}
#schedule_c2 = #fuse.schedule<row, rows = 8, columns = 1, grid = 1, threads = 2, positions = 1, vector = 4, residency = none, layout = (b, t, p, e) -> (e)>

// -----

// expected-error @below {{expected a layout of 4 dimensions and 2 result(s)}}
#schedule_c2 = #fuse.schedule<box, rows = 8, columns = 1, grid = 1, threads = 8, positions = 1, vector = 1, residency = shared, layout = (b, t, p, e) -> (t)>

// -----

#part = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1, residency = none, layout = (b, t, p, e) -> (t)>
// expected-error @below {{expected at least two parts on path 'packed', but got 1 (schedule_c3)}}
#schedule_c3 = #fuse.schedule<packed, grid = 1, threads = 32, parts = [#part]>

// -----

#part = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1, residency = none, layout = (b, t, p, e) -> (t)>
#packed = #fuse.schedule<packed, grid = 2, threads = 32, parts = [#part, #part]>
// expected-error @below {{expected parts that are not packed themselves (schedule_c3)}}
#schedule_c3 = #fuse.schedule<packed, grid = 3, threads = 32, parts = [#part, #packed]>

// -----

#part = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1, residency = none, layout = (b, t, p, e) -> (t)>
// expected-error @below {{expected a grid of 2 blocks, the sum of the parts, but got 3 (schedule_c4)}}
#schedule_c4 = #fuse.schedule<packed, grid = 3, threads = 32, parts = [#part, #part]>

// -----

#part = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1, residency = none, layout = (b, t, p, e) -> (t)>
// expected-error @below {{expected parts of 64 threads, but got 32 (schedule_c5)}}
#schedule_c5 = #fuse.schedule<packed, grid = 2, threads = 64, parts = [#part, #part]>

// -----

// expected-error @below {{expected no tile on path 'row' (schedule_c6)}}
#schedule_c6 = #fuse.schedule<row, rows = 64, columns = 64, grid = 1, threads = 128, positions = 8, vector = 4, residency = none, layout = (b, t, p, e) -> (t, e), tile = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 2, column_warps = 2, stages = 2, group = 1, parts = 1, unit = fma, async = true>>

// -----

// expected-error @below {{expected the 128 threads of the tile's warps, but got 64 (schedule_c6)}}
#schedule_c6 = #fuse.schedule<tile, rows = 64, columns = 64, grid = 1, threads = 64, positions = 8, vector = 4, residency = none, layout = (b, t, p, e) -> (t, e), tile = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 2, column_warps = 2, stages = 2, group = 1, parts = 1, unit = fma, async = true>>

// -----

// expected-error @below {{expected powers of two in a tile, but got 48 (tile_c1)}}
#tile_c1 = #fuse.tile<rows = 48, columns = 64, depth = 32, row_warps = 1, column_warps = 1, stages = 2, group = 1, parts = 1, unit = fma, async = true>

// -----

// expected-error @below {{expected positive stages, groups and parts in a tile (tile_c1)}}
#tile_c1 = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 1, column_warps = 1, stages = 0, group = 1, parts = 1, unit = fma, async = true>

// -----

// expected-error @below {{expected a multiple of 16 steps in a tile, but got 8 (tile_c3)}}
#tile_c3 = #fuse.tile<rows = 64, columns = 64, depth = 8, row_warps = 2, column_warps = 2, stages = 2, group = 1, parts = 1, unit = fma, async = true>

// -----

// expected-error @below {{expected at least 16 x 32 results of a warp, but got 16 x 16 (tile_c2)}}
#tile_c2 = #fuse.tile<rows = 64, columns = 64, depth = 32, row_warps = 4, column_warps = 4, stages = 2, group = 1, parts = 1, unit = fma, async = true>

// -----

func.func @must_fuse_empty(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.must_fuse' to be a non-empty string, but got ""}}
  %0 = math.exp %x {fuse.must_fuse = ""} : f32
  return
}

// -----

// expected-error @below {{expected attribute 'fuse.half_sums' to be "source" or "f32", but got "f16"}}
func.func @half_sums_value(%x: f32) attributes {fuse.half_sums = "f16"} {
  return
}

// -----

func.func @half_sums_place(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.half_sums' on a sum, function or module}}
  %0 = math.exp %x {fuse.half_sums = "f32"} : f32
  return
}

// -----

// expected-error @below {{expected attribute 'fuse.f32_products' to be "f32" or "tf32", but got "bf16"}}
func.func @f32_products_value(%x: f32) attributes {fuse.f32_products = "bf16"} {
  return
}

// -----

func.func @f32_products_type(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @below {{expected attribute 'fuse.f32_products' to be "f32" or "tf32", but got 32 : i64}}
  %0 = linalg.exp {fuse.f32_products = 32} ins(%x : tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f32_products_place(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.f32_products' on a contraction, function or module}}
  %0 = math.exp %x {fuse.f32_products = "tf32"} : f32
  return
}

// -----

// expected-error @below {{expected attribute 'fuse.fp_order' to be "strict" or "fixed", but got "fast"}}
func.func @fp_order_value(%x: f32) attributes {fuse.fp_order = "fast"} {
  return
}

// -----

func.func @fp_order_place(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.fp_order' on a function or module}}
  %0 = math.exp %x {fuse.fp_order = "strict"} : f32
  return
}

// -----

// expected-error @below {{expected attribute 'fuse.never_fuse' on an operator with results}}
func.func @never_fuse_place(%x: f32) attributes {fuse.never_fuse} {
  return
}

// -----

func.func @must_fuse_place(%x: f32) {
  // expected-error @below {{expected attribute 'fuse.must_fuse' on an operator with results}}
  return {fuse.must_fuse = "t"}
}

// -----

func.func @in_place_elsewhere(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @below {{expected attribute 'fuse.in_place' on a 'tensor.insert_slice'}}
  %0 = math.exp %x {fuse.in_place} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @in_place_value(%x: tensor<1xf32>, %y: tensor<8xf32>)
    -> tensor<8xf32> {
  // expected-error @below {{expected attribute 'fuse.in_place' to be a unit attribute, but got 1}}
  %0 = tensor.insert_slice %x into %y[0] [1] [1] {fuse.in_place = 1}
      : tensor<1xf32> into tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @updates_value(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  // expected-error @below {{expected attribute 'fuse.updates' to be an array of i32 on a 'fuse.launch'}}
  %0 = fuse.launch @k::@f grid(%n) block(%n) ins(%x : tensor<8xf32>)
      outs(%x : tensor<8xf32>) -> (tensor<8xf32>) {fuse.updates = 0}
  return %0 : tensor<8xf32>
}

// -----

func.func @launch_name(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  // expected-error @below {{expected attribute 'fuse.kernel_name' to be a string on a 'fuse.launch'}}
  %0 = fuse.launch @k::@f grid(%n) block(%n) ins(%x : tensor<8xf32>)
      outs(%x : tensor<8xf32>) -> (tensor<8xf32>) {fuse.kernel_name}
  return %0 : tensor<8xf32>
}

// -----

func.func @updates_number(%x: tensor<8xf32>, %n: index) -> tensor<8xf32> {
  // expected-error @below {{expected 'fuse.updates' to list numbers of 'outs', but got 1 (launch_c3)}}
  %0 = fuse.launch @k::@f grid(%n) block(%n) ins(%x : tensor<8xf32>)
      outs(%x : tensor<8xf32>) -> (tensor<8xf32>)
      {fuse.updates = array<i32: 1>}
  return %0 : tensor<8xf32>
}
