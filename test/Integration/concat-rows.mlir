// A norm of concatenated rows: each operand is read by accesses of 16 bytes, and
// once, whether its elements are needed as they are or widened from bf16.
// RUN: fuse-run %s --report=%t.json | FileCheck %s
// RUN: %python -c "import json; g = [x for x in json.load(open(r'%t.json'))['groups'] if x['counted_sectors']]; s = g[0]['counted_sectors']; assert len(g) == 1 and s['unique'] > 800 and s['requested'] < 1.05 * s['unique'], g"
// RUN: fuse-run %s --entry=narrow --report=%t.narrow.json | FileCheck %s
// RUN: %python -c "import json; g = [x for x in json.load(open(r'%t.narrow.json'))['groups'] if x['counted_sectors']]; s = g[0]['counted_sectors']; assert len(g) == 1 and s['unique'] > 800 and s['requested'] < 1.05 * s['unique'], g"
// CHECK: kernels         7 -> 2
// CHECK: verified        yes
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<37x96xf32>, %y: tensor<37x32xf32>, %z: tensor<37x64xf32>) -> tensor<37x192xf32> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.concat dim(1) %x, %y, %z : (tensor<37x96xf32>, tensor<37x32xf32>, tensor<37x64xf32>) -> tensor<37x192xf32>
  %e = tensor.empty() : tensor<37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%c : tensor<37x192xf32>) outs(%f : tensor<37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<37xf32>
  %t = tensor.empty() : tensor<37x192xf32>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%c, %s : tensor<37x192xf32>, tensor<37xf32>) outs(%t : tensor<37x192xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.divf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<37x192xf32>
  return %w : tensor<37x192xf32>
}
func.func @narrow(%x: tensor<37x96xbf16>, %y: tensor<37x32xbf16>, %z: tensor<37x64xbf16>) -> tensor<37x192xbf16> {
  %zero = arith.constant 0.0 : f32
  %c = tensor.concat dim(1) %x, %y, %z : (tensor<37x96xbf16>, tensor<37x32xbf16>, tensor<37x64xbf16>) -> tensor<37x192xbf16>
  %n = tensor.empty() : tensor<37x192xf32>
  %u = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<37x192xbf16>) outs(%n : tensor<37x192xf32>) {
  ^bb0(%a: bf16, %o: f32):
    %r = arith.extf %a : bf16 to f32
    linalg.yield %r : f32
  } -> tensor<37x192xf32>
  %e = tensor.empty() : tensor<37xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%u : tensor<37x192xf32>) outs(%f : tensor<37xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %q, %o : f32
    linalg.yield %r : f32
  } -> tensor<37xf32>
  %t = tensor.empty() : tensor<37x192xbf16>
  %w = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%u, %s : tensor<37x192xf32>, tensor<37xf32>) outs(%t : tensor<37x192xbf16>) {
  ^bb0(%a: f32, %b: f32, %o: bf16):
    %r = arith.divf %a, %b : f32
    %v = arith.truncf %r : f32 to bf16
    linalg.yield %v : bf16
  } -> tensor<37x192xbf16>
  return %w : tensor<37x192xbf16>
}
