//===- CudaKernelsTest.cpp - CUDA kernels against the host ----------------===//
//
// Compiles CudaKernels.cu with nvcc, for two targets, and compares every
// kernel with the same computation on the host: bit for bit where the
// arithmetic is exact or correctly rounded. Skipped where there is no nvcc.
//
//===----------------------------------------------------------------------===//
#include "CudaKernels.h"
#include "CudaTest.h"

#include <algorithm>
#include <cmath>

using namespace fuse_test;

namespace {
class Cuda : public CudaTest {
protected:
  void SetUp() override {
    // These kernels are correct: no checker may say otherwise.
    setUp("CudaKernels.cu", GetParam(), GetParam() == "sm_90");
  }

  template <typename Out, typename In>
  void checkMap(const char *kernel, Out (*fn)(In, In), double tolerance) {
    const int n = 1000;
    std::vector<In> a, b;
    if constexpr (std::is_floating_point_v<In>) {
      a = reals<In>(n, 1);
      b = reals<In>(n, 2);
    } else {
      for (int v : ints(n, 1))
        a.push_back(In(v) * In(sizeof(In) == 8 ? 1234567891 : 1));
      for (int v : ints(n, 2))
        b.push_back(In(v) * In(sizeof(In) == 8 ? 987654321 : 1));
    }
    Out *out = zeros<Out>(n);
    run(kernel, {4, 1, 1}, {256, 1, 1}, 0, upload(a), upload(b), out, n);
    for (int i = 0; i < n; ++i) {
      Out want = fn(a[i], b[i]);
      if (tolerance == 0)
        ASSERT_EQ(0, memcmp(&out[i], &want, sizeof want))
            << kernel << "[" << i << "]: " << out[i] << " != " << want;
      else
        ASSERT_NEAR(out[i], want, tolerance * (1 + std::fabs(double(want))))
            << kernel << " of " << a[i] << ", " << b[i];
    }
  }
};

TEST_P(Cuda, ElementwiseExact) {
#define CHECK_EXACT(NAME) checkMap("k_" #NAME, NAME, 0);
  INT_FUNCTIONS(CHECK_EXACT)
  WIDE_FUNCTIONS(CHECK_EXACT)
  FLOAT_FUNCTIONS(CHECK_EXACT)
  DOUBLE_FUNCTIONS(CHECK_EXACT)
  CHECK_EXACT(conversions)
}

TEST_P(Cuda, ElementwiseClose) {
#define CHECK_CLOSE(NAME) checkMap("k_" #NAME, NAME, 2e-6);
  CLOSE_FUNCTIONS(CHECK_CLOSE)
  checkMap("k_transcendentalDouble", transcendentalDouble, 1e-13);
}

TEST_P(Cuda, BlockSum) {
  auto a = ints(5000);
  int *out = zeros<int>(3);
  run("k_blockSum", {3, 1, 1}, {256, 1, 1}, 0, upload(a), out, 5000);
  int want = 0;
  for (int v : a)
    want = int(unsigned(want) + unsigned(v));
  EXPECT_EQ(int(unsigned(out[0]) + unsigned(out[1]) + unsigned(out[2])), want);
}

TEST_P(Cuda, TransposeWithoutConflicts) {
  auto a = reals<float>(50 * 70);
  float *out = zeros<float>(50 * 70);
  LaunchStats stats =
      run("k_transpose", {5, 4, 1}, {16, 16, 1}, 0, upload(a), out, 50, 70);
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 70; ++x)
      ASSERT_EQ(out[x * 50 + y], a[y * 70 + x]);
  EXPECT_EQ(stats.sharedStore.requests,
            stats.sharedStore.wavefronts - stats.sharedStore.bankConflicts);
}

TEST_P(Cuda, TiledMatmul) {
  const int n = 32;
  auto a = reals<float>(n * n, 1), b = reals<float>(n * n, 2);
  float *c = zeros<float>(n * n);
  run("k_tiledMatmul", {4, 4, 1}, {8, 8, 1}, 0, upload(a), upload(b), c, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) {
        volatile float product = a[i * n + k] * b[k * n + j];
        sum += product;
      }
      ASSERT_EQ(c[i * n + j], sum);
    }
}

TEST_P(Cuda, Scan) {
  auto a = ints(200);
  int *out = zeros<int>(200);
  run("k_scan", {1, 1, 1}, {256, 1, 1}, 1024, upload(a), out, 200);
  unsigned sum = 0;
  for (int i = 0; i < 200; ++i) {
    sum += unsigned(a[i]);
    ASSERT_EQ(unsigned(out[i]), sum);
  }
}

TEST_P(Cuda, BitonicSort) {
  auto a = ints(384);
  int *data = upload(a);
  run("k_bitonic", {3, 1, 1}, {128, 1, 1}, 0, data);
  for (int block = 0; block < 3; ++block) {
    std::sort(a.begin() + block * 128, a.begin() + (block + 1) * 128);
    for (int i = block * 128; i < (block + 1) * 128; ++i)
      ASSERT_EQ(data[i], a[i]);
  }
}

TEST_P(Cuda, Stencil) {
  auto a = reals<float>(500);
  float *out = zeros<float>(500);
  run("k_stencil", {8, 1, 1}, {64, 1, 1}, 0, upload(a), out, 500);
  for (int i = 0; i < 500; ++i) {
    float left = i ? a[i - 1] : 0, right = i + 1 < 500 ? a[i + 1] : 0;
    volatile float x = (left + right) * 0.25f, y = a[i] * 0.5f;
    ASSERT_EQ(out[i], x + y);
  }
}

TEST_P(Cuda, SyncCount) {
  auto a = ints(256);
  a[130] = 12345;
  int *out = zeros<int>(256);
  run("k_syncCount", {2, 1, 1}, {128, 1, 1}, 0, upload(a), out);
  for (int block = 0; block < 2; ++block) {
    int odd = 0, all = 1, any = 0;
    for (int i = block * 128; i < block * 128 + 128; ++i) {
      odd += a[i] & 1;
      all &= a[i] != 12345;
      any |= a[i] == a[0];
    }
    ASSERT_EQ(out[block * 128 + 77], odd * 4 + all * 2 + any);
  }
}

TEST_P(Cuda, WarpSumAndScan) {
  auto a = ints(128);
  int *sum = zeros<int>(128), *scan = zeros<int>(128), *in = upload(a);
  run("k_warpSum", {1, 1, 1}, {128, 1, 1}, 0, in, sum);
  run("k_segmentScan", {1, 1, 1}, {128, 1, 1}, 0, in, scan);
  for (int i = 0; i < 128; ++i) {
    unsigned total = 0, prefix = 0;
    for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j)
      total += unsigned(a[j]);
    for (int j = i / 8 * 8; j <= i; ++j)
      prefix += unsigned(a[j]);
    ASSERT_EQ(unsigned(sum[i]), total);
    ASSERT_EQ(unsigned(scan[i]), prefix);
  }
}

TEST_P(Cuda, Votes) {
  auto a = ints(32);
  unsigned *out = zeros<unsigned>(32);
  run("k_votes", {1, 1, 1}, {32, 1, 1}, 0, upload(a), out);
  unsigned ballot = 0, largest = 0, all = 1;
  for (int i = 0; i < 32; ++i) {
    ballot |= unsigned(a[i] & 1) << i;
    largest = std::max(largest, unsigned(a[i]) & 0xfff);
    all &= a[i] > -5;
  }
  for (int i = 0; i < 32; ++i) {
    unsigned peers = 0;
    for (int j = 0; j < 32; ++j)
      peers |= unsigned((a[j] & 3) == (a[i] & 3)) << j;
    ASSERT_EQ(out[i], ballot * 31 + peers * 7 + all + 2 + 4 + 8 + largest);
  }
}

TEST_P(Cuda, DivergentShuffle) {
  auto a = ints(32);
  int *out = zeros<int>(32);
  run("k_divergentShuffle", {1, 1, 1}, {32, 1, 1}, 0, upload(a), out);
  int odd = 0;
  for (int v : a)
    odd += v & 1;
  for (int i = 0; i < 32; ++i) {
    int r = a[i] & 1 ? odd + 100 : 0;
    int want = i < 16 ? int(unsigned(r) + unsigned(a[i ^ 3]))
                      : int(unsigned(r) - unsigned(a[i ^ 5]));
    ASSERT_EQ(out[i], want);
  }
}

TEST_P(Cuda, Compact) {
  auto a = ints(512);
  int *out = zeros<int>(512), *count = zeros<int>(1);
  run("k_compact", {4, 1, 1}, {128, 1, 1}, 0, upload(a), out, count);
  std::vector<int> want;
  for (int v : a)
    if (v % 3 == 0)
      want.push_back(v);
  ASSERT_EQ(size_t(*count), want.size());
  std::vector<int> got(out, out + *count);
  std::sort(got.begin(), got.end());
  std::sort(want.begin(), want.end());
  EXPECT_EQ(got, want);
}

TEST_P(Cuda, Atomics) {
  auto a = ints(1000);
  int *histogram = zeros<int>(16);
  run("k_histogram", {8, 1, 1}, {128, 1, 1}, 0, upload(a), histogram, 1000);
  int want[16] = {};
  for (int v : a)
    ++want[v & 15];
  for (int i = 0; i < 16; ++i)
    ASSERT_EQ(histogram[i], want[i]);
  a.resize(256);
  int *o = upload(std::vector<int>{7, 7, -1, 0, 0, 0, 0, 50});
  auto *w = zeros<u64>(1);
  float *f = zeros<float>(1);
  double *d = zeros<double>(1);
  run("k_atomics", {2, 1, 1}, {128, 1, 1}, 0, upload(a), o, w, f, d);
  int low = 7, high = 7, andAll = -1, orAll = 0, xorAll = 0;
  u64 sum = 0;
  unsigned inc = 0, dec = 50;
  for (int v : a) {
    low = std::min(low, v);
    high = std::max(high, v);
    andAll &= v | 0xff;
    orAll |= v & 0xff00;
    xorAll ^= v;
    sum += u64(unsigned(v));
    inc = inc >= 100 ? 0 : inc + 1;
    dec = dec == 0 || dec > 100 ? 100 : dec - 1;
  }
  EXPECT_EQ(std::vector<int>(o, o + 8),
            (std::vector<int>{low, high, andAll, orAll, xorAll, -768, int(inc),
                              int(dec)}));
  EXPECT_EQ(*w, sum);
  EXPECT_EQ(*f, 128.0f);
  EXPECT_EQ(*d, 64.0);
}

TEST_P(Cuda, LocksAndOrder) {
  auto a = ints(256);
  int *o = zeros<int>(1), *in = upload(a);
  run("k_casLoop", {2, 1, 1}, {128, 1, 1}, 0, in, o);
  unsigned want = 0, odd = 0;
  for (int v : a) {
    want = (want + unsigned(v & 0xff)) & 0xffffff;
    odd += v & 1;
  }
  EXPECT_EQ(unsigned(*o), want);
  run("k_spinLock", {1, 1, 1}, {96, 1, 1}, 0, o);
  EXPECT_EQ(*o, 96);
  int *partial = zeros<int>(8);
  run("k_lastBlock", {8, 1, 1}, {32, 1, 1}, 0, in, partial, o);
  EXPECT_EQ(unsigned(*o), odd);
}

int helperOnHost(int a, int *out, i64 w) {
  *out += a * 3;
  return int(w >> 3) + a;
}
TEST_P(Cuda, CallsAndConstants) {
  auto a = ints(64);
  int *out = zeros<int>(64);
  run("k_calls", {2, 1, 1}, {32, 1, 1}, 0, upload(a), out);
  for (int i = 0; i < 64; ++i) {
    int v = a[i] & 0xffff, want;
    if (v % 3) {
      int acc = v;
      for (int k = 0; k < v % 5; ++k) {
        int r = helperOnHost(k, &acc, i64(v) << 4);
        acc = int(unsigned(acc) + unsigned(r));
      }
      want = acc;
    } else {
      int r = helperOnHost(v, &v, 99);
      want = r + v;
    }
    ASSERT_EQ(out[i], want) << (a[i] & 0xffff);
  }
  auto x = reals<float>(64);
  float *y = zeros<float>(64);
  run("k_constants", {2, 1, 1}, {32, 1, 1}, 0, upload(x), y);
  const float c[4] = {1.5f, -2.25f, 0.125f, 3.0f};
  for (int i = 0; i < 64; ++i) {
    float r = 0;
    for (int k = 0; k < 4; ++k) {
      volatile float product = r * x[i];
      r = product + c[(k + i % 32) & 3];
    }
    ASSERT_EQ(y[i], r);
  }
}

TEST_P(Cuda, StructuresBytesVectors) {
  struct Config {
    int scale;
    float bias[3];
    short small;
    double big;
  } config = {3, {0.5f, 1.5f, -2.0f}, -7, 1e6};
  auto a = ints(32);
  double *o = zeros<double>(32);
  run("k_structure", {1, 1, 1}, {32, 1, 1}, 0, config, upload(a), o);
  for (int i = 0; i < 32; ++i) {
    float first =
        float(int(unsigned(a[i]) * 3u)) + config.bias[unsigned(a[i]) % 3];
    ASSERT_EQ(o[i], double(first + float(config.small)) + config.big);
  }
  std::vector<unsigned char> u(64);
  std::vector<signed char> s(64);
  for (int i = 0; i < 64; ++i) {
    u[i] = (unsigned char)(i * 37);
    s[i] = (signed char)(i * 91);
  }
  short *w = zeros<short>(64);
  run("k_bytes", {1, 1, 1}, {64, 1, 1}, 0, upload(u), upload(s), w);
  for (int i = 0; i < 64; ++i)
    ASSERT_EQ(w[i], short(u[i] * 3 - s[i] + u[i / 4 * 4 + (i & 1 ? 0 : 3)]));
  auto v = reals<float>(128);
  float *r = zeros<float>(128);
  double *d = zeros<double>(64);
  run("k_vectors", {1, 1, 1}, {32, 1, 1}, 0, upload(v), r, d);
  for (int i = 0; i < 32; ++i) {
    ASSERT_EQ(r[4 * i + 1], v[4 * i + 2] * 2);
    ASSERT_EQ(r[4 * i + 2], v[4 * i + 1] - v[4 * i]);
    ASSERT_EQ(d[2 * i], double(v[4 * i]) * v[4 * i + 1]);
  }
}

TEST_P(Cuda, HalfArithmetic) {
  using Half = _Float16;
  std::vector<Half> a, b;
  for (float v : reals<float>(64, 1))
    a.push_back(Half(v));
  for (float v : reals<float>(64, 2))
    b.push_back(Half(v));
  Half *out = zeros<Half>(256);
  run("k_half", {2, 1, 1}, {32, 1, 1}, 0, upload(a), upload(b), out);
  for (int i = 0; i < 64; ++i) {
    float x = a[i], y = b[i];
    ASSERT_EQ(float(out[4 * i]), float(Half(x + y)));
    ASSERT_EQ(float(out[4 * i + 1]), float(Half(x * y)));
    ASSERT_EQ(float(out[4 * i + 2]), float(Half(double(x) * y + x)));
    ASSERT_EQ(float(out[4 * i + 3]), float(x > y ? Half(x - y) : Half(-y)));
  }
  run("k_half2", {1, 1, 1}, {32, 1, 1}, 0, upload(a), upload(b), out);
  for (int i = 0; i < 64; ++i) {
    double x = a[i], y = b[i];
    int at = i / 2 * 4 + i % 2;
    ASSERT_EQ(float(out[at]), float(Half(x * y + std::max(x, y))));
    ASSERT_EQ(float(out[at + 2]), float(Half(std::fabs(x) * y)));
  }
}

TEST_P(Cuda, BFloat) {
  std::vector<uint16_t> a;
  for (float v : reals<float>(32))
    a.push_back(uint16_t(bitsOf(v) >> 16));
  float *o = zeros<float>(32);
  uint16_t *q = zeros<uint16_t>(32);
  run("k_bfloat", {1, 1, 1}, {32, 1, 1}, 0, upload(a), o, q);
  for (int i = 0; i < 32; ++i) {
    float x = asFloat(uint64_t(a[i]) << 16);
    uint32_t bits = bitsOf(x * 1.01f);
    ASSERT_EQ(o[i], x * 1.25f);
    ASSERT_EQ(q[i], (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
  }
}

TEST_P(Cuda, MatrixMultiply) {
  using Half = _Float16;
  std::vector<Half> a, b;
  for (float v : reals<float>(256, 1))
    a.push_back(Half(v));
  for (float v : reals<float>(128, 2))
    b.push_back(Half(v));
  auto before = reals<float>(128, 3);
  float *c = upload(before);
  LaunchStats stats =
      run("k_mmaF16", {1, 1, 1}, {32, 1, 1}, 0, upload(a), upload(b), c);
  EXPECT_EQ(stats.flops.tensor, 2u * 16 * 8 * 16);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = before[i * 8 + j];
      for (int k = 0; k < 16; ++k)
        sum += double(a[i * 16 + k]) * double(b[k * 8 + j]);
      ASSERT_EQ(c[i * 8 + j], float(sum));
    }
  std::vector<signed char> x(512), y(256);
  for (int i = 0; i < 512; ++i)
    x[i] = (signed char)(i * 73);
  for (int i = 0; i < 256; ++i)
    y[i] = (signed char)(i * 41 + 5);
  int *z = zeros<int>(128);
  run("k_mmaS8", {1, 1, 1}, {32, 1, 1}, 0, upload(x), upload(y), z);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 8; ++j) {
      int sum = 0;
      for (int k = 0; k < 32; ++k)
        sum += x[i * 32 + k] * y[j * 32 + k];
      ASSERT_EQ(z[i * 8 + j], sum);
    }
  auto p = reals<double>(32, 1), q = reals<double>(32, 2);
  auto start = reals<double>(64, 3);
  double *r = upload(start);
  run("k_mmaF64", {1, 1, 1}, {32, 1, 1}, 0, upload(p), upload(q), r);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      double sum = start[i * 8 + j];
      for (int k = 0; k < 4; ++k)
        sum = std::fma(p[i * 4 + k], q[k * 8 + j], sum);
      ASSERT_EQ(r[i * 8 + j], sum);
    }
}

TEST_P(Cuda, MatrixLoads) {
  std::vector<unsigned short> a(256);
  for (int i = 0; i < 256; ++i)
    a[i] = (unsigned short)(i * 257 + 3);
  unsigned *o = zeros<unsigned>(192);
  run("k_ldmatrix", {1, 1, 1}, {32, 1, 1}, 0, upload(a), o);
  for (unsigned l = 0; l < 32; ++l) {
    unsigned row = l / 4, col = 2 * (l % 4);
    for (unsigned m = 0; m < 4; ++m)
      ASSERT_EQ(o[l * 6 + m], a[(8 * m + row) * 8 + col] |
                                  unsigned(a[(8 * m + row) * 8 + col + 1])
                                      << 16);
    for (unsigned m = 0; m < 2; ++m)
      ASSERT_EQ(o[l * 6 + 4 + m], a[(8 * m + col) * 8 + row] |
                                      unsigned(a[(8 * m + col + 1) * 8 + row])
                                          << 16);
  }
}

TEST_P(Cuda, AsyncCopyAndMbarrier) {
  auto a = reals<float>(256);
  float *o = zeros<float>(256);
  run("k_asyncCopy", {1, 1, 1}, {64, 1, 1}, 0, upload(a), o);
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(o[i], a[(63 - i / 4) * 4 + i % 4]);
  auto b = ints(8);
  int *p = zeros<int>(32);
  run("k_mbarrier", {1, 1, 1}, {64, 1, 1}, 0, upload(b), p);
  for (int i = 0; i < 32; ++i)
    ASSERT_EQ(p[i], b[5] + i);
}

INSTANTIATE_TEST_SUITE_P(Targets, Cuda,
                         testing::Values("sm_75", "sm_80", "sm_80 -G", "sm_90",
                                         "sm_100"));
} // namespace
