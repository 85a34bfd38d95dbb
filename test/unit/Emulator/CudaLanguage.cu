//===- CudaLanguage.cu - Kernels that use more of CUDA --------------------===//
//
// Recursion, function pointers, classes, printf, assert, cooperative groups,
// wmma, f8. CudaLanguageTest.cpp holds what each must compute.
//
//===----------------------------------------------------------------------===//
#include "CudaLanguage.h"

#include <assert.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <mma.h>

namespace cg = cooperative_groups;
namespace wmma = nvcuda::wmma;
#define KERNEL extern "C" __global__ void
__device__ int globalId() { return blockIdx.x * blockDim.x + threadIdx.x; }

#define MAP(NAME, OUT, IN)                                                     \
  KERNEL k_##NAME(const IN *a, const IN *b, OUT *o, int n) {                   \
    int i = globalId();                                                        \
    if (i < n)                                                                 \
      o[i] = NAME(a[i], b[i]);                                                 \
  }
#define MAP_INT(NAME) MAP(NAME, int, int)
#define MAP_FLOAT(NAME) MAP(NAME, float, float)
LANGUAGE_INT(MAP_INT)
LANGUAGE_FLOAT(MAP_FLOAT)
MAP(int128, i64, i64)

//===-- Function pointers, globals -----------------------------------------=//

__device__ __noinline__ int plusThree(int x) { return x + 3; }
__device__ __noinline__ int timesFive(int x) { return x * 5; }
__device__ __noinline__ int viaRecursion(int x) {
  return x <= 1 ? 1 : x + viaRecursion(x - 2);
}
typedef int (*Function)(int);
__device__ Function functions[3] = {plusThree, timesFive, viaRecursion};
KERNEL k_functionPointers(const int *a, int *o) {
  int v = a[globalId()] & 0x3f;
  Function f = functions[v % 3];
  o[globalId()] = f(v) + functions[(v + 1) % 3](v);
}

struct Node {
  int value;
  const Node *next;
};
__device__ const Node third = {30, 0};
__device__ const Node second = {20, &third};
__device__ const Node first = {10, &second};
__constant__ short weights[2][3] = {{1, -2, 3}, {-4, 5, -6}};
__device__ int counter = 5;
KERNEL k_globals(int *o) {
  int sum = 0;
  for (const Node *node = &first; node; node = node->next)
    sum = sum * 3 + node->value;
  o[threadIdx.x] = sum + weights[threadIdx.x & 1][threadIdx.x % 3];
  atomicAdd(&counter, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    o[32] = atomicAdd(&counter, 0);
}

//===-- printf, assert -----------------------------------------------------=//

KERNEL k_printf(const int *a) {
  if (threadIdx.x % 16 == 0)
    printf("block %d thread %u: %5d|%-6.2f|%s|%llx|%c%%\n", blockIdx.x,
           threadIdx.x, a[globalId()], 0.5 * threadIdx.x, "text",
           0x123456789abcULL, 'z');
}
KERNEL k_assert(const int *a, int limit) {
  assert(a[globalId()] < limit && "value is too large");
}

//===-- Shared memory ------------------------------------------------------=//

KERNEL k_dynamicShared(const int *a, int *o, int n) {
  extern __shared__ char raw[];
  int *ints = (int *)raw;
  short *shorts = (short *)(raw + 4 * n);
  int t = threadIdx.x;
  ints[t] = a[t];
  shorts[n - 1 - t] = (short)(a[t] >> 3);
  __syncthreads();
  o[t] = ints[(t * 7) % n] + shorts[t];
}
__device__ __noinline__ int sumGeneric(const int *p, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k)
    sum += p[k] * (k + 1);
  return sum;
}
__constant__ int fixedTable[4] = {9, 8, 7, 6};
KERNEL k_generic(const int *a, int *o) {
  __shared__ int s[4];
  int l[4];
  if (threadIdx.x < 4)
    s[threadIdx.x] = a[threadIdx.x];
  for (int k = 0; k < 4; ++k)
    l[k] = a[threadIdx.x] + k;
  __syncthreads();
  const int *p = threadIdx.x % 4 == 0   ? s
                 : threadIdx.x % 4 == 1 ? l
                 : threadIdx.x % 4 == 2 ? a
                                        : fixedTable;
  o[threadIdx.x] = sumGeneric(p, 4);
}
KERNEL k_pipeline(const int4 *a, int4 *o, int stages) {
  __shared__ int4 tile[2][32];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], &a[t], 16);
  __pipeline_commit();
  for (int k = 0; k < stages; ++k) {
    if (k + 1 < stages)
      __pipeline_memcpy_async(&tile[(k + 1) % 2][t], &a[(k + 1) * 32 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    int4 v = tile[k % 2][31 - t];
    o[k * 32 + t] = make_int4(v.w, v.z, v.y + k, v.x);
    __syncthreads();
  }
}

//===-- Cooperative groups -------------------------------------------------=//

KERNEL k_tiles(const int *a, int *o) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
  int v = a[block.thread_rank()];
  int sum = cg::reduce(tile, v, cg::plus<int>());
  int high = cg::reduce(tile, v, cg::greater<int>());
  block.sync();
  o[block.thread_rank()] =
      sum - high + tile.shfl(v, 3) + (int)tile.meta_group_rank();
}
KERNEL k_coalesced(const int *a, int *o, int *count) {
  int v = a[threadIdx.x], r = -1;
  if (v % 3 == 0) {
    cg::coalesced_group active = cg::coalesced_threads();
    int base = 0;
    if (active.thread_rank() == 0)
      base = atomicAdd(count, (int)active.size());
    base = active.shfl(base, 0);
    r = base + (int)active.thread_rank();
  }
  o[threadIdx.x] = r;
}

//===-- Bits ---------------------------------------------------------------=//

KERNEL k_bits(const unsigned *a, const unsigned *b, unsigned *o) {
  int i = threadIdx.x;
  unsigned x = a[i], y = b[i];
  o[8 * i] = __brev(x) ^ __popc(y) ^ (unsigned)__clz(x);
  o[8 * i + 1] = (unsigned)__ffs(x) + (unsigned)__ffsll((u64)y << 17);
  o[8 * i + 2] = __byte_perm(x, y, x & 0x7777);
  o[8 * i + 3] = __funnelshift_l(x, y, x & 63) ^ __funnelshift_rc(x, y, y & 63);
  o[8 * i + 4] = __umulhi(x, y) + __usad(x, y, 5);
  o[8 * i + 5] = (unsigned)__dp4a((int)x, (int)y, -3);
  o[8 * i + 6] = (unsigned)(__umul64hi((u64)x << 20, (u64)y << 30));
  o[8 * i + 7] = __vadd4(x, y) ^ __vmaxs2(x, y) ^ __vabsdiffu4(x, y) ^
                 __vcmpgtu4(x, y) ^ __vsub2(x, y);
}
KERNEL k_wideAtomics(const i64 *a, i64 *o, __half2 *h) {
  i64 v = a[globalId()];
  atomicMax(o, v);
  atomicMin(o + 1, v);
  atomicAnd((u64 *)o + 2, (u64)v | 0xffff);
  atomicXor((u64 *)o + 3, (u64)v);
  u64 seen = (u64)o[4], old;
  do {
    old = seen;
    seen = atomicCAS((u64 *)o + 4, old, old + (u64)(v & 0xff));
  } while (seen != old);
  atomicAdd(h, __floats2half2_rn(1.0f, -0.5f));
}

//===-- Narrow floats ------------------------------------------------------=//

KERNEL k_f8(const float *a, unsigned char *q, float *o) {
  int i = globalId();
  __nv_fp8_e4m3 x(a[i]);
  __nv_fp8_e5m2 y(a[i]);
  q[2 * i] = x.__x;
  q[2 * i + 1] = y.__x;
  o[2 * i] = (float)x;
  o[2 * i + 1] = (float)y;
}
KERNEL k_halfMath(const __half *a, float *o) {
  int i = globalId();
  o[4 * i] = __half2float(hexp2(a[i]));
  o[4 * i + 1] = __half2float(hsqrt(__habs(a[i])));
  o[4 * i + 2] = __half2float(hrcp(__hadd(a[i], __float2half(5.0f))));
  o[4 * i + 3] = __half2float(hfloor(a[i]));
}

//===-- Matrices by the wmma interface -------------------------------------=//

template <typename LayoutA, typename LayoutB>
__device__ void wmmaProduct(const __half *a, const __half *b, const float *c,
                            float *d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, LayoutB> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fa, a, 24);
  wmma::load_matrix_sync(fb, b, 24);
  wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
  for (int k = 0; k < fa.num_elements; ++k)
    fa.x[k] = __hmul(fa.x[k], __float2half(0.5f));
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 20, wmma::mem_col_major);
}
KERNEL k_wmma(const __half *a, const __half *b, const float *c, float *d) {
  wmmaProduct<wmma::row_major, wmma::col_major>(a, b, c, d);
  wmmaProduct<wmma::col_major, wmma::row_major>(a, b, c, d + 320);
}
KERNEL k_wmmaInt(const signed char *a, const signed char *b, int *d) {
  wmma::fragment<wmma::matrix_a, 32, 8, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(fc, 7);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 8, wmma::mem_row_major);
}
