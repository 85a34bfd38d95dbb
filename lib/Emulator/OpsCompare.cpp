//===- OpsCompare.cpp - Comparison and selection --------------------------===//
//
// setp, set, selp and slct. A predicate is one bit mask over the lanes, so a
// comparison is a loop that makes a mask.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"
#include "Half.h"

using namespace mlir::fuse::emu;

namespace {
constexpr RawType predType{RawType::Pred, 1, 1};

enum class Cmp : uint8_t {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Equ,
  Neu,
  Ltu,
  Leu,
  Gtu,
  Geu,
  Num,
  Nan
};

template <Cmp C, typename T>
bool compare(T a, T b) {
  switch (C) {
  case Cmp::Eq:
    return a == b;
  case Cmp::Lt:
    return a < b;
  case Cmp::Le:
    return a <= b;
  case Cmp::Gt:
    return a > b;
  case Cmp::Ge:
    return a >= b;
  // For floats "ne" is ordered: false when an operand is NaN.
  case Cmp::Ne:
    return a != b && a == a && b == b;
  case Cmp::Equ:
    return !(a != b) || a != a || b != b;
  case Cmp::Neu:
    return a != b;
  case Cmp::Ltu:
    return !(a >= b);
  case Cmp::Leu:
    return !(a > b);
  case Cmp::Gtu:
    return !(a <= b);
  case Cmp::Geu:
    return !(a < b);
  case Cmp::Num:
    return a == a && b == b;
  case Cmp::Nan:
    return a != a || b != b;
  }
}

template <Cmp C, typename T>
uint32_t compareLanes(const Lane<T> *a, const Lane<T> *b) {
  alignas(64) uint32_t t[32];
  for (unsigned l = 0; l < 32; ++l)
    t[l] = compare<C, T>(fromLane<T>(a[l]), fromLane<T>(b[l])) ? 1u << l : 0;
  uint32_t bits = 0;
  for (unsigned l = 0; l < 32; ++l)
    bits |= t[l];
  return bits;
}

// flags: 0 none, 1 and, 2 or, 3 xor with the predicate c. x: slot of q.
void store(Warp &w, const Inst &i, uint32_t mask, uint32_t bits) {
  uint32_t other = ~bits;
  if (i.flags) {
    uint32_t c = *w.reg<uint32_t>(i.c);
    bits = i.flags == 1 ? bits & c : i.flags == 2 ? bits | c : bits ^ c;
    other = i.flags == 1 ? other & c : i.flags == 2 ? other | c : other ^ c;
  }
  uint32_t &p = *w.reg<uint32_t>(i.d);
  p = (p & ~mask) | (bits & mask);
  if (i.x) {
    uint32_t &q = *w.reg<uint32_t>(int32_t(i.x));
    q = (q & ~mask) | (other & mask);
  }
}

template <Cmp C, typename T>
void setp(Warp &w, const Inst &i, uint32_t mask) {
  store(w, i, mask,
        compareLanes<C, T>(w.reg<Lane<T>>(i.a), w.reg<Lane<T>>(i.b)));
}

/// Operands that need work first: flushed floats and the 16-bit formats.
enum class Pre : uint8_t { Flush, Half, BFloat };
float prepare(Pre pre, uint32_t bits) {
  return pre == Pre::Flush  ? flushFloat(bitsFloat(bits))
         : pre == Pre::Half ? halfToFloat(bits & 0xffff)
                            : bfloatToFloat(bits & 0xffff);
}
template <Cmp C>
void setpPre(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint32_t a[32], b[32];
  Pre pre = Pre(i.imm);
  for (unsigned l = 0; l < 32; ++l) {
    a[l] = floatBits(prepare(pre, w.reg<uint32_t>(i.a)[l]));
    b[l] = floatBits(prepare(pre, w.reg<uint32_t>(i.b)[l]));
  }
  store(w, i, mask, compareLanes<C, float>(a, b));
}
/// setp on f16x2: p for the low halves, q for the high ones.
template <Cmp C>
void setpX2(Warp &w, const Inst &i, uint32_t mask) {
  alignas(64) uint32_t a[2][32], b[2][32];
  Pre pre = Pre(i.imm);
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned k = 0; k < 2; ++k) {
      a[k][l] = floatBits(prepare(pre, w.reg<uint32_t>(i.a)[l] >> (16 * k)));
      b[k][l] = floatBits(prepare(pre, w.reg<uint32_t>(i.b)[l] >> (16 * k)));
    }
  int32_t slots[2] = {i.d, int32_t(i.x)};
  for (unsigned k = 0; k < 2; ++k) {
    uint32_t bits = compareLanes<C, float>(a[k], b[k]);
    if (i.flags) {
      uint32_t c = *w.reg<uint32_t>(i.c);
      bits = i.flags == 1 ? bits & c : i.flags == 2 ? bits | c : bits ^ c;
    }
    uint32_t &p = *w.reg<uint32_t>(slots[k]);
    p = (p & ~mask) | (bits & mask);
  }
}

template <Cmp C>
Handler pick(RawType type, bool ftz) {
  if (type.kind == RawType::Float || type.kind == RawType::BFloat) {
    if (type.packed == 2)
      return setpX2<C>;
    if (type.bits == 16 || (ftz && type.bits == 32))
      return setpPre<C>;
    return type.bits == 64 ? setp<C, double> : setp<C, float>;
  }
  if constexpr (C > Cmp::Ge) {
    return nullptr;
  } else {
    bool isSigned = type.kind == RawType::Signed;
    switch (type.bits) {
    case 16:
      return isSigned ? setp<C, int16_t> : setp<C, uint16_t>;
    case 32:
      return isSigned ? setp<C, int32_t> : setp<C, uint32_t>;
    case 64:
      return isSigned ? setp<C, int64_t> : setp<C, uint64_t>;
    default:
      return nullptr;
    }
  }
}

Handler pickCompare(int cmp, RawType type, bool ftz) {
  switch (Cmp(cmp)) {
  case Cmp::Eq:
    return pick<Cmp::Eq>(type, ftz);
  case Cmp::Ne:
    return pick<Cmp::Ne>(type, ftz);
  case Cmp::Lt:
    return pick<Cmp::Lt>(type, ftz);
  case Cmp::Le:
    return pick<Cmp::Le>(type, ftz);
  case Cmp::Gt:
    return pick<Cmp::Gt>(type, ftz);
  case Cmp::Ge:
    return pick<Cmp::Ge>(type, ftz);
  case Cmp::Equ:
    return pick<Cmp::Equ>(type, ftz);
  case Cmp::Neu:
    return pick<Cmp::Neu>(type, ftz);
  case Cmp::Ltu:
    return pick<Cmp::Ltu>(type, ftz);
  case Cmp::Leu:
    return pick<Cmp::Leu>(type, ftz);
  case Cmp::Gtu:
    return pick<Cmp::Gtu>(type, ftz);
  case Cmp::Geu:
    return pick<Cmp::Geu>(type, ftz);
  case Cmp::Num:
    return pick<Cmp::Num>(type, ftz);
  case Cmp::Nan:
    return pick<Cmp::Nan>(type, ftz);
  }
  return nullptr;
}

/// Takes comparison and combination; fills everything but the outputs.
struct Comparison {
  Handler fn;
  RawType type;
  uint8_t combine;
  int64_t pre;
};
/// For `set` the result type comes first among the modifiers.
Comparison takeComparison(Decoder &d, RawType *resultType) {
  Comparison c;
  int cmp = d.takeOneOf({"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu",
                         "ltu", "leu", "gtu", "geu", "num", "nan"});
  bool forceUnsigned = false;
  if (cmp < 0) {
    static const int plain[] = {2, 3, 4, 5};
    int low = d.takeOneOf({"lo", "ls", "hi", "hs"});
    if (low < 0)
      d.fail("expected a comparison");
    cmp = plain[low];
    forceUnsigned = true;
  }
  c.combine = uint8_t(d.takeOneOf({"and", "or", "xor"}) + 1);
  bool ftz = d.take("ftz");
  if (resultType)
    *resultType = d.takeType();
  c.type = d.takeType();
  if (c.type.kind == RawType::Bits && cmp > int(Cmp::Ne))
    d.fail("expected '.eq' or '.ne' of bits");
  if (forceUnsigned)
    c.type.kind = RawType::Unsigned;
  c.fn = pickCompare(cmp, c.type, ftz);
  if (!c.fn)
    d.fail("unsupported comparison");
  c.pre = int64_t(c.type.kind == RawType::BFloat ? Pre::BFloat
                  : c.type.bits == 16            ? Pre::Half
                                                 : Pre::Flush);
  return c;
}

void decodeSetp(Decoder &d) {
  Comparison c = takeComparison(d, nullptr);
  d.expectOperands(c.combine ? 4 : 3, c.combine ? 4 : 3);
  int32_t a = d.src(1, c.type), b = d.src(2, c.type);
  int32_t with = c.combine ? d.pred(d.operand(3)) : 0;
  int32_t p = d.predDst(d.operand(0)), q = 0;
  if (d.operand(0).reg2 >= 0) {
    RawOperand second = d.operand(0);
    second.reg = second.reg2;
    q = d.predDst(second);
  } else if (c.type.packed == 2) {
    q = d.temp(1);
  }
  Inst &inst = d.emit(c.fn, InstClass::Predicate);
  inst.a = a;
  inst.b = b;
  inst.c = with;
  inst.d = p;
  inst.x = uint32_t(q);
  inst.flags = c.combine;
  inst.imm = c.pre;
}

void predToValue(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t p = *w.reg<uint32_t>(i.a), one = uint32_t(i.imm);
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) { d[l] = (p >> l) & 1 ? one : 0; });
}
/// The two halves of set.f16x2 come from two predicates.
void predsToPair(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t p = *w.reg<uint32_t>(i.a), q = *w.reg<uint32_t>(i.b);
  uint32_t one = uint32_t(i.imm);
  uint32_t *d = w.reg<uint32_t>(i.d);
  forLanes(mask, [&](unsigned l) {
    d[l] = ((p >> l) & 1 ? one : 0) | ((q >> l) & 1 ? one << 16 : 0);
  });
}

void decodeSet(Decoder &d) {
  RawType result;
  Comparison c = takeComparison(d, &result);
  int32_t a = d.src(1, c.type), b = d.src(2, c.type);
  int32_t with = c.combine ? d.pred(d.operand(3)) : 0;
  bool isPair = c.type.packed == 2;
  int32_t p = d.temp(1), q = isPair ? d.temp(1) : 0, out = d.dst(0, result);
  Inst &inst = d.emit(c.fn, InstClass::Predicate);
  inst.a = a;
  inst.b = b;
  inst.c = with;
  inst.d = p;
  inst.x = uint32_t(q);
  inst.flags = c.combine;
  inst.imm = c.pre;
  inst.counted = false;
  uint32_t one = result.kind == RawType::BFloat ? 0x3f80
                 : !result.isFloat() ? (result.bits == 16 ? 0xffff : ~0u)
                 : result.bits == 16 ? 0x3c00
                                     : 0x3f800000;
  Inst &value =
      d.emit(isPair ? predsToPair : predToValue, InstClass::Predicate);
  value.a = p;
  value.b = q;
  value.d = out;
  value.imm = one;
}

template <typename S>
void selp(Warp &w, const Inst &i, uint32_t mask) {
  const S *a = w.reg<S>(i.a), *b = w.reg<S>(i.b);
  uint32_t p = *w.reg<uint32_t>(i.c);
  alignas(64) S t[32];
  for (unsigned l = 0; l < 32; ++l)
    t[l] = (p >> l) & 1 ? a[l] : b[l];
  commit(w.reg<S>(i.d), t, mask);
}
void decodeSelp(Decoder &d) {
  d.expectOperands(4, 4);
  RawType type = d.takeType();
  int32_t a = d.src(1, type), b = d.src(2, type), p = d.src(3, predType);
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(type.totalBits() > 32 ? selp<uint64_t> : selp<uint32_t>,
                      InstClass::Move);
  inst.a = a;
  inst.b = b;
  inst.c = p;
  inst.d = out;
}

template <typename S, bool Float>
void slct(Warp &w, const Inst &i, uint32_t mask) {
  const S *a = w.reg<S>(i.a), *b = w.reg<S>(i.b);
  const uint32_t *c = w.reg<uint32_t>(i.c);
  alignas(64) S t[32];
  for (unsigned l = 0; l < 32; ++l) {
    bool first =
        Float ? (i.flags ? flushFloat(bitsFloat(c[l])) : bitsFloat(c[l])) >= 0
              : int32_t(c[l]) >= 0;
    t[l] = first ? a[l] : b[l];
  }
  commit(w.reg<S>(i.d), t, mask);
}
void decodeSlct(Decoder &d) {
  d.expectOperands(4, 4);
  bool ftz = d.take("ftz");
  RawType type = d.takeType(), by = d.takeType();
  int32_t a = d.src(1, type), b = d.src(2, type), c = d.src(3, by);
  int32_t out = d.dst(0, type);
  bool wide = type.bits > 32, isFloat = by.isFloat();
  Inst &inst =
      d.emit(wide ? (isFloat ? slct<uint64_t, true> : slct<uint64_t, false>)
                  : (isFloat ? slct<uint32_t, true> : slct<uint32_t, false>),
             InstClass::Move);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
  inst.flags = ftz;
}
} // namespace

void mlir::fuse::emu::addCompareOps(DecodeTable &table) {
  table["setp"] = decodeSetp;
  table["set"] = decodeSet;
  table["selp"] = decodeSelp;
  table["slct"] = decodeSlct;
}
