// What is gathered at the number of a loop and an index from the data needs results of
// reductions at that row only: the loss of a label beside the softmax of its row is one
// kernel, which reads the row once. At another row it would be evaluated again.
// RUN: split-file %s %t
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/loss.mlir --report=%t/report.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=SECTORS < %t/report.json
// RUN: env FUSE_RUNTIME_CHECK=all fuse-run %t/other-row.mlir | FileCheck %s --check-prefix=TWO
// CHECK: main_0_reduction row
// CHECK: kernels {{.*}}-> 1
// CHECK: verified{{ +}}yes
// 40 rows of 1,000 elements are 5,000 sectors; labels, losses, and gathered elements,
// which each warp of a row asks for.
// SECTORS: "counted_sectors": {
// SECTORS: "requested": 51{{[0-9][0-9],$}}
// SECTORS: "predicted_sectors": {
// SECTORS: "requested": 5{{[01][0-9][0-9],$}}
// TWO: kernels {{.*}}-> 2
// TWO: verified{{ +}}yes

//--- loss.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<40x1000xf32>, %labels: tensor<40xi32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %n = arith.constant 1000 : i32
  %er = tensor.empty() : tensor<40xf32>
  %e = tensor.empty() : tensor<40x1000xf32>
  %fm = linalg.fill ins(%ninf : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %m = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<40x1000xf32>) outs(%fm : tensor<40xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.maximumf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<40xf32>
  %d = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %m : tensor<40x1000xf32>, tensor<40xf32>) outs(%e : tensor<40x1000xf32>) {
  ^bb0(%v: f32, %q: f32, %o: f32):
    %r = arith.subf %v, %q : f32
    linalg.yield %r : f32
  } -> tensor<40x1000xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%d : tensor<40x1000xf32>) outs(%fs : tensor<40xf32>) {
  ^bb0(%v: f32, %o: f32):
    %p = math.exp %v : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<40xf32>
  %loss = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]} ins(%labels, %s : tensor<40xi32>, tensor<40xf32>) outs(%er : tensor<40xf32>) {
  ^bb0(%label: i32, %sum: f32, %o: f32):
    %i = linalg.index 0 : index
    %rest = arith.remui %label, %n : i32
    %at = arith.index_cast %rest : i32 to index
    %picked = tensor.extract %d[%i, %at] : tensor<40x1000xf32>
    %log = math.log %sum : f32
    %r = arith.subf %log, %picked : f32
    linalg.yield %r : f32
  } -> tensor<40xf32>
  return %loss : tensor<40xf32>
}

//--- other-row.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#one = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<40x1000xf32>, %labels: tensor<40xi32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 40 : i32
  %er = tensor.empty() : tensor<40xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<40xf32>) -> tensor<40xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<40x1000xf32>) outs(%fs : tensor<40xf32>) {
  ^bb0(%v: f32, %o: f32):
    %r = arith.addf %v, %o : f32
    linalg.yield %r : f32
  } -> tensor<40xf32>
  %picked = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%labels : tensor<40xi32>) outs(%er : tensor<40xf32>) {
  ^bb0(%label: i32, %o: f32):
    %rest = arith.remui %label, %n : i32
    %at = arith.index_cast %rest : i32 to index
    %r = tensor.extract %s[%at] : tensor<40xf32>
    linalg.yield %r : f32
  } -> tensor<40xf32>
  return %picked : tensor<40xf32>
}
