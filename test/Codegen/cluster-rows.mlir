// RUN: fuse-opt %s --split-input-file --fuse-select-schedules | FileCheck %s --check-prefix=SCHEDULE
// RUN: fuse-opt %s --split-input-file --fuse-select-schedules --convert-fuse-to-gpu --canonicalize --cse | FileCheck %s

// A row of 512 KB stays in the shared memory of the four blocks of a cluster
// (eight if there are few rows). It is read once; the blocks exchange a total
// each, behind a barrier of the cluster, and none ends before all have read it.
// No partial results go through global memory.
// SCHEDULE-LABEL: fuse.kernel "center"
// SCHEDULE-SAME:    rows = 64, columns = 131072, grid = 256, threads = 1024, positions = 8, vector = 4, residency = shared
// SCHEDULE-SAME:    (d0 floordiv 4, (((d0 mod 4) * 8 + d2) * 1024 + d1) * 4 + d3)
// CHECK-LABEL: func.func @main
// CHECK-NOT:     tensor.empty
// CHECK:         fuse.launch
// CHECK-LABEL: gpu.func @center
// CHECK-SAME:    nvvm.cluster_dim = array<i32: 4, 1, 1>
// CHECK:         scf.for
// CHECK:           vector.load %{{.+}} : memref<8388608xf32>, vector<4xf32>
// CHECK:           vector.store %{{.+}} : memref<32768xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:         gpu.barrier
// CHECK-NOT:     memref<8388608xf32>
// CHECK:         llvm.inline_asm {{.*}} "barrier.cluster.arrive.release.aligned;"
// CHECK:         llvm.inline_asm {{.*}} "barrier.cluster.wait.acquire.aligned;"
// CHECK-COUNT-4: "mapa.shared::cluster.u32 $0, $1, $2;"
// CHECK-NOT:     mapa
// CHECK:         scf.for
// CHECK:           vector.load %{{.+}} : memref<32768xf32, #gpu.address_space<workgroup>>, vector<4xf32>
// CHECK:           vector.store %{{.+}} : memref<8388608xf32>, vector<4xf32>
// CHECK:         "barrier.cluster.arrive.release.aligned;"
// CHECK:         "barrier.cluster.wait.acquire.aligned;"
// CHECK-NEXT:    gpu.return
func.func @main(%x: tensor<64x131072xf32>, %e: tensor<64x131072xf32>) -> tensor<64x131072xf32> {
  %r = fuse.kernel "center" ins(%x : tensor<64x131072xf32>) outs(%e : tensor<64x131072xf32>) -> (tensor<64x131072xf32>) {
  ^bb0(%a: tensor<64x131072xf32>, %o: tensor<64x131072xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<64xf32>
    %1 = tensor.empty() : tensor<64x131072xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.reduce { arith.addf } ins(%a : tensor<64x131072xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %y = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<64x131072xf32>, tensor<64xf32>) outs(%1 : tensor<64x131072xf32>) {
    ^bb0(%in: f32, %sum: f32, %out: f32):
      %2 = arith.subf %in, %sum : f32
      linalg.yield %2 : f32
    } -> tensor<64x131072xf32>
    fuse.yield %y : tensor<64x131072xf32>
  }
  return %r : tensor<64x131072xf32>
}

// -----

// A device without clusters reads such a row again.
// SCHEDULE-LABEL: fuse.kernel "no_clusters"
// SCHEDULE-SAME:    grid = 64, {{.*}} residency = reread
// CHECK-LABEL: gpu.func @no_clusters
// CHECK-NOT:     cluster
// CHECK:         gpu.return
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"GPU" = #dlti.target_device_spec<"fuse.chip" = "sm_80">>} {
func.func @main(%x: tensor<64x131072xf32>, %e: tensor<64x131072xf32>) -> tensor<64x131072xf32> {
  %r = fuse.kernel "no_clusters" ins(%x : tensor<64x131072xf32>) outs(%e : tensor<64x131072xf32>) -> (tensor<64x131072xf32>) {
  ^bb0(%a: tensor<64x131072xf32>, %o: tensor<64x131072xf32>):
    %zero = arith.constant 0.0 : f32
    %0 = tensor.empty() : tensor<64xf32>
    %1 = tensor.empty() : tensor<64x131072xf32>
    %f = linalg.fill ins(%zero : f32) outs(%0 : tensor<64xf32>) -> tensor<64xf32>
    %s = linalg.reduce { arith.addf } ins(%a : tensor<64x131072xf32>) outs(%f : tensor<64xf32>) dimensions = [1]
    %y = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]}
        ins(%a, %s : tensor<64x131072xf32>, tensor<64xf32>) outs(%1 : tensor<64x131072xf32>) {
    ^bb0(%in: f32, %sum: f32, %out: f32):
      %2 = arith.subf %in, %sum : f32
      linalg.yield %2 : f32
    } -> tensor<64x131072xf32>
    fuse.yield %y : tensor<64x131072xf32>
  }
  return %r : tensor<64x131072xf32>
}
}
