//===- OpsConvert.cpp - cvt and its variants ------------------------------===//
//
// Convert.cpp defines every combination; the combinations that generated code
// uses all the time have loops of their own with the same results.
//
//===----------------------------------------------------------------------===//
#include "Convert.h"
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType f32{RawType::Float, 32, 1};

Conversion unpack(const Warp &w, const Inst &i) {
  Conversion c;
  (void)w;
  uint64_t bits = uint64_t(i.imm);
  c.from = Num(bits & 0xff);
  c.to = Num((bits >> 8) & 0xff);
  c.round = Round((bits >> 16) & 0xff);
  c.toIntegral = (bits >> 24) & 1;
  c.ftz = (bits >> 25) & 1;
  c.sat = (bits >> 26) & 1;
  c.relu = (bits >> 27) & 1;
  c.satfinite = (bits >> 28) & 1;
  c.regBits = uint8_t(bits >> 32);
  return c;
}
int64_t pack(const Conversion &c) {
  return int64_t(uint64_t(c.from) | uint64_t(c.to) << 8 |
                 uint64_t(c.round) << 16 | uint64_t(c.toIntegral) << 24 |
                 uint64_t(c.ftz) << 25 | uint64_t(c.sat) << 26 |
                 uint64_t(c.relu) << 27 | uint64_t(c.satfinite) << 28 |
                 uint64_t(c.regBits) << 32);
}

template <typename D, typename A>
void general(Warp &w, const Inst &i, uint32_t mask) {
  Conversion c = unpack(w, i);
  const A *a = w.reg<A>(i.a);
  D *d = w.reg<D>(i.d);
  D keep = c.regBits == 16 ? D(0xffff) : ~D(0);
  forLanes(mask, [&](unsigned l) { d[l] = D(convert(a[l], c)) & keep; });
}

/// d = { hi: a, lo: b } for the packed destinations.
void generalPair(Warp &w, const Inst &i, uint32_t mask) {
  Conversion c = unpack(w, i);
  const uint32_t *a = w.reg<uint32_t>(i.a), *b = w.reg<uint32_t>(i.b);
  uint32_t *d = w.reg<uint32_t>(i.d);
  unsigned shift = bitsOf(c.to);
  forLanes(mask, [&](unsigned l) {
    d[l] = uint32_t(convert(a[l], c) << shift | convert(b[l], c));
  });
}
/// Packed source to packed destination (f8 to and from f16).
void generalPacked(Warp &w, const Inst &i, uint32_t mask) {
  Conversion c = unpack(w, i);
  const uint32_t *a = w.reg<uint32_t>(i.a);
  uint32_t *d = w.reg<uint32_t>(i.d);
  unsigned in = bitsOf(c.from), out = bitsOf(c.to);
  uint32_t inMask = (1u << in) - 1;
  forLanes(mask, [&](unsigned l) {
    d[l] = uint32_t(convert((a[l] >> in) & inMask, c) << out |
                    convert(a[l] & inMask, c));
  });
}

//===-- Frequent combinations ----------------------------------------------=//

/// On the bits: compilers may take any NaN for any other.
float canonicalFloat(float value) {
  uint32_t bits = floatBits(value);
  return bitsFloat((bits & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : bits);
}

template <typename D, typename A>
void plainCast(Warp &w, const Inst &i, uint32_t mask) {
  map1<D, A>(w, i, mask, [](A a) { return D(a); });
}
void halfToF32(Warp &w, const Inst &i, uint32_t mask) {
  map1<float, uint32_t>(
      w, i, mask, [](uint32_t a) { return canonicalFloat(halfToFloat(a)); });
}
void bfloatToF32(Warp &w, const Inst &i, uint32_t mask) {
  map1<float, uint32_t>(
      w, i, mask, [](uint32_t a) { return canonicalFloat(bfloatToFloat(a)); });
}
void f32ToHalf(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint32_t, float>(w, i, mask, floatToHalf);
}
void f32ToBFloat(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint32_t, float>(w, i, mask, floatToBFloat);
}
template <bool BFloat>
void f32ToPair(Warp &w, const Inst &i, uint32_t mask) {
  map2<uint32_t, float, float>(w, i, mask, [](float a, float b) {
    return BFloat ? floatToBFloat(a) << 16 | floatToBFloat(b)
                  : floatToHalf(a) << 16 | floatToHalf(b);
  });
}
void f32ToS32(Warp &w, const Inst &i, uint32_t mask) {
  map1<int32_t, float>(w, i, mask, [](float a) {
    float clamped = std::min(std::max(a, -2147483648.0f), 2147483520.0f);
    int32_t r = int32_t(clamped == clamped ? clamped : 0.0f);
    return a != a ? 0 : a >= 2147483648.0f ? INT32_MAX : r;
  });
}

Handler fastPath(const Conversion &c) {
  if (c.ftz || c.sat || c.relu || c.satfinite)
    return nullptr;
  if (c.from == Num::F32 && c.to == Num::S32 && c.round == Round::Zero &&
      c.toIntegral)
    return f32ToS32;
  if (c.toIntegral || c.round != Round::Nearest)
    return nullptr;
  auto is = [&](Num from, Num to) { return c.from == from && c.to == to; };
  if (is(Num::F16, Num::F32))
    return halfToF32;
  if (is(Num::BF16, Num::F32))
    return bfloatToF32;
  if (is(Num::F32, Num::F16))
    return f32ToHalf;
  if (is(Num::F32, Num::BF16))
    return f32ToBFloat;
  if (is(Num::S32, Num::F32))
    return plainCast<float, int32_t>;
  if (is(Num::U32, Num::F32))
    return plainCast<float, uint32_t>;
  if (is(Num::S32, Num::F64))
    return plainCast<double, int32_t>;
  if (is(Num::F32, Num::F64))
    return plainCast<double, float>;
  if (is(Num::U32, Num::U64) || is(Num::U32, Num::S64))
    return plainCast<uint64_t, uint32_t>;
  if (is(Num::S32, Num::S64) || is(Num::S32, Num::U64))
    return plainCast<int64_t, int32_t>;
  bool from64 = c.from == Num::U64 || c.from == Num::S64;
  if (from64 && (c.to == Num::U32 || c.to == Num::S32))
    return plainCast<uint32_t, uint64_t>;
  return nullptr;
}

//===-- Decoding -----------------------------------------------------------=//

Num numOf(Decoder &d, RawType type, const std::string &name) {
  unsigned step = type.bits == 8    ? 0
                  : type.bits == 16 ? 1
                  : type.bits == 32 ? 2
                                    : 3;
  switch (type.kind) {
  case RawType::Unsigned:
  case RawType::Bits:
    return Num(unsigned(Num::U8) + step);
  case RawType::Signed:
    return Num(unsigned(Num::S8) + step);
  case RawType::Float:
    return type.bits == 16 ? Num::F16 : type.bits == 32 ? Num::F32 : Num::F64;
  case RawType::BFloat:
    return Num::BF16;
  case RawType::TFloat:
    return Num::TF32;
  case RawType::Float8:
    return name.compare(0, 4, "e4m3") == 0 ? Num::E4M3 : Num::E5M2;
  case RawType::Float6:
    return name.compare(0, 4, "e2m3") == 0 ? Num::E2M3 : Num::E3M2;
  case RawType::Float4:
    return Num::E2M1;
  case RawType::Scale8:
    return Num::UE8M0;
  default:
    d.fail("unsupported type of 'cvt'");
  }
}

/// The spelled types, because e4m3 and e5m2 are one RawType.
void takeTypes(Decoder &d, RawType types[2], Num nums[2]) {
  std::vector<std::string> names;
  for (const std::string &mod : d.modsLeft())
    if (parseType(mod).valid())
      names.push_back(mod);
  if (names.size() != 2)
    d.fail("expected two types of 'cvt'");
  for (unsigned k = 0; k < 2; ++k) {
    types[k] = d.takeType();
    nums[k] = numOf(d, types[k], names[k]);
  }
}

void takeRounding(Decoder &d, Conversion &c) {
  int mode = d.takeOneOf({"rn", "rz", "rm", "rp", "rna"});
  int integral = d.takeOneOf({"rni", "rzi", "rmi", "rpi"});
  c.toIntegral = integral >= 0;
  c.round = Round(std::max({mode, integral, 0}));
}

/// Where a result may be inexact the rounding is written, elsewhere it is not:
/// one of the integral ones from a float to an integer.
void checkRounding(Decoder &d, const Conversion &c) {
  const auto &written = d.inst().mods;
  auto has = [&](std::initializer_list<const char *> names) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) {
      return std::count(written.begin(), written.end(), name) != 0;
    });
  };
  bool plain = has({"rn", "rz", "rm", "rp", "rna"});
  bool toInt = isFloat(c.from) && !isFloat(c.to);
  bool narrows =
      isFloat(c.to) &&
      (!isFloat(c.from) || bitsOf(c.to) < bitsOf(c.from) || c.to == Num::TF32);
  if (toInt && (plain || !c.toIntegral))
    d.fail("expected one of '.rni', '.rzi', '.rmi', '.rpi'");
  if (narrows && (!plain || c.toIntegral))
    d.fail("expected a rounding of 'cvt'");
  if (!isFloat(c.from) && !isFloat(c.to) && (plain || c.toIntegral))
    d.fail("unexpected rounding of 'cvt'");
  if (c.sat && c.to == Num::TF32)
    d.fail("unsupported modifier '.sat'");
}

bool isNarrow(Num n) { return n >= Num::E4M3; }

/// The pairs and modifiers that PTX has; all packed values are floats.
void checkPair(Decoder &d, const Conversion &c, RawType from) {
  bool fromPair = from.packed == 2, scale = c.to == Num::UE8M0;
  bool wideTo = c.to == Num::F16 || c.to == Num::BF16;
  bool known =
      !fromPair ? c.from == Num::F32
      : wideTo
          ? (c.to == Num::F16 && isNarrow(c.from) && c.from != Num::UE8M0) ||
                (c.to == Num::BF16 && c.from == Num::UE8M0)
      : scale ? c.from == Num::BF16
              : c.from == Num::F16 && (c.to == Num::E4M3 || c.to == Num::E5M2);
  if (!known || (isNarrow(c.to) && !scale && !c.satfinite))
    d.fail("unsupported conversion of packed values");
  bool rounds = scale ? c.round == Round::Zero || c.round == Round::Up
                      : c.round == Round::Nearest ||
                            (c.round == Round::Zero && wideTo && !fromPair);
  if (!rounds || c.toIntegral || c.ftz || c.sat || (scale && c.relu))
    d.fail("unsupported modifier of a conversion of packed values");
}

void decodePair(Decoder &d, Conversion &c, RawType to, RawType from) {
  checkPair(d, c, from);
  if (from.packed == 2) {
    d.expectOperands(2, 2);
    int32_t a = d.src(1, from), out = d.dst(0, to);
    Inst &inst = d.emit(generalPacked, InstClass::Convert);
    inst.a = a;
    inst.d = out;
    inst.imm = pack(c);
    return;
  }
  d.expectOperands(3, 3);
  int32_t a = d.src(1, f32), b = d.src(2, f32), out = d.dst(0, to);
  bool isPlain = c.round == Round::Nearest && !c.relu && !c.satfinite &&
                 !c.ftz && to.bits == 16;
  Handler fn = !isPlain            ? generalPair
               : c.to == Num::BF16 ? f32ToPair<true>
                                   : f32ToPair<false>;
  Inst &inst = d.emit(fn, InstClass::Convert);
  inst.a = a;
  inst.b = b;
  inst.d = out;
  inst.imm = pack(c);
}

//===-- cvt.pack -----------------------------------------------------------=//

// d = { c, a, b } from the top: a and b saturate to `size` bits each (flags:
// signed); c shifts up by two of them.
void packInts(Warp &w, const Inst &i, uint32_t mask) {
  unsigned bits = i.size;
  bool isSigned = i.flags;
  map3<uint32_t, int32_t, int32_t, uint32_t>(
      w, i, mask, [bits, isSigned](int32_t a, int32_t b, uint32_t c) {
        int64_t high = (int64_t(1) << (bits - isSigned)) - 1;
        int64_t low = isSigned ? -high - 1 : 0;
        uint32_t keep = (1u << bits) - 1;
        auto one = [&](int32_t x) {
          return uint32_t(std::clamp<int64_t>(x, low, high)) & keep;
        };
        uint64_t upper = uint64_t(c) << (2 * bits);
        return uint32_t(upper) | one(a) << bits | one(b);
      });
}

void decodePack(Decoder &d) {
  if (!d.take("sat"))
    d.fail("expected '.sat'");
  RawType to = d.takeType(), from = d.takeType(), third = d.takeOptionalType();
  bool isSigned = to.kind == RawType::Signed;
  bool isInt = isSigned || to.kind == RawType::Unsigned;
  if (!isInt || to.packed != 1 || to.bits > 16 ||
      from.kind != RawType::Signed || from.bits != 32 ||
      third.valid() == (to.bits == 16) ||
      (third.valid() && (third.kind != RawType::Bits || third.bits != 32)))
    d.fail("unsupported types of 'cvt.pack'");
  size_t count = third.valid() ? 4 : 3;
  d.expectOperands(count, count);
  const RawType b32{RawType::Bits, 32, 1};
  int32_t a = d.src(1, b32), b = d.src(2, b32),
          c = third.valid() ? d.src(3, b32) : d.constant32(0),
          out = d.dst(0, b32);
  Inst &inst = d.emit(packInts, InstClass::Convert);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
  inst.size = to.bits;
  inst.flags = isSigned;
}

void decodeCvt(Decoder &d) {
  if (d.take("pack"))
    return decodePack(d);
  if (d.take("rs"))
    return decodeStochasticCvt(d);
  Conversion c;
  takeRounding(d, c);
  c.ftz = d.take("ftz");
  c.sat = d.take("sat");
  c.relu = d.take("relu");
  c.satfinite = d.take("satfinite");
  RawType types[2];
  Num nums[2];
  takeTypes(d, types, nums);
  RawType to = types[0], from = types[1];
  c.to = nums[0];
  c.from = nums[1];
  checkRounding(d, c);
  if (to.packed == 2)
    return decodePair(d, c, to, from);
  d.expectOperands(2, 2);
  c.regBits = uint8_t(std::min(d.regBits(d.operand(0)), 64u));
  int32_t a = d.src(1, from);
  // A 16-bit result in its own register is never sign-extended.
  RawType result = to;
  if (c.regBits == 16)
    result.kind = RawType::Bits;
  int32_t out = d.dst(0, result);
  Handler fn = fastPath(c);
  bool wideIn = from.bits == 64, wideOut = to.bits == 64;
  if (!fn)
    fn = wideOut ? (wideIn ? general<uint64_t, uint64_t>
                           : general<uint64_t, uint32_t>)
                 : (wideIn ? general<uint32_t, uint64_t>
                           : general<uint32_t, uint32_t>);
  Inst &inst = d.emit(fn, InstClass::Convert);
  inst.a = a;
  inst.d = out;
  inst.imm = pack(c);
}
} // namespace

void mlir::fuse::emu::addConvertOps(DecodeTable &table) {
  table["cvt"] = decodeCvt;
}
