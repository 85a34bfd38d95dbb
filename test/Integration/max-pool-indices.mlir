// Where in its window is the maximum? The second reduction reads the windows by
// index arithmetic and is unrolled with the pooling: what both need is loaded
// once. A row of it that is longer than a window is no such thing.
// RUN: split-file %s %t
// RUN: fuse-run %t/pool.mlir | FileCheck %s --check-prefix=POOL
// RUN: fuse-run %t/long.mlir --strategy=max | FileCheck %s --check-prefix=LONG
// POOL: main_0_pooling_nchw_max window
// POOL: kernels         2 -> 1
// POOL: verified        yes, max error 0 (emulator)
// LONG-NOT: window
// LONG: verified        yes, max error 0 (emulator)

//--- pool.mlir
#out = affine_map<(n, c, y, x, i, j) -> (n, c, y, x)>
#window = affine_map<(n, c, y, x, i, j) -> (i, j)>
func.func @main(%input: tensor<2x3x10x14xf32>) -> (tensor<2x3x5x7xf32>, tensor<2x3x5x7xi64>) {
  %least = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i64
  %c2 = arith.constant 2 : index
  %c14 = arith.constant 14 : index
  %e = tensor.empty() : tensor<2x3x5x7xf32>
  %f = linalg.fill ins(%least : f32) outs(%e : tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %w = tensor.empty() : tensor<2x2xf32>
  %max = linalg.pooling_nchw_max {strides = dense<2> : vector<2xi64>} ins(%input, %w : tensor<2x3x10x14xf32>, tensor<2x2xf32>) outs(%f : tensor<2x3x5x7xf32>) -> tensor<2x3x5x7xf32>
  %ie = tensor.empty() : tensor<2x3x5x7xi64>
  %if = linalg.fill ins(%none : i64) outs(%ie : tensor<2x3x5x7xi64>) -> tensor<2x3x5x7xi64>
  %iw = tensor.empty() : tensor<2x2xi64>
  %at = linalg.generic {indexing_maps = [#out, #window, #out], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%max, %iw : tensor<2x3x5x7xf32>, tensor<2x2xi64>) outs(%if : tensor<2x3x5x7xi64>) {
  ^bb0(%m: f32, %unused: i64, %found: i64):
    %n = linalg.index 0 : index
    %c = linalg.index 1 : index
    %y = linalg.index 2 : index
    %x = linalg.index 3 : index
    %i = linalg.index 4 : index
    %j = linalg.index 5 : index
    %y2 = arith.muli %y, %c2 : index
    %row = arith.addi %y2, %i : index
    %x2 = arith.muli %x, %c2 : index
    %column = arith.addi %x2, %j : index
    %element = tensor.extract %input[%n, %c, %row, %column] : tensor<2x3x10x14xf32>
    %is = arith.cmpf oeq, %element, %m : f32
    %base = arith.muli %row, %c14 : index
    %place = arith.addi %base, %column : index
    %number = arith.index_cast %place : index to i64
    %taken = arith.select %is, %number, %found : i64
    %first = arith.cmpi eq, %found, %none : i64
    %r = arith.select %first, %taken, %found : i64
    linalg.yield %r : i64
  } -> tensor<2x3x5x7xi64>
  return %max, %at : tensor<2x3x5x7xf32>, tensor<2x3x5x7xi64>
}

//--- long.mlir
func.func @main(%input: tensor<64x66xf32>, %other: tensor<64x64x50xf32>) -> (tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %w = tensor.empty() : tensor<3xf32>
  %max = linalg.generic {indexing_maps = [affine_map<(n, x, i) -> (n, x + i)>, affine_map<(n, x, i) -> (i)>, affine_map<(n, x, i) -> (n, x)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%input, %w : tensor<64x66xf32>, tensor<3xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %unused: f32, %o: f32):
    %r = arith.maximumf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(n, x, i) -> (n, x)>, affine_map<(n, x, i) -> (n, x, i)>, affine_map<(n, x, i) -> (n, x)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%max, %other : tensor<64x64xf32>, tensor<64x64x50xf32>) outs(%f : tensor<64x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %m = arith.minimumf %a, %b : f32
    %r = arith.maximumf %m, %o : f32
    linalg.yield %r : f32
  } -> tensor<64x64xf32>
  return %sum : tensor<64x64xf32>
}
