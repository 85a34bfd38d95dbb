//===- CudaKernels.cu - Kernels for the emulator's tests ------------------===//
//
// Compiled to PTX by nvcc when the tests run. CudaKernelsTest.cpp holds what
// each must compute.
//
//===----------------------------------------------------------------------===//
#include "CudaKernels.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#define KERNEL extern "C" __global__ void
__device__ int globalId() { return blockIdx.x * blockDim.x + threadIdx.x; }

#define MAP(NAME, OUT, IN)                                                     \
  KERNEL k_##NAME(const IN *a, const IN *b, OUT *o, int n) {                   \
    int i = globalId();                                                        \
    if (i < n)                                                                 \
      o[i] = NAME(a[i], b[i]);                                                 \
  }
#define MAP_INT(NAME) MAP(NAME, int, int)
#define MAP_WIDE(NAME) MAP(NAME, i64, i64)
#define MAP_FLOAT(NAME) MAP(NAME, float, float)
#define MAP_DOUBLE(NAME) MAP(NAME, double, double)
INT_FUNCTIONS(MAP_INT)
WIDE_FUNCTIONS(MAP_WIDE)
FLOAT_FUNCTIONS(MAP_FLOAT)
DOUBLE_FUNCTIONS(MAP_DOUBLE)
CLOSE_FUNCTIONS(MAP_FLOAT)
MAP(conversions, int, float)
MAP(transcendentalDouble, double, double)

//===-- Shared memory and barriers -----------------------------------------=//

KERNEL k_blockSum(const int *a, int *o, int n) {
  __shared__ int partial[256];
  int t = threadIdx.x, sum = 0;
  for (int i = globalId(); i < n; i += gridDim.x * blockDim.x)
    sum += a[i];
  partial[t] = sum;
  __syncthreads();
  for (int half = 128; half; half >>= 1) {
    if (t < half)
      partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0)
    o[blockIdx.x] = partial[0];
}
KERNEL k_transpose(const float *a, float *o, int rows, int cols) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < cols && y < rows)
    tile[threadIdx.y][threadIdx.x] = a[y * cols + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < cols)
    o[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
KERNEL k_tiledMatmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[8][8], bs[8][8];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 8 + ty, col = blockIdx.x * 8 + tx;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    as[ty][tx] = a[row * n + k + tx];
    bs[ty][tx] = b[(k + ty) * n + col];
    __syncthreads();
    for (int j = 0; j < 8; ++j)
      sum += as[ty][j] * bs[j][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
KERNEL k_scan(const int *a, int *o, int n) {
  extern __shared__ int buffer[];
  int t = threadIdx.x;
  buffer[t] = t < n ? a[t] : 0;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int v = t >= d ? buffer[t - d] : 0;
    __syncthreads();
    buffer[t] += v;
    __syncthreads();
  }
  if (t < n)
    o[t] = buffer[t];
}
KERNEL k_bitonic(int *a) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 128 + t];
  __syncthreads();
  for (int k = 2; k <= 128; k *= 2)
    for (int j = k / 2; j; j /= 2) {
      int other = t ^ j;
      if (other > t && (s[t] > s[other]) == ((t & k) == 0)) {
        int v = s[t];
        s[t] = s[other];
        s[other] = v;
      }
      __syncthreads();
    }
  a[blockIdx.x * 128 + t] = s[t];
}
KERNEL k_stencil(const float *a, float *o, int n) {
  __shared__ float s[66];
  int t = threadIdx.x, i = globalId();
  s[t + 1] = i < n ? a[i] : 0;
  if (t == 0)
    s[0] = i > 0 ? a[i - 1] : 0;
  if (t == 63)
    s[65] = i + 1 < n ? a[i + 1] : 0;
  __syncthreads();
  if (i < n)
    o[i] = (s[t] + s[t + 2]) * 0.25f + s[t + 1] * 0.5f;
}
KERNEL k_syncCount(const int *a, int *o) {
  int odd = __syncthreads_count(a[globalId()] & 1);
  int all = __syncthreads_and(a[globalId()] != 12345);
  int any = __syncthreads_or(a[globalId()] == a[0]);
  o[globalId()] = odd * 4 + all * 2 + any;
}

//===-- Warp primitives ----------------------------------------------------=//

KERNEL k_warpSum(const int *a, int *o) {
  int v = a[globalId()];
  for (int d = 16; d; d >>= 1)
    v += __shfl_down_sync(~0u, v, d);
  v = __shfl_sync(~0u, v, 0);
  o[globalId()] = v;
}
KERNEL k_segmentScan(const int *a, int *o) {
  int lane = threadIdx.x & 31, v = a[globalId()];
  for (int d = 1; d < 8; d *= 2) {
    int u = __shfl_up_sync(~0u, v, d, 8);
    if ((lane & 7) >= d)
      v += u;
  }
  o[globalId()] = v;
}
/// redux.sync is one of sm_80.
__device__ unsigned reduceMax(unsigned v) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(~0u, v);
#else
  for (int d = 16; d; d >>= 1)
    v = max(v, __shfl_xor_sync(~0u, v, d));
  return v;
#endif
}
KERNEL k_votes(const int *a, unsigned *o) {
  int v = a[globalId()];
  unsigned ballot = __ballot_sync(~0u, v & 1);
  unsigned peers = __match_any_sync(~0u, v & 3);
  int pred;
  unsigned same = __match_all_sync(~0u, v & 0, &pred);
  o[globalId()] = ballot * 31 + peers * 7 + __all_sync(~0u, v > -5) +
                  __any_sync(~0u, v == a[3]) * 2 + (same == ~0u) * 4 +
                  pred * 8 + reduceMax((unsigned)v & 0xfff);
}
KERNEL k_divergentShuffle(const int *a, int *o) {
  int v = a[globalId()], r = 0;
  if (v & 1) {
    unsigned m = __activemask();
    r = __popc(m) + 100;
    __syncwarp(m);
  }
  __syncwarp();
  if ((threadIdx.x & 31) < 16)
    r += __shfl_xor_sync(0xffff, v, 3);
  else
    r -= __shfl_xor_sync(0xffff0000, v, 5);
  o[globalId()] = r;
}
KERNEL k_compact(const int *a, int *o, int *count) {
  int v = a[globalId()];
  bool keep = v % 3 == 0;
  unsigned ballot = __ballot_sync(~0u, keep);
  int lane = threadIdx.x & 31, base = 0;
  if (lane == 0)
    base = atomicAdd(count, __popc(ballot));
  base = __shfl_sync(~0u, base, 0);
  if (keep)
    o[base + __popc(ballot & ((1u << lane) - 1))] = v;
}

//===-- Atomics ------------------------------------------------------------=//

KERNEL k_histogram(const int *a, int *o, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  __syncthreads();
  int i = globalId();
  if (i < n)
    atomicAdd(&local[a[i] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&o[threadIdx.x], local[threadIdx.x]);
}
KERNEL k_atomics(const int *a, int *o, u64 *w, float *f, double *d) {
  int v = a[globalId()];
  atomicMin(o, v);
  atomicMax(o + 1, v);
  atomicAnd(o + 2, v | 0xff);
  atomicOr(o + 3, v & 0xff00);
  atomicXor(o + 4, v);
  atomicSub(o + 5, 3);
  atomicInc((unsigned *)o + 6, 100);
  atomicDec((unsigned *)o + 7, 100);
  atomicAdd(w, (u64)(unsigned)v);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
}
KERNEL k_casLoop(const int *a, int *o) {
  int v = a[globalId()] & 0xff, old = *o, seen;
  do {
    seen = old;
    old = atomicCAS(o, seen, (seen + v) & 0xffffff);
  } while (old != seen);
}
__device__ int lockWord, lockedSum;
KERNEL k_spinLock(int *o) {
  bool done = false;
  while (!done)
    if (atomicCAS(&lockWord, 0, 1) == 0) {
      *(volatile int *)&lockedSum = *(volatile int *)&lockedSum + 1;
      __threadfence();
      atomicExch(&lockWord, 0);
      done = true;
    }
  __syncthreads();
  if (threadIdx.x == 0)
    *o = lockedSum;
}
__device__ unsigned ticket;
KERNEL k_lastBlock(const int *a, int *partial, int *o) {
  __shared__ bool last;
  int v = __syncthreads_count(a[globalId()] & 1);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = v;
    __threadfence();
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < gridDim.x; ++i)
      sum += ((volatile int *)partial)[i];
    *o = sum;
  }
}

//===-- Functions, constants, structures -----------------------------------=//

__constant__ float coefficients[4] = {1.5f, -2.25f, 0.125f, 3.0f};
KERNEL k_constants(const float *a, float *o) {
  float x = a[globalId()], r = 0;
  for (int i = 0; i < 4; ++i)
    r = r * x + coefficients[(i + threadIdx.x) & 3];
  o[globalId()] = r;
}
__device__ __noinline__ int helper(int a, int *out, i64 w) {
  *out += a * 3;
  return (int)(w >> 3) + a;
}
__device__ __noinline__ int outer(int a) {
  int acc = a;
  for (int i = 0; i < a % 5; ++i) {
    int r = helper(i, &acc, (i64)a << 4);
    acc += r;
  }
  return acc;
}
KERNEL k_calls(const int *a, int *o) {
  int v = a[globalId()] & 0xffff;
  bool inner = v % 3 == 0;
  int r = inner ? helper(v, &v, 99) : outer(v);
  o[globalId()] = inner ? r + v : r;
}
struct Config {
  int scale;
  float bias[3];
  short small;
  double big;
};
KERNEL k_structure(Config config, const int *a, double *o) {
  int v = a[globalId()];
  o[globalId()] = v * config.scale + config.bias[(unsigned)v % 3] +
                  config.small + config.big;
}
KERNEL k_bytes(const unsigned char *a, const signed char *b, short *o) {
  int i = globalId();
  uchar4 q = ((const uchar4 *)a)[i >> 2];
  o[i] = (short)(a[i] * 3 - b[i] + (i & 1 ? q.x : q.w));
}
KERNEL k_vectors(const float4 *a, float4 *o, double2 *d) {
  float4 v = a[globalId()];
  o[globalId()] = make_float4(v.w, v.z * 2, v.y - v.x, v.x);
  d[globalId()] = make_double2((double)v.x * v.y, v.z);
}

//===-- 16-bit floats ------------------------------------------------------=//

KERNEL k_half(const __half *a, const __half *b, __half *o) {
  int i = globalId();
  __half x = a[i], y = b[i];
  o[4 * i] = __hadd(x, y);
  o[4 * i + 1] = __hmul(x, y);
  o[4 * i + 2] = __hfma(x, y, x);
  o[4 * i + 3] = __hgt(x, y) ? __hsub(x, y) : __hneg(y);
}
KERNEL k_half2(const __half2 *a, const __half2 *b, __half2 *o) {
  int i = globalId();
  o[2 * i] = __hfma2(a[i], b[i], __hmax2(a[i], b[i]));
  o[2 * i + 1] = __hmul2(__habs2(a[i]), b[i]);
}
KERNEL k_bfloat(const __nv_bfloat16 *a, float *o, __nv_bfloat16 *q) {
  int i = globalId();
  float x = __bfloat162float(a[i]);
  o[i] = x * 1.25f;
  q[i] = __float2bfloat16(x * 1.01f);
}

//===-- Matrices -----------------------------------------------------------=//

/// 16x8 += 16x16 * 16x8 by mma.sync, fragments through shared memory.
KERNEL k_mmaF16(const __half *a, const __half *b, float *c) {
  int g = threadIdx.x >> 2, t = threadIdx.x & 3;
  const unsigned *a2 = (const unsigned *)a;
  unsigned ra[4], rb[2];
  ra[0] = a2[g * 8 + t];
  ra[1] = a2[(g + 8) * 8 + t];
  ra[2] = a2[g * 8 + t + 4];
  ra[3] = a2[(g + 8) * 8 + t + 4];
  for (int r = 0; r < 2; ++r) {
    __half2 pair = __halves2half2(b[(2 * t + 8 * r) * 8 + g],
                                  b[(2 * t + 1 + 8 * r) * 8 + g]);
    rb[r] = *(unsigned *)&pair;
  }
  float d[4] = {c[g * 8 + 2 * t], c[g * 8 + 2 * t + 1], c[(g + 8) * 8 + 2 * t],
                c[(g + 8) * 8 + 2 * t + 1]};
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]), "r"(rb[1]));
  c[g * 8 + 2 * t] = d[0];
  c[g * 8 + 2 * t + 1] = d[1];
  c[(g + 8) * 8 + 2 * t] = d[2];
  c[(g + 8) * 8 + 2 * t + 1] = d[3];
}
KERNEL k_mmaS8(const signed char *a, const signed char *b, int *c) {
  // b is stored by columns, as the instruction wants it.
  int g = threadIdx.x >> 2, t = threadIdx.x & 3;
  const int *a4 = (const int *)a, *b4 = (const int *)b;
  int d[4] = {0, 0, 0, 0};
  asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a4[g * 8 + t]), "r"(a4[(g + 8) * 8 + t]), "r"(a4[g * 8 + t + 4]),
        "r"(a4[(g + 8) * 8 + t + 4]), "r"(b4[g * 8 + t]),
        "r"(b4[g * 8 + t + 4]));
  for (int k = 0; k < 4; ++k)
    c[(g + 8 * (k / 2)) * 8 + 2 * t + k % 2] = d[k];
}
KERNEL k_mmaF64(const double *a, const double *b, double *c) {
  int g = threadIdx.x >> 2, t = threadIdx.x & 3;
  double d0 = c[g * 8 + 2 * t], d1 = c[g * 8 + 2 * t + 1];
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, "
      "{%0,%1};"
      : "+d"(d0), "+d"(d1)
      : "d"(a[g * 4 + t]), "d"(b[t * 8 + g]));
  c[g * 8 + 2 * t] = d0;
  c[g * 8 + 2 * t + 1] = d1;
}
KERNEL k_ldmatrix(const unsigned short *a, unsigned *o) {
  __shared__ __align__(16) unsigned short tile[32 * 8];
  for (int i = threadIdx.x; i < 256; i += 32)
    tile[i] = a[i];
  __syncwarp();
  unsigned r[4], s[2];
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(at));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(s[0]), "=r"(s[1])
               : "r"(at));
  for (int k = 0; k < 4; ++k)
    o[threadIdx.x * 6 + k] = r[k];
  o[threadIdx.x * 6 + 4] = s[0];
  o[threadIdx.x * 6 + 5] = s[1];
}
KERNEL k_asyncCopy(const float4 *a, float4 *o) {
  __shared__ float4 tile[64];
  unsigned at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n"
               "cp.async.commit_group;\n"
               "cp.async.wait_group 0;" ::"r"(at),
               "l"(a + threadIdx.x));
  __syncthreads();
  o[threadIdx.x] = tile[63 - threadIdx.x];
}
KERNEL k_mbarrier(const int *a, int *o) {
  __shared__ int data;
  __shared__ __align__(8) u64 full;
  unsigned bar = (unsigned)__cvta_generic_to_shared(&full);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(bar));
  __syncthreads();
  if (threadIdx.x >= 32) { // The second warp produces.
    if (threadIdx.x == 32)
      data = a[5];
    __syncwarp();
    asm volatile(
        "{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(bar));
    return;
  }
  asm volatile("{.reg .pred p;\nWAIT:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
               "@!p bra WAIT;}" ::"r"(bar));
  o[threadIdx.x] = *(volatile int *)&data + threadIdx.x;
}
