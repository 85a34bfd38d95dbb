//===- CudaCluster.cu - Kernels of clusters and asynchronous copies -------===//
//
// Compiled for sm_90 and later. CudaClusterTest.cpp holds what each must
// compute.
//
//===----------------------------------------------------------------------===//
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void
typedef unsigned long long u64;

__device__ unsigned sharedAddress(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

/// Each block reads the words of the next one of its cluster.
KERNEL __cluster_dims__(4, 1, 1)
    k_neighbour(const int *a, int *o, unsigned *facts) {
  __shared__ int words[32];
  cg::cluster_group cluster = cg::this_cluster();
  int i = blockIdx.x * 32 + threadIdx.x;
  words[threadIdx.x] = a[i];
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  const int *theirs = cluster.map_shared_rank(words, next);
  o[i] = theirs[threadIdx.x] * 2 + (int)cluster.query_shared_rank(theirs);
  if (threadIdx.x == 0) {
    facts[4 * blockIdx.x] = cluster.block_rank();
    facts[4 * blockIdx.x + 1] = cluster.num_blocks();
    facts[4 * blockIdx.x + 2] = cluster.dim_blocks().x;
    facts[4 * blockIdx.x + 3] = cluster.thread_rank();
  }
  cluster.sync();
}

/// Bins are spread over the blocks of a cluster of run-time size.
KERNEL k_distributedHistogram(const int *a, int *o, int n) {
  __shared__ int bins[16];
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x < 16)
    bins[threadIdx.x] = 0;
  cluster.sync();
  unsigned blocks = cluster.num_blocks();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    unsigned bin = (unsigned)a[i] % (16 * blocks);
    atomicAdd(cluster.map_shared_rank(bins, bin / 16) + bin % 16, 1);
  }
  cluster.sync();
  if (threadIdx.x < 16)
    atomicAdd(&o[cluster.block_rank() * 16 + threadIdx.x], bins[threadIdx.x]);
}

/// Arrive early, wait late; every block gives its sum to rank 0.
KERNEL __cluster_dims__(2, 2, 1) k_clusterSum(const int *a, int *o) {
  __shared__ int sums[4];
  cg::cluster_group cluster = cg::this_cluster();
  int rank = (int)cluster.block_rank();
  int block = blockIdx.y * gridDim.x + blockIdx.x;
  auto token = cluster.barrier_arrive();
  int v = a[block * 32 + threadIdx.x];
  for (int d = 16; d; d /= 2)
    v += __shfl_xor_sync(~0u, v, d);
  cluster.barrier_wait(std::move(token));
  if (threadIdx.x == 0)
    cluster.map_shared_rank(sums, 0)[rank] = v;
  cluster.sync();
  if (rank == 0 && threadIdx.x < 4)
    o[4 * ((blockIdx.y / 2) * (gridDim.x / 2) + blockIdx.x / 2) + threadIdx.x] =
        sums[threadIdx.x];
}

/// Rank 1 sends words and completes transactions on the barrier of rank 0.
KERNEL __cluster_dims__(2, 1, 1) k_storeAsync(const int *a, int *o) {
  __shared__ __align__(16) int words[32];
  __shared__ __align__(8) u64 full;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned bar = sharedAddress(&full), to = sharedAddress(words);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(bar));
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 128;" ::"r"(
        bar));
  }
  cluster.sync();
  if (cluster.block_rank() == 1) {
    asm volatile("{.reg .b32 b, w;\n"
                 "mapa.shared::cluster.u32 b, %0, 0;\n"
                 "mapa.shared::cluster.u32 w, %1, 0;\n"
                 "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes"
                 ".b32 [w], %2, [b];}" ::"r"(bar),
                 "r"(to + 4 * threadIdx.x),
                 "r"(a[blockIdx.x / 2 * 32 + threadIdx.x] + 7));
  } else {
    asm volatile("{.reg .pred p;\nWAIT:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra WAIT;}" ::"r"(bar)
                 : "memory");
    o[blockIdx.x / 2 * 32 + threadIdx.x] = words[threadIdx.x];
  }
  cluster.sync();
}

/// Threads of all blocks arrive at the barrier of rank 0.
KERNEL __cluster_dims__(4, 1, 1) k_remoteArrive(int *o) {
  __shared__ __align__(8) u64 full;
  __shared__ int count;
  cg::cluster_group cluster = cg::this_cluster();
  unsigned bar = sharedAddress(&full);
  if (threadIdx.x == 0) {
    count = 0;
    asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(bar));
  }
  cluster.sync();
  atomicAdd(cluster.map_shared_rank(&count, 0), (int)cluster.block_rank());
  asm volatile("{.reg .b32 b;\n"
               "mapa.shared::cluster.u32 b, %0, 0;\n"
               "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [b];}"
               ::"r"(bar) : "memory");
  if (cluster.block_rank() == 0) {
    asm volatile("{.reg .pred p;\nWAIT:\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
                 "p, [%0], 0;\n@!p bra WAIT;}" ::"r"(bar)
                 : "memory");
    o[blockIdx.x / 4 * 32 + threadIdx.x] = count;
  }
  cluster.sync();
}


/// Reads the memory of a block that has ended.
KERNEL __cluster_dims__(2, 1, 1) k_endedBlock(int *o) {
  __shared__ int word;
  word = 3;
  cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();
  if (cluster.block_rank() == 1)
    return;
  for (int i = 0; i < 20000; ++i)
    atomicAdd(o, 1);
  o[1] = *cluster.map_shared_rank(&word, 1);
}
