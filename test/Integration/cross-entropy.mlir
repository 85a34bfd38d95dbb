// Cross entropy with its gradient: the loss of each row (the target's logit is
// gathered) and softmax minus one-hot, in one kernel that reads the logits once.
// RUN: fuse-run %s | FileCheck %s
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes

#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>

func.func @main(%x: tensor<37x1003xf32>, %target: tensor<37xi64>) -> (tensor<37xf32>, tensor<37x1003xf32>) {
  %z = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<37xf32>
  %e2 = tensor.empty() : tensor<37x1003xf32>
  %im = linalg.fill ins(%lowest : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %is = linalg.fill ins(%z : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %m = linalg.reduce { arith.maximumf } ins(%x : tensor<37x1003xf32>) outs(%im : tensor<37xf32>) dimensions = [1]
  %s = linalg.generic {indexing_maps = [#full, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %m : tensor<37x1003xf32>, tensor<37xf32>) outs(%is : tensor<37xf32>) {
  ^bb0(%v: f32, %mv: f32, %acc: f32):
    %d = arith.subf %v, %mv : f32
    %p = math.exp %d : f32
    %a = arith.addf %acc, %p : f32
    linalg.yield %a : f32
  } -> tensor<37xf32>
  // Targets beyond the classes count from their beginning.
  %loss = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%m, %s, %target : tensor<37xf32>, tensor<37xf32>, tensor<37xi64>) outs(%e : tensor<37xf32>) {
  ^bb0(%mv: f32, %sv: f32, %t: i64, %o: f32):
    %classes = arith.constant 1003 : i64
    %wrapped = arith.remui %t, %classes : i64
    %i = linalg.index 0 : index
    %j = arith.index_cast %wrapped : i64 to index
    %v = tensor.extract %x[%i, %j] : tensor<37x1003xf32>
    %l = math.log %sv : f32
    %a = arith.addf %l, %mv : f32
    %r = arith.subf %a, %v : f32
    linalg.yield %r : f32
  } -> tensor<37xf32>
  %dx = linalg.generic {indexing_maps = [#full, #row, #row, #row, #full], iterator_types = ["parallel", "parallel"]} ins(%x, %m, %s, %target : tensor<37x1003xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xi64>) outs(%e2 : tensor<37x1003xf32>) {
  ^bb0(%v: f32, %mv: f32, %sv: f32, %t: i64, %o: f32):
    %classes = arith.constant 1003 : i64
    %n = arith.constant 37.0 : f32
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %wrapped = arith.remui %t, %classes : i64
    %j = linalg.index 1 : index
    %ji = arith.index_cast %j : index to i64
    %hit = arith.cmpi eq, %wrapped, %ji : i64
    %hot = arith.select %hit, %one, %zero : f32
    %d = arith.subf %v, %mv : f32
    %p = math.exp %d : f32
    %q = arith.divf %p, %sv : f32
    %g = arith.subf %q, %hot : f32
    %r = arith.divf %g, %n : f32
    linalg.yield %r : f32
  } -> tensor<37x1003xf32>
  return %loss, %dx : tensor<37xf32>, tensor<37x1003xf32>
}
