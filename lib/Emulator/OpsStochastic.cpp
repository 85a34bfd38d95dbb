//===- OpsStochastic.cpp - cvt.rs: stochastic rounding --------------------===//
//
// Random bits are added to the discarded bits of the significand, top bit to
// top bit, and the sum is cut off. Which of the 32 random bits belong to which
// value:
//
//   f16x2 {a, b}        a: 28 to 16, b: 12 to 0
//   bf16x2 {a, b}       a: 31 to 16, b: 15 to 0
//   four {a, b, e, f}   b: 31 to 16, a: the same ones reversed
//                       f: 15 to 0, e: the same ones reversed
//
// The PTX manual draws the layouts; the reversal and subnormal results are
// those of published stand-ins that were compared with sm_100a bit by bit.
//
//===----------------------------------------------------------------------===//
#include "Convert.h"
#include "Decoder.h"

using namespace mlir::fuse::emu;

namespace {
/// A destination: significand bits behind the point, least normal exponent.
struct Target {
  const char *name;
  Num num;
  int fraction, minExponent;
  unsigned randomBits, count;
};
constexpr Target targets[] = {
    {"f16x2", Num::F16, 10, -14, 13, 2}, {"bf16x2", Num::BF16, 7, -126, 16, 2},
    {"e4m3x4", Num::E4M3, 3, -6, 16, 4}, {"e5m2x4", Num::E5M2, 2, -14, 16, 4},
    {"e2m3x4", Num::E2M3, 3, 0, 16, 4},  {"e3m2x4", Num::E3M2, 2, -2, 16, 4},
    {"e2m1x4", Num::E2M1, 1, 0, 16, 4},
};

uint32_t reverse16(uint32_t bits) {
  uint32_t result = 0;
  for (unsigned k = 0; k < 16; ++k)
    result |= ((bits >> k) & 1) << (15 - k);
  return result;
}

/// One of the two neighbours of `value` in the target's format, as a float; the
/// upper end of the format is not looked at.
float pickNeighbour(float value, const Target &target, uint32_t random) {
  float size = std::fabs(value);
  if (!(size > 0) || std::isinf(size))
    return value;
  int unit = std::max(std::ilogb(size), target.minExponent) - target.fraction;
  // Both summands, and where it matters the sum, are exact in double.
  double steps =
      std::floor(std::ldexp(double(size), -unit) +
                 std::ldexp(double(random), -int(target.randomBits)));
  return std::copysign(float(std::ldexp(steps, unit)), value);
}

// Sources: `n` of them and the random bits in Program::operands from x on.
// flags: 1 relu, 2 satfinite; size: index of the target.
void stochastic(Warp &w, const Inst &i, uint32_t mask) {
  const Target &target = targets[i.size];
  Conversion c;
  c.from = Num::F32;
  c.to = target.num;
  c.relu = i.flags & 1;
  c.satfinite = i.flags & 2;
  const int32_t *slots = &w.program->operands[i.x];
  const uint32_t *random = w.reg<uint32_t>(slots[i.n]);
  alignas(64) uint32_t result[32] = {};
  for (unsigned k = 0; k < i.n; ++k) {
    const float *source = w.reg<float>(slots[k]);
    unsigned fromEnd = i.n - 1 - k, shift = fromEnd * bitsOf(target.num);
    forLanes(mask, [&](unsigned l) {
      uint32_t half = i.n == 4 ? fromEnd / 2 : fromEnd;
      uint32_t bits = (random[l] >> (16 * half)) & 0xffff;
      if (i.n == 4 && fromEnd % 2)
        bits = reverse16(bits);
      bits &= (1u << target.randomBits) - 1;
      float picked = pickNeighbour(source[l], target, bits);
      result[l] |= uint32_t(convert(floatBits(picked), c)) << shift;
    });
  }
  commit(w.reg<uint32_t>(i.d), result, mask);
}
} // namespace

void mlir::fuse::emu::decodeStochasticCvt(Decoder &d) {
  bool relu = d.take("relu"), satfinite = d.take("satfinite");
  unsigned index = 0;
  while (index < std::size(targets) && !d.take(targets[index].name))
    ++index;
  const RawType f32{RawType::Float, 32, 1}, b32{RawType::Bits, 32, 1};
  if (index == std::size(targets) || !sameType(d.takeType(), f32))
    d.fail("unsupported types of 'cvt.rs'");
  const Target &target = targets[index];
  bool four = target.count == 4;
  if (four && !satfinite)
    d.fail("expected '.satfinite'");
  d.expectOperands(four ? 3 : 4, four ? 3 : 4);
  uint32_t list = d.listStart();
  if (four && (d.operand(1).kind != RawOperand::Vector ||
               d.operand(1).elements.size() != 4))
    d.fail("expected a vector of 4 elements");
  std::vector<int32_t> sources;
  for (unsigned k = 0; k < target.count; ++k)
    sources.push_back(four ? d.src(d.operand(1).elements[k], f32)
                           : d.src(k + 1, f32));
  sources.push_back(d.src(d.numOperands() - 1, b32));
  for (int32_t slot : sources)
    d.listAdd(slot);
  const bool isHalfWord = target.num == Num::E2M1;
  int32_t out = d.dst(0, {RawType::Bits, uint8_t(isHalfWord ? 16 : 32), 1});
  Inst &inst = d.emit(stochastic, InstClass::Convert);
  inst.d = out;
  inst.x = list;
  inst.n = uint8_t(target.count);
  inst.size = uint8_t(index);
  inst.flags = uint8_t(relu | satfinite << 1);
}
