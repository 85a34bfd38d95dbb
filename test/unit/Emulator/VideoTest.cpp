//===- VideoTest.cpp - Video instructions and packed conversions ----------===//
//
// Selections, merging, saturation and second operations, against the
// definition; cvt.pack and the conversions to 6, 4 and scale-only 8 bits.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <algorithm>
#include <cmath>
#include <functional>

using namespace fuse_test;

namespace {
using Words = std::function<uint32_t(uint32_t, uint32_t, uint32_t)>;

void check(const char *inst, const char *kinds, const Words &want) {
  Bits a = intOperands(32, 1), b = intOperands(32, 2), c = intOperands(32, 3);
  std::vector<Bits> operands = {a, b, c};
  operands.resize(strlen(kinds) - 1);
  Bits got = runInst(inst, kinds, operands);
  for (size_t k = 0; k < got.size(); ++k)
    ASSERT_EQ(uint32_t(got[k]),
              want(uint32_t(a[k]), uint32_t(b[k]), uint32_t(c[k])))
        << inst << std::hex << " on " << a[k] << " " << b[k] << " " << c[k];
}

int64_t part(uint32_t x, unsigned at, unsigned bits, bool isSigned) {
  uint64_t field = (x >> at) & ((uint64_t(1) << bits) - 1);
  return isSigned ? int64_t(field << (64 - bits)) >> (64 - bits)
                  : int64_t(field);
}
int64_t clampTo(int64_t v, unsigned bits, bool isSigned) {
  int64_t high = (int64_t(1) << (bits - isSigned)) - 1;
  return std::clamp<int64_t>(v, isSigned ? -high - 1 : 0, high);
}

TEST(Video, ScalarsWithSelections) {
  check("vadd.s32.s32.s32.sat %r, %a, %b;", "www",
        [](uint32_t a, uint32_t b, uint32_t) {
          return uint32_t(clampTo(int64_t(int32_t(a)) + int32_t(b), 32, true));
        });
  check("vsub.s32.u32.u32 %r, %a.b1, %b.h1;", "www",
        [](uint32_t a, uint32_t b, uint32_t) {
          return uint32_t(part(a, 8, 8, false) - part(b, 16, 16, false));
        });
  check("vabsdiff.u32.s32.s32.add %r, %a.h0, %b.b3, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          return uint32_t(
                     std::abs(part(a, 0, 16, true) - part(b, 24, 8, true))) +
                 c;
        });
  check("vmax.s32.s32.u32.min %r, %a, %b.b0, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          return uint32_t(std::min<int64_t>(
              std::max<int64_t>(int32_t(a), b & 0xff), int32_t(c)));
        });
  // Merged into a half of c, saturated to it.
  check("vadd.u32.u32.u32.sat %r.h1, %a.h0, %b.h0, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          int64_t sum = clampTo((a & 0xffff) + (b & 0xffff), 16, false);
          return (c & 0xffff) | uint32_t(sum) << 16;
        });
  check("vshl.u32.u32.u32.clamp %r, %a, %b.b0;", "www",
        [](uint32_t a, uint32_t b, uint32_t) {
          uint32_t n = std::min(b & 0xff, 32u);
          return uint32_t(uint64_t(a) << n);
        });
  check("vshr.s32.s32.u32.wrap %r, %a, %b;", "www",
        [](uint32_t a, uint32_t b, uint32_t) {
          return uint32_t(int32_t(a) >> (b & 31));
        });
  check("vmad.s32.s32.s32.sat.shr7 %r, %a.h0, %b.h1, -%c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          int64_t sum = part(a, 0, 16, true) * part(b, 16, 16, true) -
                        int64_t(int32_t(c));
          return uint32_t(clampTo(sum >> 7, 32, true));
        });
  check("vset.u32.s32.lt.add %r, %a.b0, %b.h0, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          return uint32_t(part(a, 0, 8, false) < part(b, 0, 16, true)) + c;
        });
}

TEST(Video, HalvesAndBytes) {
  auto lanes = [](unsigned bits, uint32_t a, uint32_t b,
                  auto f) { // Of all lanes.
    uint32_t r = 0;
    for (unsigned at = 0; at < 32; at += bits)
      r |= uint32_t(f(part(a, at, bits, true), part(b, at, bits, true)) &
                    ((1 << bits) - 1))
           << at;
    return r;
  };
  check("vadd2.s32.s32.s32.sat %r, %a, %b, %c;", "wwww",
        [&](uint32_t a, uint32_t b, uint32_t) {
          return lanes(16, a, b, [](int64_t x, int64_t y) {
            return clampTo(x + y, 16, true);
          });
        });
  check("vavrg4.s32.s32.s32 %r, %a, %b, %c;", "wwww",
        [&](uint32_t a, uint32_t b, uint32_t) {
          return lanes(8, a, b, [](int64_t x, int64_t y) {
            return (x + y + (x + y >= 0)) >> 1;
          });
        });
  check("vabsdiff4.u32.u32.u32.add %r, %a, %b, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          for (unsigned at = 0; at < 32; at += 8)
            c += uint32_t(
                std::abs(part(a, at, 8, false) - part(b, at, 8, false)));
          return c;
        });
  // Lanes of the result chosen, lanes of the sources swapped and crossed.
  check("vsub2.s32.s32.s32 %r.h1, %a.h03, %b.h10, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          uint32_t x = a & 0xffff; // Half 0 of the pair (a, b) in lane 1.
          return (c & 0xffff) | (x - (a >> 16)) << 16 | (b & 0);
        });
  check("vset4.u32.u32.gt %r, %a, %b, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t) {
          uint32_t r = 0;
          for (unsigned at = 0; at < 32; at += 8)
            r |= uint32_t((a >> at & 0xff) > (b >> at & 0xff)) << at;
          return r;
        });
}

TEST(Video, PackedIntegers) {
  check("cvt.pack.sat.s16.s32 %r, %a, %b;", "www",
        [](uint32_t a, uint32_t b, uint32_t) {
          auto one = [](uint32_t x) {
            return uint32_t(clampTo(int32_t(x), 16, true)) & 0xffff;
          };
          return one(a) << 16 | one(b);
        });
  check("cvt.pack.sat.u4.s32.b32 %r, %a, %b, %c;", "wwww",
        [](uint32_t a, uint32_t b, uint32_t c) {
          auto one = [](uint32_t x) {
            return uint32_t(clampTo(int32_t(x), 4, false));
          };
          return c << 8 | one(a) << 4 | one(b);
        });
}

/// The nearest code of a format of numbers only, ties to even codes.
uint32_t nearest(float value, int exponents, int mantissas) {
  int bias = (1 << (exponents - 1)) - 1, top = (1 << (exponents + mantissas));
  auto widen = [&](int code) {
    int e = code >> mantissas, m = code & ((1 << mantissas) - 1);
    return e ? std::ldexp((1 << mantissas) + m, e - bias - mantissas)
             : std::ldexp(m, 1 - bias - mantissas);
  };
  if (value != value)
    return uint32_t(top - 1);
  int best = 0;
  for (int code = 1; code < top; ++code) {
    double now = std::fabs(widen(code) - std::fabs(double(value))),
           was = std::fabs(widen(best) - std::fabs(double(value)));
    if (now < was || (now == was && code % 2 == 0))
      best = code;
  }
  return uint32_t(best) |
         (std::signbit(value) ? 1u << (exponents + mantissas) : 0);
}

TEST(Convert, NarrowerThanEightBits) {
  Bits a = floatOperands(3), b = floatOperands(4);
  struct {
    const char *inst;
    int exponents, mantissas, shift;
  } rows[] = {
      {"cvt.rn.satfinite.e2m3x2.f32 %rh, %a, %b;", 2, 3, 8},
      {"cvt.rn.satfinite.e3m2x2.f32 %rh, %a, %b;", 3, 2, 8},
      {"{ .reg .b8 %x; cvt.rn.satfinite.e2m1x2.f32 %x, %a, %b; "
       "cvt.u16.u8 %rh, %x; }",
       2, 1, 4},
  };
  for (auto &row : rows) {
    Bits got = runInst(row.inst, "hww", {a, b});
    for (size_t k = 0; k < got.size(); ++k) {
      float x = asFloat(a[k]), y = asFloat(b[k]);
      // Far outside all codes are equally near: the largest one is meant.
      auto code = [&](float v) {
        return nearest(std::fabs(v) > 1e3f ? std::copysign(1e3f, v) : v,
                       row.exponents, row.mantissas);
      };
      ASSERT_EQ(got[k] & 0xffff, code(x) << row.shift | code(y))
          << row.inst << " on " << x << ", " << y;
    }
  }
  Bits scale =
      runInst("cvt.rp.satfinite.ue8m0x2.f32 %rh, %a, %b;", "hww", {a, b});
  for (size_t k = 0; k < scale.size(); ++k) {
    float x = std::fabs(asFloat(b[k]));
    uint32_t got = scale[k] & 0xff;
    if (x != x) {
      ASSERT_EQ(got, 0xffu);
    } else if (x > 0x1p-127f && x <= 0x1p127f) { // The least power above.
      ASSERT_GE(std::ldexp(1.0, int(got) - 127), double(x)) << x;
      ASSERT_LT(std::ldexp(1.0, int(got) - 128), double(x)) << x;
    }
  }
}

TEST(Convert, BackFromSixAndFourBits) {
  Bits all;
  for (uint64_t k = 0; k < 64; ++k)
    all.push_back(k << 8 | (63 - k));
  Bits got = runInst("cvt.rn.f16x2.e3m2x2 %r, %ah;", "wh", {all});
  auto half = [](uint64_t bits) {
    _Float16 value;
    uint16_t narrow = uint16_t(bits);
    memcpy(&value, &narrow, 2);
    return float(value);
  };
  for (size_t k = 0; k < got.size(); ++k) {
    EXPECT_EQ(nearest(half(got[k] >> 16), 3, 2), all[k] >> 8);
    EXPECT_EQ(nearest(half(got[k]), 3, 2), all[k] & 0xff);
  }
}
} // namespace
