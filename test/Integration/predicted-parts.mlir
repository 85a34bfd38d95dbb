// Predicted sectors of a concatenation in rows, of which some parts are read by a few
// warps only: within 5 % of what the emulator counts.
// RUN: fuse-run %s --assemble=false --report=%t.1.json
// In a cluster a block has a part of the columns.
// RUN: sed 's/<512x/<64x/g' %s > %t.few.mlir && fuse-run %t.few.mlir --assemble=false --report=%t.2.json
// RUN: %python %S/Inputs/check_predicted.py %t.1.json row %t.2.json row

func.func @main(%a: tensor<512x1024xf16>, %b: tensor<512x4096xf16>, %c: tensor<512x2048xf16>, %d: tensor<512x512xf16>, %e: tensor<512x8192xf16>, %f: tensor<512x256xf16>) -> tensor<512x16128xf16> {
  %all = tensor.concat dim(1) %a, %b, %c, %d, %e, %f : (tensor<512x1024xf16>, tensor<512x4096xf16>, tensor<512x2048xf16>, tensor<512x512xf16>, tensor<512x8192xf16>, tensor<512x256xf16>) -> tensor<512x16128xf16>
  %zero = arith.constant 0.0 : f32
  %s = tensor.empty() : tensor<512xf32>
  %t = linalg.fill ins(%zero : f32) outs(%s : tensor<512xf32>) -> tensor<512xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%all : tensor<512x16128xf16>) outs(%t : tensor<512xf32>) {
  ^bb0(%x: f16, %acc: f32):
    %w = arith.extf %x : f16 to f32
    %r = arith.addf %acc, %w : f32
    linalg.yield %r : f32
  } -> tensor<512xf32>
  %o = tensor.empty() : tensor<512x16128xf16>
  %out = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%all, %sum : tensor<512x16128xf16>, tensor<512xf32>) outs(%o : tensor<512x16128xf16>) {
  ^bb0(%x: f16, %y: f32, %z: f16):
    %w = arith.extf %x : f16 to f32
    %q = arith.divf %w, %y : f32
    %n = arith.truncf %q : f32 to f16
    linalg.yield %n : f16
  } -> tensor<512x16128xf16>
  return %out : tensor<512x16128xf16>
}
