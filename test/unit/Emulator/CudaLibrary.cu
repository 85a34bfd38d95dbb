//===- CudaLibrary.cu - Kernels over CUDA's C++ libraries -----------------===//
//
// CUB's block primitives, libcu++'s pipelines, barriers and atomics, the heap
// of the device, virtual functions. CudaLibraryTest.cpp holds what each must
// compute.
//
//===----------------------------------------------------------------------===//
#include <cooperative_groups.h>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

// The states of barriers and pipelines have constructors, which init() stands for.
#pragma nv_diag_suppress static_var_with_dynamic_init

namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void

//===-- CUB; blocks of 128 threads -----------------------------------------=//

KERNEL k_sort(const float *a, float *o) {
  using Sort = cub::BlockRadixSort<float, 128, 4>;
  __shared__ typename Sort::TempStorage storage;
  float keys[4];
  for (int i = 0; i < 4; ++i)
    keys[i] = a[threadIdx.x * 4 + i];
  Sort(storage).Sort(keys);
  for (int i = 0; i < 4; ++i)
    o[threadIdx.x * 4 + i] = keys[i];
}
KERNEL k_scan(const int *a, int *o) {
  using Scan = cub::BlockScan<int, 128, cub::BLOCK_SCAN_WARP_SCANS>;
  __shared__ typename Scan::TempStorage storage;
  int value = a[threadIdx.x];
  Scan(storage).ExclusiveSum(value, value);
  o[threadIdx.x] = value;
}
KERNEL k_reduce(const double *a, double *o) {
  using Reduce = cub::BlockReduce<double, 128>;
  __shared__ typename Reduce::TempStorage storage;
  double largest = Reduce(storage).Reduce(a[threadIdx.x], cuda::maximum<>{});
  if (threadIdx.x == 0)
    *o = largest;
}
KERNEL k_histogram(const unsigned char *a, unsigned *o) {
  using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 256,
                                        cub::BLOCK_HISTO_SORT>;
  __shared__ typename Histogram::TempStorage storage;
  __shared__ unsigned bins[256];
  unsigned char keys[4];
  for (int i = 0; i < 4; ++i)
    keys[i] = a[threadIdx.x * 4 + i];
  Histogram(storage).Histogram(keys, bins);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128)
    o[i] = bins[i];
}
KERNEL k_loadStore(const int *a, int *o, int n) {
  using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, 128, 4, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
  } storage;
  int values[4] = {};
  Load(storage.load).Load(a, values, n, 0);
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    values[i] *= 3;
  Store(storage.store).Store(o, values, n);
}
KERNEL k_warpScan(const int *a, int *o) {
  using Scan = cub::WarpScan<int>;
  __shared__ typename Scan::TempStorage storage[4];
  int result;
  Scan(storage[threadIdx.x / 32])
      .InclusiveScan(a[threadIdx.x], result, cuda::maximum<>{});
  o[threadIdx.x] = result;
}

//===-- libcu++ ------------------------------------------------------------=//

KERNEL k_pipeline(const float *a, float *o, int n) {
  __shared__ alignas(128) float tile[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  auto fetch = [&](int k) {
    pipe.producer_acquire();
    cuda::memcpy_async(block, tile[k & 1], a + k * 128,
                       cuda::aligned_size_t<16>(sizeof tile[0]), pipe);
    pipe.producer_commit();
  };
  for (int k = 0; k < 2 && k < n; ++k)
    fetch(k);
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    pipe.consumer_wait();
    sum += tile[k & 1][threadIdx.x ^ 1];
    pipe.consumer_release();
    if (k + 2 < n)
      fetch(k + 2);
  }
  o[threadIdx.x] = sum;
}
KERNEL k_barrier(const int *a, int *o) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  __shared__ int tile[128];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  tile[threadIdx.x] = a[threadIdx.x];
  auto token = barrier.arrive();
  int twice = a[threadIdx.x] * 2;
  barrier.wait(std::move(token));
  o[threadIdx.x] = twice + tile[127 - threadIdx.x];
  barrier.arrive_and_wait();
  barrier.arrive_and_drop();
}
KERNEL k_copyToBarrier(const int4 *a, int4 *o) {
  __shared__ alignas(16) int4 tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, tile, a, cuda::aligned_size_t<16>(sizeof tile),
                     barrier);
  barrier.arrive_and_wait();
  o[threadIdx.x] = tile[127 - threadIdx.x];
}
KERNEL k_atomics(int *counts, double *sum, short *half) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(counts[0]);
  count.fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_system> largest(counts[1]);
  largest.fetch_max(int(threadIdx.x), cuda::memory_order_acq_rel);
  cuda::atomic_ref<int, cuda::thread_scope_device> tries(counts[2]);
  int seen = tries.load(cuda::memory_order_acquire);
  while (!tries.compare_exchange_weak(seen, seen * 3 + 1,
                                      cuda::memory_order_seq_cst))
    ;
  cuda::atomic_ref<double, cuda::thread_scope_block> total(*sum);
  total.fetch_add(0.5);
  cuda::atomic_ref<short, cuda::thread_scope_device> narrow(half[1]);
  narrow.fetch_sub(1);
}

//===-- The heap, virtual functions ----------------------------------------=//

KERNEL k_heap(const int *a, int *o) {
  int n = a[threadIdx.x];
  int *values = new int[n + 1];
  for (int i = 0; i <= n; ++i)
    values[i] = i * n;
  int sum = 0;
  for (int i = 0; i <= n; ++i)
    sum += values[i];
  delete[] values;
  o[threadIdx.x] = sum;
}
KERNEL k_freeTwice(int *o) {
  int *value = (int *)malloc(4);
  *value = 7;
  *o = *value;
  free(value);
  free(value);
}
KERNEL k_heapIsFull(int *o) { *o = malloc(size_t(1) << 30) == nullptr; }

struct Shape {
  int size;
  __device__ Shape(int size) : size(size) {}
  __device__ virtual int area(int x) const { return x + size; }
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  using Shape::Shape;
  __device__ int area(int x) const override { return x * size; }
};
struct Scaled : Square {
  double factor;
  __device__ Scaled(int size) : Square(size), factor(size * 0.5) {}
  __device__ int area(int x) const override {
    return int(x * factor) + Square::area(x);
  }
};
KERNEL k_virtual(const int *a, int *o) {
  Shape shape(3);
  Square square(4);
  Scaled scaled(5);
  const Shape *all[3] = {&shape, &square, &scaled};
  o[threadIdx.x] = all[a[threadIdx.x] % 3]->area(threadIdx.x);
}
