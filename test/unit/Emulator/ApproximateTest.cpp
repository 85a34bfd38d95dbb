//===- ApproximateTest.cpp - Errors of the approximate functions ----------===//
//
// Every .approx function on a dense sample of all f32 values, and on all f16
// and bf16 values, against the C library in double precision: the largest error
// must be within what the PTX manual states.
//
//===----------------------------------------------------------------------===//
#include "EmulatorTest.h"

#include <cmath>

using namespace fuse_test;

namespace {
/// Results of a unary instruction on many values, `bits` wide.
std::vector<uint32_t> evaluate(const std::string &inst, unsigned bits,
                               const std::vector<uint32_t> &in) {
  DeviceMemory memory;
  Buffer from(memory, in.size() * 4), to(memory, in.size() * 4);
  memcpy(from.data, in.data(), in.size() * 4);
  bool half = bits == 16;
  Outcome run = runKernel(
      memory,
      kernelText(".param .u64 p0, .param .u64 p1",
                 "  .reg .b32 %a, %r, %t, %u, %v;\n  .reg .b16 %ah, %rh;\n"
                 "  .reg .b64 %d<5>;\n  ld.param.u64 %d1, [p0];\n"
                 "  ld.param.u64 %d2, [p1];\n  mov.u32 %t, %tid.x;\n"
                 "  mov.u32 %u, %ctaid.x;\n  mad.lo.u32 %t, %u, 256, %t;\n"
                 "  mul.wide.u32 %d3, %t, 4;\n  add.s64 %d1, %d1, %d3;\n"
                 "  add.s64 %d2, %d2, %d3;\n  ld.global.b32 %a, [%d1];\n" +
                     std::string(half ? "  cvt.u16.u32 %ah, %a;\n" : "") +
                     "  " + inst + "\n" +
                     (half ? "  cvt.u32.u16 %r, %rh;\n" : "") +
                     "  st.global.b32 [%d2], %r;\n  ret;"),
      {uint32_t(in.size() / 256), 1, 1}, {256, 1, 1},
      {from.address(), to.address()});
  EXPECT_TRUE(run.ok) << run.error;
  return {to.as<uint32_t>(), to.as<uint32_t>() + in.size()};
}

struct Row {
  const char *inst;
  double (*exact)(double);
  double low, high;          ///< Inputs that the bound is for.
  double relative, absolute; ///< The error may be the larger of both.
};

void check(const Row &row, unsigned bits, const std::vector<uint32_t> &in,
           double (*widen)(uint32_t), double smallest) {
  std::vector<uint32_t> out = evaluate(row.inst, bits, in);
  double worst = 0, at = 0;
  size_t counted = 0;
  for (size_t k = 0; k < in.size(); ++k) {
    double x = widen(in[k]);
    if (!(x >= row.low && x <= row.high))
      continue;
    double want = row.exact(x), got = widen(out[k]);
    if (want != want || std::fabs(want) < smallest || std::isinf(want) ||
        std::isinf(got))
      continue;
    ++counted;
    double allowed = std::max(std::fabs(want) * row.relative, row.absolute);
    double share = std::fabs(got - want) / allowed;
    if (!(share <= worst)) {
      worst = share;
      at = x;
    }
  }
  EXPECT_GT(counted, 2000u) << row.inst;
  EXPECT_LE(worst, 1.0) << row.inst << " at " << at;
}

double rcp(double x) { return 1 / x; }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double widenFloat(uint32_t bits) { return asFloat(bits); }
double widenBFloat(uint32_t bits) { return asFloat(bits << 16); }
double widenHalf(uint32_t bits) {
  _Float16 value;
  uint16_t narrow = uint16_t(bits);
  memcpy(&value, &narrow, 2);
  return double(value);
}

TEST(Approximate, SinglePrecision) {
  std::vector<uint32_t> in(1 << 20);
  for (size_t k = 0; k < in.size(); ++k)
    in[k] = uint32_t(k * 4093);
  const double pi = 3.14159265358979, big = 3.5e38, tiny = 1.2e-38;
  const double ulp = 0x1p-23;
  const Row rows[] = {
      {"ex2.approx.f32 %r, %a;", std::exp2, -big, big, 0x1p-22, 0},
      {"ex2.approx.ftz.f32 %r, %a;", std::exp2, -126, big, 0x1p-22, 0},
      {"lg2.approx.f32 %r, %a;", std::log2, 0.5, 2, 0, 0x1p-22},
      {"lg2.approx.f32 %r, %a;", std::log2, tiny, 0.5, 0x1p-22, 0},
      {"lg2.approx.ftz.f32 %r, %a;", std::log2, 2, big, 0x1p-22, 0},
      {"sin.approx.f32 %r, %a;", std::sin, -2 * pi, 2 * pi, 0, 0x1.6ap-21},
      {"cos.approx.f32 %r, %a;", std::cos, -2 * pi, 2 * pi, 0, 0x1.6ap-21},
      {"sin.approx.ftz.f32 %r, %a;", std::sin, -100 * pi, 100 * pi, 0,
       0x1.3ap-15},
      {"cos.approx.ftz.f32 %r, %a;", std::cos, -100 * pi, 100 * pi, 0,
       0x1.3ap-15},
      {"tanh.approx.f32 %r, %a;", std::tanh, -big, big, 0x1p-11, 0},
      {"rcp.approx.f32 %r, %a;", rcp, -big, big, ulp, 0},
      {"rcp.approx.ftz.f32 %r, %a;", rcp, tiny, big, ulp, 0},
      {"sqrt.approx.f32 %r, %a;", std::sqrt, 0, big, 0x1p-23, 0},
      {"sqrt.approx.ftz.f32 %r, %a;", std::sqrt, tiny, big, 0x1p-23, 0},
      {"rsqrt.approx.f32 %r, %a;", rsqrt, tiny, big, 0x1.12p-23, 0},
      {"div.full.f32 %r, 0f40490fdb, %a;",
       [](double x) { return double(asFloat(0x40490fdb)) / x; }, 0x1p-120,
       0x1p120, 2 * ulp, 0},
      {"div.approx.f32 %r, %a, 0f40490fdb;",
       [](double x) { return x / double(asFloat(0x40490fdb)); }, 0x1p-120,
       0x1p120, 2 * ulp, 0},
  };
  for (const Row &row : rows)
    check(row, 32, in, widenFloat, tiny);
}

TEST(Approximate, AllHalfValues) {
  std::vector<uint32_t> in(1 << 16);
  for (size_t k = 0; k < in.size(); ++k)
    in[k] = uint32_t(k);
  const Row halves[] = {
      {"ex2.approx.f16 %rh, %ah;", std::exp2, -15, 16, 0x1.12p-10, 0},
      {"tanh.approx.f16 %rh, %ah;", std::tanh, -70000, 70000, 0, 0x1.02p-11},
  };
  for (const Row &row : halves)
    check(row, 16, in, widenHalf, 0);
  const Row bfloats[] = {
      {"ex2.approx.ftz.bf16 %rh, %ah;", std::exp2, -120, 127, 0x1p-7, 0},
      {"tanh.approx.bf16 %rh, %ah;", std::tanh, -1e38, 1e38, 0, 0x1p-8},
  };
  for (const Row &row : bfloats)
    check(row, 16, in, widenBFloat, 0);
}
} // namespace
