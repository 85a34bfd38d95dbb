// The expansions of elementary functions, run as kernels, against the C library
// on the CPU: 2 ulp at most. Arguments are spread over (-8, 8); those of logarithms and roots
// are made positive.
// RUN: fuse-run %s | FileCheck %s
// CHECK: kernels         {{[0-9]+}} -> 1
// CHECK: verified        yes, max error {{0|[0-2]\.[0-9]+e-07|[0-9.]+e-0[89]}} (
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<4099xf32>, %y: tensor<4099xf32>) -> (tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>) {
  %e = tensor.empty() : tensor<4099xf32>
  %scale = arith.constant 8.0 : f32
  %small = arith.constant 0.001 : f32
  %r:20 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4099xf32>, tensor<4099xf32>) outs(%e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e, %e : tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>) {
  ^bb0(%a: f32, %b: f32, %o0: f32, %o1: f32, %o2: f32, %o3: f32, %o4: f32, %o5: f32, %o6: f32, %o7: f32, %o8: f32, %o9: f32, %o10: f32, %o11: f32, %o12: f32, %o13: f32, %o14: f32, %o15: f32, %o16: f32, %o17: f32, %o18: f32, %o19: f32):
    %w = arith.mulf %a, %scale : f32
    %abs = math.absf %w : f32
    %pos = arith.addf %abs, %small : f32
    %0 = math.exp %w : f32
    %1 = math.exp2 %w : f32
    %2 = math.expm1 %w : f32
    %3 = math.tanh %w : f32
    %4 = math.erf %w : f32
    %5 = math.sin %w : f32
    %6 = math.cos %w : f32
    %7 = math.log1p %pos : f32
    %8 = math.rsqrt %pos : f32
    %9 = math.log %pos : f32
    %10 = math.log2 %pos : f32
    %11 = math.log10 %pos : f32
    %12 = math.sqrt %pos : f32
    %13 = math.absf %w : f32
    %14 = math.absf %w : f32
    %15 = math.floor %w : f32
    %16 = math.ceil %w : f32
    %17 = math.roundeven %w : f32
    %18 = math.absf %w : f32
    %19 = math.powf %pos, %b : f32
    linalg.yield %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19 : f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32, f32
  } -> (tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6, %r#7, %r#8, %r#9, %r#10, %r#11, %r#12, %r#13, %r#14, %r#15, %r#16, %r#17, %r#18, %r#19 : tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>, tensor<4099xf32>
}
