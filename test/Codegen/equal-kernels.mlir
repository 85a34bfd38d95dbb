// RUN: fuse-opt %s --fuse-isolate-groups --fuse-select-schedules \
// RUN:   --convert-fuse-to-gpu | FileCheck %s

#row = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0, d1) -> (d0)>

// The names and weights of kernels are not part of what they are: two equal
// ones are one function, and each launch says which kernel it is. Neither are
// numbers of operators.
// CHECK-LABEL: func @layers
// CHECK: fuse.launch @fuse_kernels::@first
// CHECK-SAME: ins(%arg0, %arg1 :
// CHECK-SAME: fuse.kernel_name = "first"
// CHECK: fuse.launch @fuse_kernels::@first
// CHECK-SAME: ins(%{{.*}}, %arg2 :
// CHECK-SAME: fuse.kernel_name = "second"
// Another constant is another kernel.
// CHECK: fuse.launch @fuse_kernels::@third
// CHECK-SAME: fuse.kernel_name = "third"
func.func @layers(%x: tensor<8x32xf32>, %a: tensor<8x32xf32>,
                  %b: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %0 = fuse.kernel "first" ins(%x, %a : tensor<8x32xf32>, tensor<8x32xf32>)
      outs(%e : tensor<8x32xf32>) -> (tensor<8x32xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %q: tensor<8x32xf32>, %o: tensor<8x32xf32>):
    %two = arith.constant 2.0 : f32
    %r = linalg.generic {indexing_maps = [#row, #row, #row],
        iterator_types = ["parallel", "parallel"]}
        ins(%p, %q : tensor<8x32xf32>, tensor<8x32xf32>)
        outs(%o : tensor<8x32xf32>) {
    ^bb0(%s: f32, %t: f32, %u: f32):
      %m = arith.mulf %s, %two : f32
      %v = arith.addf %m, %t : f32
      linalg.yield %v : f32
    } -> tensor<8x32xf32>
    fuse.yield %r : tensor<8x32xf32>
  }
  %1 = fuse.kernel "second" ins(%0, %b : tensor<8x32xf32>, tensor<8x32xf32>)
      outs(%e : tensor<8x32xf32>) -> (tensor<8x32xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %q: tensor<8x32xf32>, %o: tensor<8x32xf32>):
    %two = arith.constant 2.0 : f32
    %r = linalg.generic {indexing_maps = [#row, #row, #row],
        iterator_types = ["parallel", "parallel"]}
        ins(%p, %q : tensor<8x32xf32>, tensor<8x32xf32>)
        outs(%o : tensor<8x32xf32>) attrs = {fuse.ordinal = 7 : i64} {
    ^bb0(%s: f32, %t: f32, %u: f32):
      %m = arith.mulf %s, %two : f32
      %v = arith.addf %m, %t : f32
      linalg.yield %v : f32
    } -> tensor<8x32xf32>
    fuse.yield %r : tensor<8x32xf32>
  }
  %2 = fuse.kernel "third" ins(%1, %b : tensor<8x32xf32>, tensor<8x32xf32>)
      outs(%e : tensor<8x32xf32>) -> (tensor<8x32xf32>) {
  ^bb0(%p: tensor<8x32xf32>, %q: tensor<8x32xf32>, %o: tensor<8x32xf32>):
    %two = arith.constant 3.0 : f32
    %r = linalg.generic {indexing_maps = [#row, #row, #row],
        iterator_types = ["parallel", "parallel"]}
        ins(%p, %q : tensor<8x32xf32>, tensor<8x32xf32>)
        outs(%o : tensor<8x32xf32>) {
    ^bb0(%s: f32, %t: f32, %u: f32):
      %m = arith.mulf %s, %two : f32
      %v = arith.addf %m, %t : f32
      linalg.yield %v : f32
    } -> tensor<8x32xf32>
    fuse.yield %r : tensor<8x32xf32>
  }
  return %2 : tensor<8x32xf32>
}

// Functions may run at the same time, on streams of their own, so that they
// have kernels of their own; and a kernel of another type is another one. Sizes
// that are known at run time only come from the operands of each launch.
// CHECK-LABEL: func @unknown
// CHECK-SAME: %[[X:[^:]*]]: tensor<?xf32>, %[[Y:[^:]*]]: tensor<?xf32>
// CHECK: %[[M:.*]] = tensor.dim %[[X]]
// CHECK: fuse.launch @fuse_kernels::@fourth
// CHECK-SAME: ins(%[[X]], %[[M]] :
// CHECK: %[[N:.*]] = tensor.dim %[[Y]]
// CHECK: fuse.launch @fuse_kernels::@fourth
// CHECK-SAME: ins(%[[Y]], %[[N]] :
// CHECK-SAME: fuse.kernel_name = "fifth"
func.func @unknown(%x: tensor<?xf32>, %y: tensor<?xf32>, %m: index, %n: index)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = tensor.empty(%n) : tensor<?xf32>
  %0 = fuse.kernel "fourth" ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>)
      -> (tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.exp ins(%p : tensor<?xf32>) outs(%o : tensor<?xf32>)
        -> tensor<?xf32>
    fuse.yield %r : tensor<?xf32>
  }
  %1 = fuse.kernel "fifth" ins(%y : tensor<?xf32>) outs(%f : tensor<?xf32>)
      -> (tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.exp ins(%p : tensor<?xf32>) outs(%o : tensor<?xf32>)
        -> tensor<?xf32>
    fuse.yield %r : tensor<?xf32>
  }
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// CHECK-LABEL: func @other
// CHECK: fuse.launch @fuse_kernels::@sixth
func.func @other(%y: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %f = tensor.empty(%n) : tensor<?xf32>
  %1 = fuse.kernel "sixth" ins(%y : tensor<?xf32>) outs(%f : tensor<?xf32>)
      -> (tensor<?xf32>) {
  ^bb0(%p: tensor<?xf32>, %o: tensor<?xf32>):
    %r = linalg.exp ins(%p : tensor<?xf32>) outs(%o : tensor<?xf32>)
        -> tensor<?xf32>
    fuse.yield %r : tensor<?xf32>
  }
  return %1 : tensor<?xf32>
}

// CHECK-LABEL: gpu.module @fuse_kernels
// CHECK-COUNT-4: gpu.func @
// CHECK-NOT: gpu.func @
