//===- OpsFloat.cpp - f32 and f64 arithmetic ------------------------------===//
//
// Round-to-nearest goes through SIMD loops, the directed roundings one lane at
// a time. Results of f32 that are NaN are PTX's canonical NaN. Approximate
// functions are computed to better than the error the PTX manual allows.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Rounding.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
enum Flag : uint8_t { Ftz = 1, Sat = 2, Nan = 4, XorSign = 8, Abs = 16 };

/// On the bits: compilers may take any NaN for any other.
template <typename T>
T canonical(T value) {
  if constexpr (sizeof(T) == 4) {
    uint32_t bits = floatBits(value);
    return bitsFloat((bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits);
  }
  return value;
}
template <bool F, typename T>
T flush(T value) {
  if constexpr (F && sizeof(T) == 4)
    return flushFloat(value);
  return value;
}
/// [0, 1], NaN to +0.
template <typename T>
T saturate(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

//===-- Correctly rounded arithmetic ---------------------------------------=//

template <RoundedOp Op, typename T>
T nearest(T a, T b, T c) {
  switch (Op) {
  case RoundedOp::Add:
    return a + b;
  case RoundedOp::Sub:
    return a - b;
  case RoundedOp::Mul:
    return a * b;
  case RoundedOp::Fma:
    return std::fma(a, b, c);
  case RoundedOp::Div:
    return a / b;
  case RoundedOp::Sqrt:
    return std::sqrt(a);
  case RoundedOp::Rcp:
    return T(1) / a;
  }
}

template <RoundedOp Op, typename T, bool F, bool S>
void arith(Warp &w, const Inst &i, uint32_t mask) {
  auto one = [](T a, T b, T c) {
    T r = nearest<Op, T>(flush<F>(a), flush<F>(b), flush<F>(c));
    r = flush<F>(canonical(r));
    return S ? saturate(r) : r;
  };
  // Unused operands point at the first one: no extra loads of other memory.
  if constexpr (Op == RoundedOp::Fma)
    map3<T, T, T, T>(w, i, mask, one);
  else if constexpr (Op == RoundedOp::Sqrt || Op == RoundedOp::Rcp)
    map1<T, T>(w, i, mask, [&](T a) { return one(a, a, a); });
  else
    map2<T, T, T>(w, i, mask, [&](T a, T b) { return one(a, b, b); });
}

template <RoundedOp Op, typename T>
void arithDirected(Warp &w, const Inst &i, uint32_t mask) {
  Round mode = Round(i.imm);
  const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b), *c = w.reg<T>(i.c);
  T *d = w.reg<T>(i.d);
  bool ftz = i.flags & Ftz;
  auto in = [ftz](T x) { return ftz ? flush<true>(x) : x; };
  forLanes(mask, [&](unsigned l) {
    T r;
    if constexpr (sizeof(T) == 4)
      r = roundedFloat(Op, mode, in(a[l]), in(b[l]), in(c[l]));
    else
      r = roundedDouble(Op, mode, in(a[l]), in(b[l]), in(c[l]));
    r = in(canonical(r));
    d[l] = i.flags & Sat ? saturate(r) : r;
  });
}

/// Two floats in a 64-bit register (sm_100).
template <RoundedOp Op>
void arithX2(Warp &w, const Inst &i, uint32_t mask) {
  const float *a = w.reg<float>(i.a), *b = w.reg<float>(i.b),
              *c = w.reg<float>(i.c);
  float *d = w.reg<float>(i.d);
  bool ftz = i.flags & Ftz;
  auto in = [ftz](float x) { return ftz ? flushFloat(x) : x; };
  Round mode = Round(i.imm);
  forLanes(mask, [&](unsigned lane) {
    for (unsigned l = 2 * lane; l < 2 * lane + 2; ++l)
      d[l] = in(canonical(
          mode == Round::Nearest
              ? nearest<Op, float>(in(a[l]), in(b[l]), in(c[l]))
              : roundedFloat(Op, mode, in(a[l]), in(b[l]), in(c[l]))));
  });
}

template <RoundedOp Op>
Handler pickArith(RawType type, Round mode, bool ftz, bool sat) {
  if (type.packed == 2)
    return arithX2<Op>;
  bool isDouble = type.bits == 64;
  if (mode != Round::Nearest)
    return isDouble ? arithDirected<Op, double> : arithDirected<Op, float>;
  if (isDouble)
    return arith<Op, double, false, false>;
  if (ftz)
    return sat ? arith<Op, float, true, true> : arith<Op, float, true, false>;
  return sat ? arith<Op, float, false, true> : arith<Op, float, false, false>;
}

struct FloatMods {
  Round mode = Round::Nearest;
  bool ftz = false, sat = false, approx = false;
  RawType type;
};

FloatMods takeFloatMods(Decoder &d) {
  FloatMods mods;
  int mode = d.takeOneOf({"rn", "rz", "rm", "rp"});
  mods.mode = mode < 0 ? Round::Nearest : Round(mode);
  mods.approx = d.take("approx");
  mods.approx |= d.take("full");
  mods.ftz = d.take("ftz");
  mods.sat = d.take("sat");
  mods.type = d.takeType();
  if (mods.type.kind != RawType::Float || mods.type.bits < 32)
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  return mods;
}

template <bool BFloat>
void widen16(Warp &w, const Inst &i, uint32_t mask) {
  map1<float, uint32_t>(w, i, mask, [](uint32_t a) {
    return BFloat ? bfloatToFloat(a) : halfToFloat(a);
  });
}

/// "fma.rn.f32.f16 d, a, b, c" (sm_100): all but the last operand are narrow.
Inst &emitMixed(Decoder &d, Handler fn, RawType narrow, unsigned sources) {
  const RawType f32{RawType::Float, 32, 1};
  d.expectOperands(sources + 1, sources + 1);
  int32_t slots[3] = {0, 0, 0};
  for (unsigned k = 0; k < sources; ++k) {
    if (k + 1 == sources) {
      slots[k] = d.src(k + 1, f32);
      continue;
    }
    int32_t from = d.src(k + 1, narrow);
    slots[k] = d.temp(32);
    Inst &micro =
        d.emit(narrow.kind == RawType::BFloat ? widen16<true> : widen16<false>,
               InstClass::Convert);
    micro.counted = false;
    micro.a = from;
    micro.d = slots[k];
  }
  int32_t out = d.dst(0, f32);
  Inst &inst = d.emit(fn, InstClass::Fp32);
  inst.d = out;
  inst.a = slots[0];
  inst.b = slots[1];
  inst.c = slots[2];
  return inst;
}

template <RoundedOp Op>
void emitArith(Decoder &d, unsigned sources, bool asSfu = false) {
  FloatMods mods = takeFloatMods(d);
  RawType narrow = sources > 1 ? d.takeOptionalType() : RawType();
  if (narrow.valid() && (narrow.bits != 16 || !narrow.isFloat()))
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  bool isDouble = mods.type.totalBits() == 64 && mods.type.packed == 1;
  Handler fn = pickArith<Op>(mods.type, mods.mode, mods.ftz, mods.sat);
  Inst &inst = narrow.valid() ? emitMixed(d, fn, narrow, sources)
                              : emitPlain(d, fn,
                                          asSfu      ? InstClass::Sfu
                                          : isDouble ? InstClass::Fp64
                                                     : InstClass::Fp32,
                                          mods.type, sources);
  inst.imm = int64_t(mods.mode);
  inst.flags = uint8_t((mods.ftz ? Ftz : 0) | (mods.sat ? Sat : 0));
  inst.unit = asSfu      ? FlopUnit::Sfu
              : isDouble ? FlopUnit::Fp64
                         : FlopUnit::Fp32;
  inst.flops = (Op == RoundedOp::Fma ? 2 : 1) * mods.type.packed;
  if (sources < 3)
    inst.c = inst.a;
  if (sources < 2)
    inst.b = inst.a;
}

//===-- min, max, sign -----------------------------------------------------=//

/// -0 is below +0; one NaN yields the other operand unless Nan is set.
template <bool Max, typename T>
T minMax(T a, T b, bool nan) {
  if (a != a || b != b) {
    if (nan || (a != a && b != b))
      return sizeof(T) == 4 ? T(bitsFloat(0x7fffffff))
                            : T(bitsDouble(0x7fffffffffffffff));
    return a != a ? b : a;
  }
  if (a == b)
    return Max ? (std::signbit(a) ? b : a) : (std::signbit(a) ? a : b);
  return (Max ? a > b : a < b) ? a : b;
}

template <bool Max, typename T>
void minMaxOp(Warp &w, const Inst &i, uint32_t mask) {
  uint8_t flags = i.flags;
  map2<T, T, T>(w, i, mask, [flags](T a, T b) {
    if (flags & Ftz) {
      a = flush<true>(a);
      b = flush<true>(b);
    }
    if (flags & (XorSign | Abs)) {
      bool negative = (flags & XorSign) && std::signbit(a) != std::signbit(b);
      T r = minMax<Max, T>(std::fabs(a), std::fabs(b), flags & Nan);
      return negative ? -r : r;
    }
    return minMax<Max, T>(a, b, flags & Nan);
  });
}

template <bool Max>
void decodeMinMax(Decoder &d) {
  uint8_t flags =
      uint8_t((d.take("ftz") ? Ftz : 0) | (d.take("NaN") ? Nan : 0) |
              (d.take("xorsign") ? XorSign : 0) | (d.take("abs") ? Abs : 0));
  RawType type = d.takeType();
  bool isDouble = type.bits == 64, three = d.numOperands() == 4;
  if (three ? (flags & XorSign) != 0
            : bool(flags & XorSign) != bool(flags & Abs))
    d.fail("expected '.xorsign.abs'");
  if (isDouble && (flags || three))
    d.fail("unsupported form of '" + d.inst().opcode + "'");
  Handler fn = isDouble ? minMaxOp<Max, double> : minMaxOp<Max, float>;
  InstClass cls = isDouble ? InstClass::Fp64 : InstClass::Fp32;
  if (d.numOperands() == 4) { // Three inputs (sm_100): two of two.
    int32_t a = d.src(1, type), b = d.src(2, type), c = d.src(3, type);
    int32_t partial = d.temp(type.bits), out = d.dst(0, type);
    Inst &first = d.emit(fn, cls);
    first.a = a;
    first.b = b;
    first.d = partial;
    first.flags = flags;
    first.counted = false;
    Inst &second = d.emit(fn, cls);
    second.a = partial;
    second.b = c;
    second.d = out;
    second.flags = flags;
    return;
  }
  emitPlain(d, fn, cls, type, 2).flags = flags;
}

template <typename U, bool Negate>
void signOp(Warp &w, const Inst &i, uint32_t mask) {
  bool ftz = i.flags & Ftz;
  map1<U, U>(w, i, mask, [ftz](U a) -> U {
    constexpr U sign = U(1) << (sizeof(U) * 8 - 1);
    if (ftz && sizeof(U) == 4 && !(a & 0x7f800000))
      a &= sign;
    return Negate ? a ^ sign : a & ~sign;
  });
}
template <bool Negate>
void decodeSign(Decoder &d) {
  bool ftz = d.take("ftz");
  RawType type = d.takeType();
  bool isDouble = type.bits == 64;
  emitPlain(d, isDouble ? signOp<uint64_t, Negate> : signOp<uint32_t, Negate>,
            isDouble ? InstClass::Fp64 : InstClass::Fp32, type, 1)
      .flags = ftz ? Ftz : 0;
}

template <typename U>
void copysignOp(Warp &w, const Inst &i, uint32_t mask) {
  map2<U, U, U>(w, i, mask, [](U a, U b) -> U {
    constexpr U sign = U(1) << (sizeof(U) * 8 - 1);
    return (a & sign) | (b & ~sign);
  });
}

template <typename T>
void testpOp(Warp &w, const Inst &i, uint32_t mask) {
  const T *a = w.reg<T>(i.a);
  uint32_t bits = 0;
  for (unsigned l = 0; l < 32; ++l) {
    int cls = std::fpclassify(a[l]);
    bool r = false;
    switch (i.flags) {
    case 0:
      r = cls != FP_NAN && cls != FP_INFINITE;
      break;
    case 1:
      r = cls == FP_INFINITE;
      break;
    case 2:
      r = cls != FP_NAN;
      break;
    case 3:
      r = cls == FP_NAN;
      break;
    case 4:
      r = cls == FP_NORMAL;
      break;
    case 5:
      r = cls == FP_SUBNORMAL;
      break;
    }
    bits |= uint32_t(r) << l;
  }
  uint32_t &out = *w.reg<uint32_t>(i.d);
  out = (out & ~mask) | (bits & mask);
}

//===-- Approximate functions ----------------------------------------------=//

enum class Fn { Ex2, Lg2, Sin, Cos, Tanh, Rsqrt };
template <Fn F>
float approx(float a) {
  switch (F) {
  case Fn::Ex2:
    return std::exp2(a);
  case Fn::Lg2:
    return std::log2(a);
  case Fn::Sin:
    return std::sin(a);
  case Fn::Cos:
    return std::cos(a);
  case Fn::Tanh:
    return std::tanh(a);
  case Fn::Rsqrt:
    return float(1.0 / std::sqrt(double(a)));
  }
}
template <Fn F>
void approxOp(Warp &w, const Inst &i, uint32_t mask) {
  bool ftz = i.flags & Ftz;
  const float *a = w.reg<float>(i.a);
  alignas(64) float t[32];
  if constexpr (F == Fn::Rsqrt) {
    for (unsigned l = 0; l < 32; ++l)
      t[l] = canonical(approx<F>(ftz ? flushFloat(a[l]) : a[l]));
  } else {
    forLanes(mask, [&](unsigned l) {
      t[l] = canonical(approx<F>(ftz ? flushFloat(a[l]) : a[l]));
    });
  }
  if (ftz)
    for (unsigned l = 0; l < 32; ++l)
      t[l] = flushFloat(t[l]);
  float *d = w.reg<float>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = t[l]; });
}
/// rsqrt.approx.f64 is accurate: assemblers expand it.
void rsqrtF64(Warp &w, const Inst &i, uint32_t mask) {
  map1<double, double>(w, i, mask, [](double a) { return 1.0 / std::sqrt(a); });
}
/// The .ftz forms flush and keep the upper word only, as the manual says.
template <bool Rsqrt>
void approxF64(Warp &w, const Inst &i, uint32_t mask) {
  map1<double, double>(w, i, mask, [](double a) {
    if (!(doubleBits(a) & 0x7ff0000000000000))
      a = std::copysign(0.0, a);
    double r = Rsqrt ? 1.0 / std::sqrt(a) : 1.0 / a;
    if (r != r)
      return bitsDouble(0x7fffffff00000000);
    uint64_t bits = doubleBits(r) & 0xffffffff00000000;
    if (!(bits & 0x7ff0000000000000))
      bits &= uint64_t(1) << 63;
    return bitsDouble(bits);
  });
}

template <Fn F>
void decodeApprox(Decoder &d) {
  if (d.peekType().bits == 16)
    return decodeHalfArithmetic(d);
  FloatMods mods = takeFloatMods(d);
  if (!mods.approx)
    d.fail("expected '.approx'");
  bool isDouble = mods.type.bits == 64;
  if (isDouble && F != Fn::Rsqrt)
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  Handler fn = !isDouble ? approxOp<F> : mods.ftz ? approxF64<true> : rsqrtF64;
  Inst &inst = emitPlain(d, fn, InstClass::Sfu, mods.type, 1);
  inst.flags = mods.ftz ? Ftz : 0;
  inst.unit = FlopUnit::Sfu;
  inst.flops = 1;
}

void decodeRcp(Decoder &d) {
  const auto &mods = d.modsLeft();
  bool isApprox = std::count(mods.begin(), mods.end(), "approx");
  if (isApprox && d.peekType().bits == 64) {
    d.take("approx");
    d.take("ftz");
    Inst &inst =
        emitPlain(d, approxF64<false>, InstClass::Sfu, d.takeType(), 1);
    inst.unit = FlopUnit::Sfu;
    inst.flops = 1;
    return;
  }
  emitArith<RoundedOp::Rcp>(d, 1, true);
}
} // namespace

void mlir::fuse::emu::decodeFloatArithmetic(Decoder &d) {
  const std::string &op = d.inst().opcode;
  if (op == "add")
    return emitArith<RoundedOp::Add>(d, 2);
  if (op == "sub")
    return emitArith<RoundedOp::Sub>(d, 2);
  if (op == "mul")
    return emitArith<RoundedOp::Mul>(d, 2);
  if (op == "mad" || op == "fma")
    return emitArith<RoundedOp::Fma>(d, 3);
  if (op == "div") {
    const auto &mods = d.modsLeft();
    bool rounds = std::any_of(mods.begin(), mods.end(), [](const auto &mod) {
      return mod == "approx" || mod == "full" || mod == "rn" || mod == "rz" ||
             mod == "rm" || mod == "rp";
    });
    if (!rounds)
      d.fail("expected '.approx', '.full' or a rounding with 'div'");
  }
  if (op == "div")
    return emitArith<RoundedOp::Div>(d, 2, true);
  if (op == "min")
    return decodeMinMax<false>(d);
  if (op == "max")
    return decodeMinMax<true>(d);
  if (op == "neg")
    return decodeSign<true>(d);
  return decodeSign<false>(d);
}

void mlir::fuse::emu::addFloatOps(DecodeTable &table) {
  table["fma"] = [](Decoder &d) {
    d.peekType().bits == 16 ? decodeHalfArithmetic(d)
                            : decodeFloatArithmetic(d);
  };
  table["rcp"] = decodeRcp;
  table["sqrt"] = [](Decoder &d) { emitArith<RoundedOp::Sqrt>(d, 1, true); };
  table["ex2"] = decodeApprox<Fn::Ex2>;
  table["lg2"] = decodeApprox<Fn::Lg2>;
  table["sin"] = decodeApprox<Fn::Sin>;
  table["cos"] = decodeApprox<Fn::Cos>;
  table["tanh"] = decodeApprox<Fn::Tanh>;
  table["rsqrt"] = decodeApprox<Fn::Rsqrt>;
  table["copysign"] = [](Decoder &d) {
    RawType type = d.takeType();
    bool isDouble = type.bits == 64;
    emitPlain(d, isDouble ? copysignOp<uint64_t> : copysignOp<uint32_t>,
              isDouble ? InstClass::Fp64 : InstClass::Fp32, type, 2);
  };
  table["testp"] = [](Decoder &d) {
    int test = d.takeOneOf(
        {"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
    if (test < 0)
      d.fail("expected a test of 'testp'");
    RawType type = d.takeType();
    int32_t a = d.src(1, type), out = d.predDst(d.operand(0));
    Inst &inst = d.emit(type.bits == 64 ? testpOp<double> : testpOp<float>,
                        type.bits == 64 ? InstClass::Fp64 : InstClass::Fp32);
    inst.a = a;
    inst.d = out;
    inst.flags = uint8_t(test);
  };
}
