//===- FloatTest.cpp - Floating-point instructions against the host -------===//
//
// Every rounding, .ftz and .sat, NaN, infinities, signed zeros, subnormals.
// 16-bit results are compared with the exactly computed value (in 113 bits)
// rounded once.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <cfenv>
#include <cmath>
#include <functional>

using namespace fuse_test;

namespace {
using Quad = __float128;

float flush(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

struct FloatRow {
  const char *inst, *kinds;
  int mode;
  bool ftz, sat;
  std::function<float(float, float, float)> expected;
};

/// Equal bits; for NaN the canonical one.
void expectFloat(uint64_t got, float want, const std::string &what) {
  if (want != want)
    ASSERT_EQ(got, 0x7fffffffu) << what;
  else
    ASSERT_EQ(got, bitsOf(want)) << what;
}

void check(const FloatRow &row) {
  Bits a = floatOperands(3), b = floatOperands(4), c = floatOperands(5);
  std::vector<Bits> operands = {a, b, c};
  operands.resize(strlen(row.kinds) - 1);
  Bits got = runInst(row.inst, row.kinds, operands);
  for (size_t k = 0; k < got.size(); ++k) {
    float x = asFloat(a[k]), y = asFloat(b[k]), z = asFloat(c[k]);
    if (row.ftz)
      x = flush(x), y = flush(y), z = flush(z);
    std::fesetround(row.mode);
    volatile float r = row.expected(x, y, z);
    std::fesetround(FE_TONEAREST);
    if (row.ftz)
      r = flush(r);
    if (row.sat)
      r = r > 0 ? std::fmin(r, 1.0f) : 0.0f;
    char text[160];
    snprintf(text, sizeof text, "%s on %a %a %a", row.inst, x, y, z);
    expectFloat(got[k], r, text);
  }
}

// Volatile, so that the operation happens under the rounding mode of the call.
#define OPERATION(NAME, EXPR)                                                  \
  float NAME(float x, float y, float z) {                                      \
    volatile float a = x, b = y, c = z;                                        \
    volatile float r = EXPR;                                                   \
    (void)b, (void)c;                                                          \
    return r;                                                                  \
  }
OPERATION(addF, a + b)
OPERATION(subF, a - b)
OPERATION(mulF, a *b)
OPERATION(divF, a / b)
OPERATION(rcpF, 1 / a)
OPERATION(sqrtF, std::sqrt(float(a)))
OPERATION(fmaF, std::fma(float(a), float(b), float(c)))

TEST(Float, Arithmetic32) {
  const int rn = FE_TONEAREST, rz = FE_TOWARDZERO, rm = FE_DOWNWARD,
            rp = FE_UPWARD;
  const FloatRow rows[] = {
      {"add.f32 %r, %a, %b;", "www", rn, false, false, addF},
      {"add.rn.ftz.f32 %r, %a, %b;", "www", rn, true, false, addF},
      {"add.rz.f32 %r, %a, %b;", "www", rz, false, false, addF},
      {"add.rm.f32 %r, %a, %b;", "www", rm, false, false, addF},
      {"add.rp.ftz.f32 %r, %a, %b;", "www", rp, true, false, addF},
      {"add.sat.f32 %r, %a, %b;", "www", rn, false, true, addF},
      {"sub.rn.f32 %r, %a, %b;", "www", rn, false, false, subF},
      {"sub.rm.f32 %r, %a, %b;", "www", rm, false, false, subF},
      {"mul.f32 %r, %a, %b;", "www", rn, false, false, mulF},
      {"mul.rz.f32 %r, %a, %b;", "www", rz, false, false, mulF},
      {"mul.rp.f32 %r, %a, %b;", "www", rp, false, false, mulF},
      {"mul.ftz.sat.f32 %r, %a, %b;", "www", rn, true, true, mulF},
      {"fma.rn.f32 %r, %a, %b, %c;", "wwww", rn, false, false, fmaF},
      {"fma.rn.ftz.f32 %r, %a, %b, %c;", "wwww", rn, true, false, fmaF},
      {"fma.rz.f32 %r, %a, %b, %c;", "wwww", rz, false, false, fmaF},
      {"fma.rm.f32 %r, %a, %b, %c;", "wwww", rm, false, false, fmaF},
      {"div.rn.f32 %r, %a, %b;", "www", rn, false, false, divF},
      {"div.rz.f32 %r, %a, %b;", "www", rz, false, false, divF},
      {"div.full.f32 %r, %a, %b;", "www", rn, false, false, divF},
      {"rcp.rn.f32 %r, %a;", "ww", rn, false, false, rcpF},
      {"rcp.rp.f32 %r, %a;", "ww", rp, false, false, rcpF},
      {"sqrt.rn.f32 %r, %a;", "ww", rn, false, false, sqrtF},
      {"sqrt.rm.ftz.f32 %r, %a;", "ww", rm, true, false, sqrtF},
  };
  for (const FloatRow &row : rows)
    check(row);
}

float minMax(float a, float b, bool max, bool nan) {
  if (a != a || b != b) {
    if (nan || (a != a && b != b))
      return NAN;
    return a != a ? b : a;
  }
  if (a == b)
    return std::signbit(a) == max ? b : a;
  return (max ? a > b : a < b) ? a : b;
}

TEST(Float, MinMax) {
  const FloatRow rows[] = {
      {"min.f32 %r, %a, %b;", "www", FE_TONEAREST, false, false,
       [](float a, float b, float) { return minMax(a, b, false, false); }},
      {"max.f32 %r, %a, %b;", "www", FE_TONEAREST, false, false,
       [](float a, float b, float) { return minMax(a, b, true, false); }},
      {"max.NaN.f32 %r, %a, %b;", "www", FE_TONEAREST, false, false,
       [](float a, float b, float) { return minMax(a, b, true, true); }},
      {"min.ftz.NaN.f32 %r, %a, %b;", "www", FE_TONEAREST, true, false,
       [](float a, float b, float) { return minMax(a, b, false, true); }},
  };
  for (const FloatRow &row : rows)
    check(row);
}

TEST(Float, SignsAreBits) {
  Bits a = floatOperands(3), b = floatOperands(4);
  Bits neg = runInst("neg.f32 %r, %a;", "ww", {a});
  Bits abs = runInst("abs.f32 %r, %a;", "ww", {a});
  Bits copy = runInst("copysign.f32 %r, %a, %b;", "www", {a, b});
  for (size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(neg[k], a[k] ^ 0x80000000);
    EXPECT_EQ(abs[k], a[k] & 0x7fffffff);
    EXPECT_EQ(copy[k], (a[k] & 0x80000000) | (b[k] & 0x7fffffff));
  }
}

TEST(Float, ComparisonsWithNaN) {
  Bits a = floatOperands(3), b = floatOperands(4);
  struct {
    const char *name;
    bool (*fn)(float, float);
  } rows[] = {
      {"eq", [](float x, float y) { return x == y; }},
      {"ne", [](float x, float y) { return x < y || x > y; }},
      {"lt", [](float x, float y) { return x < y; }},
      {"le", [](float x, float y) { return x <= y; }},
      {"gt", [](float x, float y) { return x > y; }},
      {"ge", [](float x, float y) { return x >= y; }},
      {"equ", [](float x, float y) { return !(x < y || x > y); }},
      {"neu", [](float x, float y) { return x != y; }},
      {"ltu", [](float x, float y) { return !(x >= y); }},
      {"leu", [](float x, float y) { return !(x > y); }},
      {"gtu", [](float x, float y) { return !(x <= y); }},
      {"geu", [](float x, float y) { return !(x < y); }},
      {"num", [](float x, float y) { return x == x && y == y; }},
      {"nan", [](float x, float y) { return x != x || y != y; }},
  };
  for (auto &row : rows) {
    Bits got = runInst("setp." + std::string(row.name) + ".f32 %rp, %a, %b;",
                       "pww", {a, b});
    for (size_t k = 0; k < a.size(); ++k)
      ASSERT_EQ(got[k], row.fn(asFloat(a[k]), asFloat(b[k])))
          << row.name << " " << asFloat(a[k]) << " " << asFloat(b[k]);
  }
}

TEST(Float, Double) {
  Bits a32 = floatOperands(3), b32 = floatOperands(4), a, b;
  for (size_t k = 0; k < a32.size(); ++k) {
    a.push_back(bitsOf(double(asFloat(a32[k])) * 1.1));
    b.push_back(bitsOf(double(asFloat(b32[k])) / 3));
  }
  struct {
    const char *inst;
    double (*fn)(double, double);
  } rows[] = {
      {"add.f64 %rd, %ad, %bd;", [](double x, double y) { return x + y; }},
      {"mul.rn.f64 %rd, %ad, %bd;", [](double x, double y) { return x * y; }},
      {"div.rn.f64 %rd, %ad, %bd;", [](double x, double y) { return x / y; }},
      {"fma.rn.f64 %rd, %ad, %bd, %ad;",
       [](double x, double y) { return std::fma(x, y, x); }},
  };
  for (auto &row : rows) {
    Bits got = runInst(row.inst, "ddd", {a, b});
    for (size_t k = 0; k < a.size(); ++k) {
      double want = row.fn(asDouble(a[k]), asDouble(b[k]));
      if (want != want)
        ASSERT_TRUE(asDouble(got[k]) != asDouble(got[k]));
      else
        ASSERT_EQ(got[k], bitsOf(want)) << row.inst;
    }
  }
}

/// Relative error of the approximations, in units of 2^-22.
TEST(Float, Approximations) {
  Bits a;
  for (int k = 0; k < 1000; ++k)
    a.push_back(bitsOf(float(k - 500) / 37.0f));
  struct {
    const char *inst;
    double (*fn)(double);
  } rows[] = {
      {"ex2.approx.ftz.f32 %r, %a;", [](double x) { return std::exp2(x); }},
      {"lg2.approx.f32 %r, %a;", [](double x) { return std::log2(x); }},
      {"rsqrt.approx.f32 %r, %a;", [](double x) { return 1 / std::sqrt(x); }},
      {"sqrt.approx.f32 %r, %a;", [](double x) { return std::sqrt(x); }},
      {"rcp.approx.ftz.f32 %r, %a;", [](double x) { return 1 / x; }},
      {"sin.approx.f32 %r, %a;", [](double x) { return std::sin(x); }},
      {"cos.approx.f32 %r, %a;", [](double x) { return std::cos(x); }},
      {"tanh.approx.f32 %r, %a;", [](double x) { return std::tanh(x); }},
  };
  for (auto &row : rows) {
    Bits got = runInst(row.inst, "ww", {a});
    for (size_t k = 0; k < a.size(); ++k) {
      double want = row.fn(asFloat(a[k])), is = asFloat(got[k]);
      if (want != want) {
        ASSERT_EQ(got[k], 0x7fffffffu) << row.inst;
        continue;
      }
      if (std::isinf(want)) {
        ASSERT_EQ(is, want);
        continue;
      }
      ASSERT_LE(std::fabs(is - want), std::fabs(want) * 0x1p-22 + 1e-37)
          << row.inst << " " << asFloat(a[k]);
    }
  }
}

//===-- 16-bit formats -----------------------------------------------------=//

/// The nearest value of the format to an exact one, ties to even, by scanning
/// the neighbourhood of a truncated guess: independent of the emulator's way.
uint32_t nearest16(Quad exact, double (*widen)(uint32_t), uint32_t infinity) {
  if (exact != exact)
    return 0x7fff;
  bool negative = exact < 0;
  Quad magnitude = negative ? -exact : exact;
  uint32_t low = 0, high = infinity; // Binary search: values are ordered.
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    (Quad(widen(middle)) <= magnitude ? low : high) = middle;
  }
  // The step above the largest value counts as if infinity were a number.
  Quad top = high == infinity
                 ? Quad(widen(low)) + (Quad(widen(low)) - Quad(widen(low - 1)))
                 : Quad(widen(high));
  Quad below = magnitude - Quad(widen(low)), above = top - magnitude;
  uint32_t result =
      below < above || (below == above && !(low & 1)) ? low : high;
  return result | (negative ? 0x8000 : 0);
}
double widenHalf(uint32_t bits) {
  uint32_t e = (bits >> 10) & 31, m = bits & 1023;
  double v = e == 0    ? std::ldexp(double(m), -24)
             : e == 31 ? (m ? NAN : INFINITY)
                       : std::ldexp(double(1024 + m), int(e) - 25);
  return bits & 0x8000 ? -v : v;
}
double widenBFloat(uint32_t bits) { return asFloat(uint64_t(bits) << 16); }

Bits halfOperands(uint64_t seed) {
  Bits result = intOperands(16, seed);
  Random random(seed);
  for (unsigned k = 0; k < 500; ++k) { // Near one another: cancellation, ties.
    uint64_t value = random.next();
    result.push_back((value & 0x83ff) | (12 + (value >> 20) % 7) << 10);
  }
  return result;
}

TEST(Float, Half) {
  Bits a = halfOperands(3), b = halfOperands(4), c = halfOperands(6);
  for (bool bf : {false, true}) {
    auto widen = bf ? widenBFloat : widenHalf;
    uint32_t infinity = bf ? 0x7f80 : 0x7c00;
    std::string type = bf ? "bf16" : "f16";
    auto run = [&](const std::string &op, int sources, auto fn) {
      std::vector<Bits> operands = {a, b, c};
      operands.resize(sources);
      std::string inst =
          op + "." + type + " %rh, %ah, %bh" + (sources == 3 ? ", %ch;" : ";");
      Bits got = runInst(inst, sources == 3 ? "hhhh" : "hhh", operands);
      for (size_t k = 0; k < a.size(); ++k) {
        double x = widen(uint32_t(a[k])), y = widen(uint32_t(b[k])),
               z = widen(uint32_t(c[k]));
        Quad exact = fn(x, y, z);
        if (exact == 0) // The sign of zero is the host's.
          ASSERT_EQ(got[k], std::signbit(double(exact)) ? 0x8000u : 0u)
              << inst << " " << x << " " << y << " " << z;
        else
          ASSERT_EQ(got[k], nearest16(exact, widen, infinity))
              << inst << " " << x << " " << y << " " << z;
      }
    };
    run("add.rn", 2, [](Quad x, Quad y, Quad) { return x + y; });
    run("sub.rn", 2, [](Quad x, Quad y, Quad) { return x - y; });
    run("mul.rn", 2, [](Quad x, Quad y, Quad) { return x * y; });
    if (!bf) // In 113 bits the sum is exact for f16, not for all of bf16.
      run("fma.rn", 3, [](Quad x, Quad y, Quad z) { return x * y + z; });
  }
}

TEST(Float, HalfPairsMatchSingles) {
  Bits a = halfOperands(3), b = halfOperands(4);
  for (const char *type : {"f16", "bf16"})
    for (const char *op : {"add", "mul", "min", "max", "min.NaN"}) {
      std::string name = std::string(op) + "." + type;
      Bits single = runInst(name + " %rh, %ah, %bh;", "hhh", {a, b});
      Bits packedA, packedB;
      for (size_t k = 0; k < a.size(); ++k) {
        packedA.push_back(a[k] | a[a.size() - 1 - k] << 16);
        packedB.push_back(b[k] | b[b.size() - 1 - k] << 16);
      }
      Bits pair = runInst(name + "x2 %r, %a, %b;", "www", {packedA, packedB});
      for (size_t k = 0; k < a.size(); ++k)
        ASSERT_EQ(pair[k], single[k] | single[a.size() - 1 - k] << 16) << name;
    }
}

//===-- Conversions --------------------------------------------------------=//

TEST(Float, ConvertFloatToInt) {
  Bits a = floatOperands(3);
  for (float x : {2147483648.0f, -2147483648.0f, 4294967296.0f, 0.5f, 1.5f,
                  2.5f, -0.5f, -1.5f, 1e20f, -1e20f, 8388609.5f})
    a.insert(a.begin(), bitsOf(x));
  a.resize(1000);
  struct {
    const char *mode;
    double (*fn)(double);
  } rows[] = {{"rzi", std::trunc},
              {"rni", std::nearbyint},
              {"rmi", std::floor},
              {"rpi", std::ceil}};
  for (auto &row : rows)
    for (const char *type : {"s32", "u32", "s64", "u64", "s16", "u8"}) {
      bool isSigned = type[0] == 's';
      int bits = atoi(type + 1);
      Bits got = runInst("cvt." + std::string(row.mode) + "." + type +
                             (bits == 64 ? ".f32 %rd, %a;" : ".f32 %r, %a;"),
                         bits == 64 ? "dw" : "ww", {a});
      double low = isSigned ? -std::ldexp(1.0, bits - 1) : 0;
      double high = std::ldexp(1.0, isSigned ? bits - 1 : bits);
      for (size_t k = 0; k < a.size(); ++k) {
        double x = asFloat(a[k]), r = row.fn(x);
        uint64_t want;
        if (x != x)
          want = 0;
        else if (r >= high)
          want = isSigned ? (uint64_t(1) << (bits - 1)) - 1
                          : ~uint64_t(0) >> (64 - bits);
        else if (r <= low)
          want = isSigned ? uint64_t(0) - (uint64_t(1) << (bits - 1)) : 0;
        else
          want = isSigned ? uint64_t(int64_t(r)) : uint64_t(r);
        if (bits < 64)
          want &= 0xffffffff;
        ASSERT_EQ(got[k], want) << row.mode << " " << type << " " << x;
      }
    }
}

TEST(Float, ConvertIntToFloat) {
  Bits a = intOperands(32, 3), d = intOperands(64, 4);
  Bits s32 = runInst("cvt.rn.f32.s32 %r, %a;", "ww", {a});
  Bits u64 = runInst("cvt.rn.f32.u64 %r, %ad;", "wd", {d});
  Bits s64z = runInst("cvt.rz.f32.s64 %r, %ad;", "wd", {d});
  Bits f64 = runInst("cvt.rn.f64.s64 %rd, %ad;", "dd", {d});
  Bits f16 = runInst("cvt.rn.f16.u64 %rh, %ad;", "hd", {d});
  for (size_t k = 0; k < a.size(); ++k) {
    ASSERT_EQ(s32[k], bitsOf(float(int32_t(a[k]))));
    ASSERT_EQ(u64[k], bitsOf(float(d[k])));
    ASSERT_EQ(f64[k], bitsOf(double(int64_t(d[k]))));
    ASSERT_EQ(f16[k], nearest16(Quad(d[k]), widenHalf, 0x7c00));
    std::fesetround(FE_TOWARDZERO);
    volatile int64_t value = int64_t(d[k]);
    volatile float want = float(value);
    std::fesetround(FE_TONEAREST);
    ASSERT_EQ(s64z[k], bitsOf(float(want)));
  }
}

TEST(Float, ConvertFloatToFloat) {
  Bits a = floatOperands(3);
  Bits half = runInst("cvt.rn.f16.f32 %rh, %a;", "hw", {a});
  Bits bfloat = runInst("cvt.rn.bf16.f32 %rh, %a;", "hw", {a});
  Bits relu = runInst("cvt.rn.relu.f16.f32 %rh, %a;", "hw", {a});
  Bits pair = runInst("cvt.rn.bf16x2.f32 %r, %a, %b;", "www", {a, a});
  Bits rounded = runInst("cvt.rni.f32.f32 %r, %a;", "ww", {a});
  Bits wide = runInst("cvt.f64.f32 %rd, %a;", "dw", {a});
  for (size_t k = 0; k < a.size(); ++k) {
    float x = asFloat(a[k]);
    uint32_t sign = uint32_t(a[k] >> 16) & 0x8000;
    uint32_t wantHalf = x == 0 ? sign : nearest16(x, widenHalf, 0x7c00);
    uint32_t wantBF = x == 0 ? sign : nearest16(x, widenBFloat, 0x7f80);
    if (x == x && !(wantHalf & 0x7fff))
      wantHalf = sign; // Underflow keeps the sign.
    if (x == x && !(wantBF & 0x7fff))
      wantBF = sign;
    ASSERT_EQ(half[k], wantHalf) << x;
    ASSERT_EQ(bfloat[k], wantBF) << x;
    ASSERT_EQ(relu[k], x == x && (wantHalf & 0x8000) ? 0 : wantHalf) << x;
    ASSERT_EQ(pair[k], bfloat[k] << 16 | bfloat[k]);
    if (x == x) {
      ASSERT_EQ(rounded[k], bitsOf(std::nearbyint(x)));
      ASSERT_EQ(wide[k], bitsOf(double(x)));
    }
  }
  Bits all;
  for (uint32_t k = 0; k < 1024; ++k)
    all.push_back(k * 64 + k % 64);
  Bits back = runInst("cvt.f32.f16 %r, %ah;", "wh", {all});
  for (size_t k = 0; k < all.size(); ++k)
    if (double want = widenHalf(uint32_t(all[k])); want == want)
      ASSERT_EQ(back[k], bitsOf(float(want)));
}

/// Every e4m3 and e5m2 value survives; others go to the nearest, saturating.
TEST(Float, ConvertFloat8) {
  for (bool e5 : {false, true}) {
    std::string type = e5 ? "e5m2x2" : "e4m3x2";
    auto widen = [e5](uint32_t bits) -> double {
      uint32_t m = e5 ? bits & 3 : bits & 7, e = (bits & 127) >> (e5 ? 2 : 3);
      int bias = e5 ? 15 : 7, width = e5 ? 2 : 3;
      if (e5 ? e == 31 : (bits & 127) == 127)
        return e5 && !m ? INFINITY : NAN;
      return e ? std::ldexp(1.0 + double(m) / (1 << width), int(e) - bias)
               : std::ldexp(double(m), 1 - bias - width);
    };
    Bits a;
    Random random(5);
    for (unsigned k = 0; k < 1000; ++k)
      a.push_back(
          bitsOf(float(std::ldexp(1 + double(random.next() >> 12) * 0x1p-52,
                                  int(random.next() % 30) - 18))));
    Bits got = runInst("cvt.rn.satfinite." + type + ".f32 %rh, %a, %b;", "hww",
                       {a, a});
    uint32_t largest = e5 ? 0x7b : 0x7e;
    for (size_t k = 0; k < a.size(); ++k) {
      double x = asFloat(a[k]);
      uint32_t best = 0;
      for (uint32_t bits = 0; bits <= largest; ++bits) {
        double d = std::fabs(widen(bits) - x), old = std::fabs(widen(best) - x);
        if (d < old || (d == old && !(bits & 1)))
          best = bits;
      }
      ASSERT_EQ(got[k], best * 0x101) << type << " " << x;
    }
  }
}

/// Both neighbours in the target's format, and the lower with the part of the
/// random bits that its nearness asks for; what is representable stays.
TEST(Float, ConvertStochastically) {
  struct {
    const char *type, *back;
    int fraction, minExponent, randomBits;
  } rows[] = {{"f16x2", "f16", 10, -14, 13}, {"bf16x2", "bf16", 7, -126, 16}};
  const float values[] = {1.0f,    1.3f,      -2.7f,    6.1035156e-5f,
                          3.1e-7f, -5.97e-8f, 1000.55f, 0x1p-30f,
                          -0.0f,   65503.0f};
  for (auto &row : rows)
    for (float value : values) {
      Bits a(1024, bitsOf(value)), random;
      for (uint64_t k = 0; k < 1024; ++k) {
        uint64_t bits = k << (row.randomBits - 10);
        // The other half, and what does not belong to either, must not matter.
        random.push_back(~bits << 16 | bits |
                         (0xffffu >> row.randomBits << row.randomBits));
      }
      Bits got = runInst("{ .reg .b16 %hi; .reg .b32 %w; cvt.rs." +
                             std::string(row.type) +
                             ".f32 %w, %b, %a, %c; mov.b32 {%rh, %hi}, %w; "
                             "cvt.f32." +
                             row.back + " %r, %rh; }",
                         "wwww", {a, Bits(1024, bitsOf(3.0f)), random});
      int unit = std::max(value ? std::ilogb(value) : 0, row.minExponent) -
                 row.fraction;
      double steps = std::ldexp(std::fabs(double(value)), -unit);
      double low = std::floor(steps);
      for (uint64_t k = 0; k < 1024; ++k) {
        double up = steps - low + double(k) / 1024 >= 1 ? 1 : 0;
        float want = std::copysign(float(std::ldexp(low + up, unit)), value);
        ASSERT_EQ(uint32_t(got[k]), bitsOf(want))
            << row.type << " " << value << " " << k;
      }
    }
}

/// Four values share the random bits: straight and reversed.
TEST(Float, ConvertFourStochastically) {
  // 1 + 1/4 of the step above 1: up when the 16 bits are 0xc000 or more.
  auto run = [](const std::string &type, float value, uint32_t random,
                const char *mods = "") {
    bool isWord = type != "e2m1x4";
    return uint32_t(runInst("cvt.rs" + std::string(mods) + ".satfinite." +
                                type + ".f32 " + (isWord ? "%r" : "%rh") +
                                ", {%a, %a, %a, %a}, %b;",
                            isWord ? "www" : "hww",
                            {Bits(32, bitsOf(value)), Bits(32, random)})[0]);
  };
  EXPECT_EQ(run("e4m3x4", 1 + 0x1p-5f, 0xc0000000), 0x38393838u);
  EXPECT_EQ(run("e4m3x4", 1 + 0x1p-5f, 0x0003c000), 0x39383839u);
  EXPECT_EQ(run("e4m3x4", -(1 + 0x1p-5f), 0xffffffff), 0xb9b9b9b9u);
  EXPECT_EQ(run("e4m3x4", -(1 + 0x1p-5f), 0xffffffff, ".relu"), 0u);
  EXPECT_EQ(run("e4m3x4", 1.125f, 0xffffffff), 0x39393939u);
  EXPECT_EQ(run("e4m3x4", 447, 0xffffffff), 0x7e7e7e7eu);
  EXPECT_EQ(run("e4m3x4", 1e9f, 0), 0x7e7e7e7eu);
  EXPECT_EQ(run("e4m3x4", NAN, 0), 0x7f7f7f7fu);
  EXPECT_EQ(run("e4m3x4", 0x1p-11f, 0xc0000000), 0x00010000u); // 1/4 of least.
  EXPECT_EQ(run("e5m2x4", 1 + 0x1p-4f, 0xc0000000), 0x3c3d3c3cu);
  EXPECT_EQ(run("e2m3x4", 1 + 0x1p-5f, 0xc0000000), 0x08090808u);
  EXPECT_EQ(run("e3m2x4", 1 + 0x1p-4f, 0xc0000000), 0x0c0d0c0cu);
  EXPECT_EQ(run("e2m1x4", 1 + 0x1p-3f, 0xc0000000), 0x2322u);
  EXPECT_EQ(run("e2m1x4", 0.125f, 0xc0000000), 0x0100u);
}
} // namespace
