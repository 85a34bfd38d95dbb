// RUN: fuse-opt %s | fuse-opt | FileCheck %s
// RUN: fuse-opt %s --mlir-print-op-generic | fuse-opt | FileCheck %s
// RUN: fuse-opt %s --emit-bytecode | fuse-opt | FileCheck %s

// Every operation of the dialect, parsed, printed and parsed back in the
// custom form, the generic form and as bytecode.

// A value that no fusion crosses.
// CHECK-LABEL: func.func @boundary
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>)
func.func @boundary(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[Y:.*]] = fuse.boundary %[[X]] : tensor<8xf32>
  %y = fuse.boundary %x : tensor<8xf32>
  // CHECK: return %[[Y]]
  return %y : tensor<8xf32>
}

// A group captures what it uses; name, class and cost are optional.
// CHECK-LABEL: func.func @group
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>)
func.func @group(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK: %[[R:.*]] = fuse.group -> (tensor<8xf32>) {
  %r = fuse.group -> (tensor<8xf32>) {
    // CHECK: %[[E:.*]] = math.exp %[[X]]
    %0 = math.exp %x : tensor<8xf32>
    // CHECK: fuse.yield %[[E]] : tensor<8xf32>
    fuse.yield %0 : tensor<8xf32>
  }
  // CHECK: fuse.group "two" -> (tensor<8xf32>) attributes
  // CHECK-SAME: cost = #fuse.cost<{bytes_read = 32 : i64}>
  // CHECK-SAME: op_class = #fuse.class<injective, "by hand">
  %s = fuse.group "two" -> (tensor<8xf32>) attributes {
      cost = #fuse.cost<{bytes_read = 32 : i64}>,
      op_class = #fuse.class<injective, "by hand">} {
    %0 = math.tanh %r : tensor<8xf32>
    %1 = math.exp %0 : tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %r, %s : tensor<8xf32>, tensor<8xf32>
}

// A packed schedule: the parts, one after the other.
// CHECK-LABEL: func.func @packed
func.func @packed(%x: tensor<8xf32>, %y: tensor<4x64xf32>, %o: tensor<8xf32>,
                  %p: tensor<4x64xf32>) -> (tensor<8xf32>, tensor<4x64xf32>) {
  // CHECK: schedule = #fuse.schedule<packed, grid = 3, threads = 32, parts = [
  // CHECK-SAME: #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 32, positions = 1, vector = 1, residency = none, layout = (d0, d1, d2, d3) -> (d1)>,
  // CHECK-SAME: #fuse.schedule<row, rows = 4, columns = 64, grid = 2, threads = 32, positions = 1, vector = 4, residency = registers, layout = {{.*}}>]>
  %r:2 = fuse.kernel "two" ins(%x, %y : tensor<8xf32>, tensor<4x64xf32>)
      outs(%o, %p : tensor<8xf32>, tensor<4x64xf32>)
      -> (tensor<8xf32>, tensor<4x64xf32>) attributes {
      schedule = #fuse.schedule<packed, grid = 3, threads = 32, parts = [
        #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 32,
          positions = 1, vector = 1, residency = none,
          layout = (b, t, p, e) -> (t)>,
        #fuse.schedule<row, rows = 4, columns = 64, grid = 2, threads = 32,
          positions = 1, vector = 4, residency = registers,
          layout = (b, t, p, e) -> (b * 2 + t floordiv 16, (t mod 16) * 4 + e)>
      ]>} {
  ^bb0(%a: tensor<8xf32>, %b: tensor<4x64xf32>, %c: tensor<8xf32>,
       %d: tensor<4x64xf32>):
    %0 = math.exp %a : tensor<8xf32>
    %1 = math.exp %b : tensor<4x64xf32>
    fuse.yield %0, %1 : tensor<8xf32>, tensor<4x64xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4x64xf32>
}

// A kernel has explicit operands, scalars too, and destinations.
// CHECK-LABEL: func.func @kernel
// CHECK-SAME:    (%[[X:.*]]: tensor<8xf32>, %[[F:.*]]: f32, %[[O:.*]]: tensor<8xf32>)
func.func @kernel(%x: tensor<8xf32>, %f: f32, %o: tensor<8xf32>)
    -> tensor<8xf32> {
  // CHECK: %[[R:.*]] = fuse.kernel "exp" ins(%[[X]], %[[F]] : tensor<8xf32>, f32) outs(%[[O]] : tensor<8xf32>) -> (tensor<8xf32>)
  // CHECK-SAME: schedule = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1, threads = 2, positions = 1, vector = 4, residency = none, layout = (d0, d1, d2, d3) -> ((d0 * 2 + d1 + d2) * 4 + d3)>
  %r = fuse.kernel "exp" ins(%x, %f : tensor<8xf32>, f32)
      outs(%o : tensor<8xf32>) -> (tensor<8xf32>) attributes {
      schedule = #fuse.schedule<pointwise, rows = 8, columns = 1, grid = 1,
        threads = 2, positions = 1, vector = 4, residency = none,
        layout = (b, t, p, e) -> ((b * 2 + t + p) * 4 + e)>} {
  // CHECK: ^bb0(%[[A:.*]]: tensor<8xf32>, %{{.*}}: f32, %{{.*}}: tensor<8xf32>):
  ^bb0(%a: tensor<8xf32>, %g: f32, %d: tensor<8xf32>):
    // CHECK: %[[E:.*]] = math.exp %[[A]]
    %0 = math.exp %a : tensor<8xf32>
    // CHECK: fuse.yield %[[E]]
    fuse.yield %0 : tensor<8xf32>
  }
  // CHECK: return %[[R]]
  return %r : tensor<8xf32>
}

// A launch on tensors, and one on buffers with dynamic shared memory.
// CHECK-LABEL: func.func @launch
func.func @launch(%g: index, %t: index, %s: i32, %x: tensor<8xf32>,
                  %e: tensor<8xf32>, %m: memref<8xf32>) -> tensor<8xf32> {
  // CHECK: fuse.launch @kernels::@exp grid(%{{.*}}) block(%{{.*}}) ins(%{{.*}} : tensor<8xf32>) outs(%{{.*}} : tensor<8xf32>) -> (tensor<8xf32>)
  %r = fuse.launch @kernels::@exp grid(%g) block(%t)
      ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> (tensor<8xf32>)
  // CHECK: fuse.launch @kernels::@exp grid(%{{.*}}) block(%{{.*}}) shared(%{{.*}}) ins(%{{.*}} : memref<8xf32>) outs(%{{.*}} : memref<8xf32>)
  fuse.launch @kernels::@exp grid(%g) block(%t) shared(%s)
      ins(%m : memref<8xf32>) outs(%m : memref<8xf32>)
  return %r : tensor<8xf32>
}

// The discardable attributes, on an operation of another dialect.
// CHECK-LABEL: func.func @attributes
func.func @attributes(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: math.exp
  // CHECK-SAME: fuse.class = #fuse.class<injective, "maps are identities">
  // CHECK-SAME: fuse.must_fuse = "a"
  // CHECK-SAME: fuse.never_fuse
  // CHECK-SAME: fuse.ordinal = 3 : i64
  %0 = math.exp %x {fuse.class = #fuse.class<injective, "maps are identities">,
      fuse.must_fuse = "a", fuse.never_fuse, fuse.ordinal = 3 : i64}
      : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A schedule on path attention may have a tile.
// CHECK-LABEL: func.func private @attention_schedules()
// CHECK-SAME: tiled = #fuse.schedule<attention, rows = 64, columns = 32, grid = 4, threads = 32, positions = 4, vector = 4, residency = shared, layout = (d0, d1, d2, d3) -> (d0, d1 + d2 + d3), tile = #fuse.tile<rows = 16, columns = 32, depth = 16, row_warps = 1, column_warps = 1, stages = 2, group = 1, parts = 1, unit = fma, async = true>>
// CHECK-SAME: whole = #fuse.schedule<attention, rows = 64, columns = 32, grid = 4, threads = 32, positions = 4, vector = 4, residency = shared, layout = (d0, d1, d2, d3) -> (d0, d1 + d2 + d3)>
func.func private @attention_schedules() attributes {
  tiled = #fuse.schedule<attention, rows = 64, columns = 32, grid = 4, threads = 32, positions = 4, vector = 4, residency = shared, layout = (b, t, p, e) -> (b, t + p + e), tile = #fuse.tile<rows = 16, columns = 32, depth = 16, row_warps = 1, column_warps = 1, stages = 2, group = 1, parts = 1, unit = fma, async = true>>,
  whole = #fuse.schedule<attention, rows = 64, columns = 32, grid = 4, threads = 32, positions = 4, vector = 4, residency = shared, layout = (b, t, p, e) -> (b, t + p + e)>}
