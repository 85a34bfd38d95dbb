//===- CudaLanguageTest.cpp - More of CUDA against the host ---------------===//
//
// The same source on the host, or the definition of the device function.
//
//===----------------------------------------------------------------------===//
#include "CudaLanguage.h"
#include "CudaTest.h"

#include <algorithm>
#include <cmath>

using namespace fuse_test;

namespace {
class CudaLanguage : public CudaTest {
protected:
  void SetUp() override {
    setUp("CudaLanguage.cu", GetParam(), GetParam() == "sm_90");
  }

  template <typename Out, typename In>
  void checkMap(const char *kernel, Out (*fn)(In, In), const std::vector<In> &a,
                const std::vector<In> &b) {
    int n = int(a.size());
    Out *out = zeros<Out>(a.size());
    run(kernel, {uint32_t(n + 63) / 64, 1, 1}, {64, 1, 1}, 0, upload(a),
        upload(b), out, n);
    for (int i = 0; i < n; ++i) {
      Out want = fn(a[i], b[i]);
      ASSERT_EQ(0, memcmp(&out[i], &want, sizeof want))
          << kernel << "[" << i << "]: " << out[i] << " != " << want;
    }
  }
};

TEST_P(CudaLanguage, SameSourceAsTheHost) {
  auto a = ints(300, 1), b = ints(300, 2);
#define CHECK_INT(NAME) checkMap("k_" #NAME, NAME, a, b);
  LANGUAGE_INT(CHECK_INT)
  auto x = reals<float>(300, 1, 40), y = reals<float>(300, 2, 40);
#define CHECK_FLOAT(NAME) checkMap("k_" #NAME, NAME, x, y);
  LANGUAGE_FLOAT(CHECK_FLOAT)
  std::vector<i64> p, q;
  for (size_t k = 0; k < a.size(); ++k) {
    p.push_back(i64(uint64_t(a[k]) * 1234567891234ull));
    q.push_back(i64(uint64_t(b[k]) * 987654321987ull + 1));
  }
  checkMap("k_int128", int128, p, q);
}

int viaRecursion(int x) { return x <= 1 ? 1 : x + viaRecursion(x - 2); }
int callOnHost(int which, int x) {
  return which == 0 ? x + 3 : which == 1 ? x * 5 : viaRecursion(x);
}
TEST_P(CudaLanguage, FunctionPointersAndGlobals) {
  auto a = ints(64);
  int *o = zeros<int>(64);
  run("k_functionPointers", {2, 1, 1}, {32, 1, 1}, 0, upload(a), o);
  for (int i = 0; i < 64; ++i) {
    int v = a[i] & 0x3f;
    ASSERT_EQ(o[i], callOnHost(v % 3, v) + callOnHost((v + 1) % 3, v));
  }
  run("k_globals", {1, 1, 1}, {32, 1, 1}, 0, o);
  const int weights[2][3] = {{1, -2, 3}, {-4, 5, -6}};
  for (int t = 0; t < 32; ++t)
    ASSERT_EQ(o[t], (10 * 3 + 20) * 3 + 30 + weights[t & 1][t % 3]);
  EXPECT_EQ(o[32], 5 + 32);
}

TEST_P(CudaLanguage, PrintfInOrderOfBlocks) {
  std::vector<int> a(64);
  for (int i = 0; i < 64; ++i)
    a[i] = i * 100 - 1000;
  LaunchStats stats = run("k_printf", {2, 1, 1}, {32, 1, 1}, 0, upload(a));
  std::string want;
  for (int i = 0; i < 64; i += 16) {
    char line[128];
    snprintf(line, sizeof line, "block %d thread %u: %5d|%-6.2f|%s|%llx|%c%%\n",
             i / 32, unsigned(i % 32), a[i], 0.5 * (i % 32), "text",
             0x123456789abcull, 'z');
    want += line;
  }
  EXPECT_EQ(stats.printed, want);
}

TEST_P(CudaLanguage, AssertSaysWhatFailed) {
  std::vector<int> a(32, 1);
  a[9] = 70;
  int *in = upload(a);
  LaunchStats stats;
  EXPECT_EQ(tryRun(stats, "k_assert", {1, 1, 1}, {32, 1, 1}, 0, in, 100), "");
  std::string error =
      tryRun(stats, "k_assert", {1, 1, 1}, {32, 1, 1}, 0, in, 50);
  EXPECT_NE(error.find("value is too large"), std::string::npos) << error;
  EXPECT_NE(error.find("thread (9,0,0)"), std::string::npos) << error;
}

TEST_P(CudaLanguage, SharedAndGenericMemory) {
  auto a = ints(64);
  int *o = zeros<int>(64), *in = upload(a);
  run("k_dynamicShared", {1, 1, 1}, {60, 1, 1}, 360, in, o, 60);
  for (int t = 0; t < 60; ++t)
    ASSERT_EQ(unsigned(o[t]),
              unsigned(a[(t * 7) % 60]) + unsigned(int(short(a[59 - t] >> 3))));
  run("k_generic", {1, 1, 1}, {32, 1, 1}, 0, in, o);
  for (int t = 0; t < 32; ++t) {
    unsigned want = 0;
    for (int k = 0; k < 4; ++k) {
      int v = t % 4 == 1   ? int(unsigned(a[t]) + unsigned(k))
              : t % 4 == 3 ? 9 - k
                           : a[k];
      want += unsigned(v) * unsigned(k + 1);
    }
    ASSERT_EQ(unsigned(o[t]), want) << t;
  }
}

TEST_P(CudaLanguage, PipelinedCopies) {
  auto a = ints(4 * 32 * 5);
  int *o = zeros<int>(a.size());
  run("k_pipeline", {1, 1, 1}, {32, 1, 1}, 0, upload(a), o, 5);
  for (int k = 0; k < 5; ++k)
    for (int t = 0; t < 32; ++t) {
      const int *v = &a[(k * 32 + 31 - t) * 4], *got = &o[(k * 32 + t) * 4];
      ASSERT_EQ(got[0], v[3]);
      ASSERT_EQ(unsigned(got[2]), unsigned(v[1]) + unsigned(k));
      ASSERT_EQ(got[3], v[0]);
    }
}

TEST_P(CudaLanguage, CooperativeGroups) {
  auto a = ints(64);
  int *o = zeros<int>(64), *in = upload(a), *count = zeros<int>(1);
  run("k_tiles", {1, 1, 1}, {64, 1, 1}, 0, in, o);
  for (int i = 0; i < 64; ++i) {
    const int *tile = &a[i / 8 * 8];
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k)
      sum += unsigned(tile[k]);
    unsigned high = unsigned(*std::max_element(tile, tile + 8));
    ASSERT_EQ(unsigned(o[i]), sum - high + unsigned(tile[3]) + unsigned(i / 8));
  }
  run("k_coalesced", {1, 1, 1}, {32, 1, 1}, 0, in, o, count);
  int next = 0;
  for (int i = 0; i < 32; ++i)
    ASSERT_EQ(o[i], a[i] % 3 == 0 ? next++ : -1);
  EXPECT_EQ(*count, next);
}

uint32_t bytesOf(uint32_t x, uint32_t y, uint32_t selector) {
  uint64_t both = uint64_t(y) << 32 | x;
  uint32_t r = 0;
  for (int k = 0; k < 4; ++k)
    r |= uint32_t(both >> (8 * ((selector >> (4 * k)) & 7)) & 0xff) << (8 * k);
  return r;
}
/// Applies `f` to each part of `bits` bits.
template <typename F>
uint32_t parts(unsigned bits, uint32_t x, uint32_t y, F f) {
  uint32_t r = 0, mask = (1u << bits) - 1;
  for (unsigned at = 0; at < 32; at += bits)
    r |= uint32_t(f(x >> at & mask, y >> at & mask) & mask) << at;
  return r;
}
TEST_P(CudaLanguage, BitIntrinsics) {
  std::vector<unsigned> a, b;
  for (int v : ints(64, 1))
    a.push_back(unsigned(v));
  for (int v : ints(64, 2))
    b.push_back(unsigned(v));
  a[0] = 0;
  unsigned *o = zeros<unsigned>(512);
  run("k_bits", {1, 1, 1}, {64, 1, 1}, 0, upload(a), upload(b), o);
  for (int i = 0; i < 64; ++i) {
    uint32_t x = a[i], y = b[i], reversed = 0;
    for (int k = 0; k < 32; ++k)
      reversed |= (x >> k & 1) << (31 - k);
    ASSERT_EQ(o[8 * i], reversed ^ unsigned(__builtin_popcount(y)) ^
                            (x ? unsigned(__builtin_clz(x)) : 32u));
    ASSERT_EQ(o[8 * i + 1], unsigned(__builtin_ffs(int(x))) +
                                unsigned(__builtin_ffsll(i64(u64(y) << 17))));
    ASSERT_EQ(o[8 * i + 2], bytesOf(x, y, x & 0x7777));
    uint64_t both = uint64_t(y) << 32 | x;
    unsigned left = x & 31, right = std::min(y & 63, 32u);
    ASSERT_EQ(o[8 * i + 3], uint32_t(both << left >> 32) ^
                                uint32_t(right == 64 ? 0 : both >> right));
    ASSERT_EQ(o[8 * i + 4],
              uint32_t(uint64_t(x) * y >> 32) + (x > y ? x - y : y - x) + 5);
    int dot = -3;
    for (int k = 0; k < 4; ++k)
      dot += int8_t(x >> (8 * k)) * int8_t(y >> (8 * k));
    ASSERT_EQ(o[8 * i + 5], unsigned(dot));
    unsigned __int128 wide =
        (unsigned __int128)(uint64_t(x) << 20) * (uint64_t(y) << 30);
    ASSERT_EQ(o[8 * i + 6], uint32_t(wide >> 64));
    uint32_t simd =
        parts(8, x, y, [](uint32_t p, uint32_t q) { return p + q; }) ^
        parts(16, x, y,
              [](uint32_t p, uint32_t q) {
                return uint32_t(std::max(int16_t(p), int16_t(q)));
              }) ^
        parts(8, x, y,
              [](uint32_t p, uint32_t q) { return p > q ? p - q : q - p; }) ^
        parts(8, x, y, [](uint32_t p, uint32_t q) { return p > q ? ~0u : 0; }) ^
        parts(16, x, y, [](uint32_t p, uint32_t q) { return p - q; });
    ASSERT_EQ(o[8 * i + 7], simd) << std::hex << x << " " << y;
  }
}

TEST_P(CudaLanguage, WideAtomics) {
  std::vector<i64> a;
  for (int v : ints(128))
    a.push_back(i64(v) * 123456789ll);
  i64 *o = upload(std::vector<i64>{-(1ll << 60), 1ll << 60, -1, 0, 0});
  uint32_t *h = zeros<uint32_t>(1);
  run("k_wideAtomics", {2, 1, 1}, {64, 1, 1}, 0, upload(a), o, h);
  i64 high = -(1ll << 60), low = 1ll << 60, all = -1, odd = 0, sum = 0;
  for (i64 v : a) {
    high = std::max(high, v);
    low = std::min(low, v);
    all &= v | 0xffff;
    odd ^= v;
    sum += v & 0xff;
  }
  EXPECT_EQ(std::vector<i64>(o, o + 5),
            (std::vector<i64>{high, low, all, odd, sum}));
  EXPECT_EQ(*h, 0xd400u << 16 | 0x5800u); // -64 and 128.
}

/// The nearest of the 127 finite magnitudes, ties to the even code.
uint8_t nearestF8(float value, bool e4m3) {
  auto widen = [&](unsigned code) {
    unsigned m = e4m3 ? 3 : 2, bias = e4m3 ? 7 : 15;
    unsigned exponent = code >> m, mantissa = code & ((1u << m) - 1);
    return exponent ? std::ldexp(1.0 + double(mantissa) / (1 << m),
                                 int(exponent) - int(bias))
                    : std::ldexp(double(mantissa) / (1 << m), 1 - int(bias));
  };
  unsigned top = e4m3 ? 0x7e : 0x7b, best = 0;
  for (unsigned code = 1; code <= top; ++code) {
    double now = std::fabs(widen(code) - std::fabs(double(value)));
    double was = std::fabs(widen(best) - std::fabs(double(value)));
    if (now < was || (now == was && code % 2 == 0))
      best = code;
  }
  return uint8_t(best | (std::signbit(value) ? 0x80 : 0));
}
TEST_P(CudaLanguage, EightBitFloats) {
  auto a = reals<float>(256, 5, 2);
  for (int i = 0; i < 256; ++i)
    a[i] = std::ldexp(a[i], i % 40 - 20);
  uint8_t *q = zeros<uint8_t>(512);
  float *o = zeros<float>(512);
  run("k_f8", {4, 1, 1}, {64, 1, 1}, 0, upload(a), q, o);
  for (int i = 0; i < 256; ++i) {
    ASSERT_EQ(q[2 * i], nearestF8(a[i], true)) << a[i];
    ASSERT_EQ(q[2 * i + 1], nearestF8(a[i], false)) << a[i];
    ASSERT_NEAR(o[2 * i], std::max(-448.f, std::min(a[i], 448.f)),
                std::fabs(a[i]) / 16 + 0x1p-10);
  }
}

TEST_P(CudaLanguage, HalfFunctions) {
  using Half = _Float16;
  std::vector<Half> a;
  for (float v : reals<float>(64, 3, 8))
    a.push_back(Half(v));
  float *o = zeros<float>(256);
  run("k_halfMath", {2, 1, 1}, {32, 1, 1}, 0, upload(a), o);
  for (int i = 0; i < 64; ++i) {
    double x = a[i];
    ASSERT_NEAR(o[4 * i], std::exp2(x), std::exp2(x) * 0x1p-10);
    ASSERT_NEAR(o[4 * i + 1], std::sqrt(std::fabs(x)), 4 * 0x1p-11);
    ASSERT_NEAR(o[4 * i + 2], 1 / double(Half(x + 5)),
                std::fabs(1 / double(Half(x + 5))) * 0x1p-10);
    ASSERT_EQ(o[4 * i + 3], std::floor(x));
  }
}

TEST_P(CudaLanguage, WmmaInterface) {
  using Half = _Float16;
  std::vector<Half> a, b;
  for (float v : reals<float>(384, 1))
    a.push_back(Half(v));
  for (float v : reals<float>(384, 2))
    b.push_back(Half(v));
  auto c = reals<float>(256, 3);
  float *d = zeros<float>(640);
  run("k_wmma", {1, 1, 1}, {32, 1, 1}, 0, upload(a), upload(b), upload(c), d);
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n) {
      double rowCol = c[m * 16 + n], colRow = rowCol;
      for (int k = 0; k < 16; ++k) {
        rowCol += double(Half(a[m * 24 + k] * Half(0.5))) * b[n * 24 + k];
        colRow += double(Half(a[k * 24 + m] * Half(0.5))) * b[k * 24 + n];
      }
      ASSERT_EQ(d[n * 20 + m], float(rowCol)) << m << " " << n;
      ASSERT_EQ(d[320 + n * 20 + m], float(colRow)) << m << " " << n;
    }
  std::vector<signed char> x(512), y(128);
  for (int k = 0; k < 512; ++k)
    x[k] = (signed char)(k * 37);
  for (int k = 0; k < 128; ++k)
    y[k] = (signed char)(k * 91 + 3);
  int *z = zeros<int>(256);
  run("k_wmmaInt", {1, 1, 1}, {32, 1, 1}, 0, upload(x), upload(y), z);
  for (int m = 0; m < 32; ++m)
    for (int n = 0; n < 8; ++n) {
      int sum = 7;
      for (int k = 0; k < 16; ++k)
        sum += x[m * 16 + k] * y[n * 16 + k];
      ASSERT_EQ(z[m * 8 + n], sum);
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, CudaLanguage,
                         testing::Values("sm_75", "sm_80 -G", "sm_90",
                                         "sm_100"));
} // namespace
