//===- OpsHalf.cpp - f16, bf16 and packed arithmetic ----------------------===//
//
// add, sub and mul are computed in float, where the double rounding is
// harmless; fma goes through a double rounded to odd, so that every result is
// the correctly rounded one.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Half.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
enum Flag : uint8_t {
  Ftz = 1,
  Sat = 2,
  Nan = 4,
  XorSign = 8,
  Abs = 16,
  Relu = 32
};
enum class Op { Add, Sub, Mul, Fma, Min, Max, Neg, Absolute, Tanh, Ex2 };

struct F16 {
  static float widen(uint32_t bits) { return halfToFloat(bits); }
  static uint32_t narrow(float value) { return floatToHalf(value); }
  static uint32_t narrowOdd(double value) {
    return floatToHalf(doubleToFloatOdd(value));
  }
  static bool isSubnormal(uint32_t bits) { return !(bits & 0x7c00); }
};
struct BF16 {
  static float widen(uint32_t bits) { return bfloatToFloat(bits); }
  static uint32_t narrow(float value) { return floatToBFloat(value); }
  static uint32_t narrowOdd(double value) {
    if (value != value)
      return 0x7fff;
    return BFloatFormat::round(value, Round::Nearest);
  }
  static bool isSubnormal(uint32_t) { return false; }
};

template <typename F>
uint32_t flush(uint32_t bits, uint8_t flags) {
  return (flags & Ftz) && F::isSubnormal(bits) ? bits & 0x8000 : bits;
}

template <typename F, bool Max>
uint32_t minMax(uint32_t x, uint32_t y, uint8_t flags) {
  uint32_t signXor = (x ^ y) & 0x8000;
  if (flags & Abs) {
    x &= 0x7fff;
    y &= 0x7fff;
  }
  float a = F::widen(x), b = F::widen(y);
  uint32_t r;
  if (a != a || b != b)
    r = (flags & Nan) || (a != a && b != b) ? 0x7fff : a != a ? y : x;
  else if (a == b)
    r = (x & 0x8000) != 0 == Max ? y : x; // -0 is below +0.
  else
    r = (Max ? a > b : a < b) ? x : y;
  return flags & XorSign ? (r & 0x7fff) | signXor : r;
}

/// One result; operands are already in the low 16 bits.
template <typename F, Op O>
uint32_t one(uint32_t x, uint32_t y, uint32_t z, uint8_t flags) {
  x = flush<F>(x, flags);
  y = flush<F>(y, flags);
  z = flush<F>(z, flags);
  uint32_t r = 0;
  switch (O) {
  case Op::Add:
    r = F::narrow(F::widen(x) + F::widen(y));
    break;
  case Op::Sub:
    r = F::narrow(F::widen(x) - F::widen(y));
    break;
  case Op::Mul:
    r = F::narrow(F::widen(x) * F::widen(y));
    break;
  case Op::Fma:
    r = F::narrowOdd(fmaOdd(F::widen(x), F::widen(y), F::widen(z)));
    break;
  case Op::Min:
    r = minMax<F, false>(x, y, flags);
    break;
  case Op::Max:
    r = minMax<F, true>(x, y, flags);
    break;
  case Op::Neg:
    r = x ^ 0x8000;
    break;
  case Op::Absolute:
    r = x & 0x7fff;
    break;
  case Op::Tanh:
    r = F::narrow(std::tanh(F::widen(x)));
    break;
  case Op::Ex2:
    r = F::narrow(std::exp2(F::widen(x)));
    break;
  }
  r = flush<F>(r, flags);
  if (flags & (Sat | Relu)) {
    float value = F::widen(r);
    bool isNan = value != value;
    if (flags & Sat)
      r = !(value > 0) ? 0 : value > 1 ? F::narrow(1.0f) : r;
    else if (!isNan && (r & 0x8000))
      r = 0;
  }
  return r;
}

template <typename F, Op O, bool Packed>
void halfOp(Warp &w, const Inst &i, uint32_t mask) {
  uint8_t flags = i.flags;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [flags](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t r = one<F, O>(a & 0xffff, b & 0xffff, c & 0xffff, flags);
        if (Packed)
          r |= one<F, O>(a >> 16, b >> 16, c >> 16, flags) << 16;
        return r;
      });
}

template <Op O>
Handler pick(RawType type) {
  bool packed = type.packed == 2;
  if (type.kind == RawType::BFloat)
    return packed ? halfOp<BF16, O, true> : halfOp<BF16, O, false>;
  return packed ? halfOp<F16, O, true> : halfOp<F16, O, false>;
}

Handler pickByName(const std::string &name, RawType type, unsigned &sources) {
  sources = 2;
  if (name == "add")
    return pick<Op::Add>(type);
  if (name == "sub")
    return pick<Op::Sub>(type);
  if (name == "mul")
    return pick<Op::Mul>(type);
  if (name == "min")
    return pick<Op::Min>(type);
  if (name == "max")
    return pick<Op::Max>(type);
  if (name == "fma") {
    sources = 3;
    return pick<Op::Fma>(type);
  }
  sources = 1;
  if (name == "neg")
    return pick<Op::Neg>(type);
  if (name == "abs")
    return pick<Op::Absolute>(type);
  if (name == "tanh")
    return pick<Op::Tanh>(type);
  if (name == "ex2")
    return pick<Op::Ex2>(type);
  return nullptr;
}
} // namespace

void mlir::fuse::emu::decodeHalfArithmetic(Decoder &d) {
  const std::string &name = d.inst().opcode;
  bool isTranscendental = name == "tanh" || name == "ex2";
  if (isTranscendental && !d.take("approx"))
    d.fail("expected '.approx'");
  d.take("rn");
  uint8_t flags =
      uint8_t((d.take("ftz") ? Ftz : 0) | (d.take("sat") ? Sat : 0) |
              (d.take("NaN") ? Nan : 0) | (d.take("xorsign") ? XorSign : 0) |
              (d.take("abs") ? Abs : 0) | (d.take("relu") ? Relu : 0));
  RawType type = d.takeType();
  unsigned sources = 0;
  Handler fn = pickByName(name, type, sources);
  if (bool(flags & XorSign) != bool(flags & Abs))
    d.fail("expected '.xorsign.abs'");
  if (!fn || d.hasMods())
    d.fail("unsupported form of '" + name + "'");
  Inst &inst =
      emitPlain(d, fn, isTranscendental ? InstClass::Sfu : InstClass::Fp16,
                type, sources);
  inst.flags = flags;
  if (sources < 3)
    inst.c = inst.a;
  if (sources < 2)
    inst.b = inst.a;
  if (name == "min" || name == "max" || name == "neg" || name == "abs")
    return;
  inst.unit = isTranscendental ? FlopUnit::Sfu : FlopUnit::Fp16;
  inst.flops = (name == "fma" ? 2 : 1) * type.packed;
}

void mlir::fuse::emu::addHalfOps(DecodeTable &table) {
  (void)table; // Reached through the mnemonics shared with f32.
}
