//===- OpsBits.cpp - Bit fields, counts and permutations ------------------===//
//
// Integer instructions that look at single bits or bytes. They are added to
// the table together with the integer arithmetic.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
constexpr RawType u32{RawType::Unsigned, 32, 1};
constexpr RawType b32{RawType::Bits, 32, 1};

/// Emits "d, a, b, c" with a type of its own for each operand.
Inst &emitTyped(Decoder &d, Handler fn, RawType out,
                std::initializer_list<RawType> sources) {
  d.expectOperands(sources.size() + 1, sources.size() + 1);
  int32_t slots[3] = {0, 0, 0};
  unsigned index = 0;
  for (RawType type : sources) {
    slots[index] = d.src(index + 1, type);
    ++index;
  }
  int32_t result = d.dst(0, out);
  Inst &inst = d.emit(fn, InstClass::Integer);
  inst.d = result;
  inst.a = slots[0];
  inst.b = slots[1];
  inst.c = slots[2];
  return inst;
}

template <typename T>
T reverseBits(T value) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i)
    result |= ((value >> i) & 1) << (sizeof(T) * 8 - 1 - i);
  return result;
}
template <typename T>
void brev(Warp &w, const Inst &i, uint32_t mask) {
  map1<T, T>(w, i, mask, reverseBits<T>);
}
template <typename T>
void popc(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint32_t, T>(w, i, mask,
                    [](T a) { return uint32_t(__builtin_popcountll(a)); });
}
template <typename T>
void clz(Warp &w, const Inst &i, uint32_t mask) {
  map1<uint32_t, T>(w, i, mask, [](T a) {
    return a ? uint32_t(__builtin_clzll(a)) - (64 - 8 * sizeof(T))
             : uint32_t(8 * sizeof(T));
  });
}

template <typename T>
void bfind(Warp &w, const Inst &i, uint32_t mask) {
  using U = std::make_unsigned_t<T>;
  bool shift = i.flags;
  map1<uint32_t, T>(w, i, mask, [shift](T a) {
    U value = U(a);
    if (std::is_signed_v<T> && a < T(0))
      value = U(~value);
    if (!value)
      return ~0u;
    uint32_t bit = 63 - uint32_t(__builtin_clzll(value));
    return shift ? uint32_t(sizeof(T) * 8 - 1) - bit : bit;
  });
}

template <typename T>
void bfe(Warp &w, const Inst &i, uint32_t mask) {
  using U = std::make_unsigned_t<T>;
  static constexpr uint32_t msb = sizeof(T) * 8 - 1;
  map3<T, T, uint32_t, uint32_t>(
      w, i, mask, [](T a, uint32_t b, uint32_t c) -> T {
        uint32_t pos = b & 0xff, len = c & 0xff;
        U value = U(a);
        if (len == 0)
          return 0;
        // The sign is that of the last bit of the field within the value.
        bool sign =
            std::is_signed_v<T> && (value >> std::min(pos + len - 1, msb)) & 1;
        U field = pos > msb ? 0 : value >> pos;
        uint32_t have = pos > msb ? 0 : std::min(len, msb + 1 - pos);
        U low = have > msb ? U(~U(0)) : U((U(1) << have) - 1);
        return T((field & low) | (sign ? U(~low) : U(0)));
      });
}

template <typename T>
void bfi(Warp &w, const Inst &i, uint32_t mask) {
  const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b);
  const uint32_t *c = w.reg<uint32_t>(i.c);
  const uint32_t *len = w.reg<uint32_t>(int32_t(i.x));
  T *d = w.reg<T>(i.d);
  constexpr uint32_t bits = sizeof(T) * 8;
  forLanes(mask, [&](unsigned l) {
    uint32_t pos = c[l] & 0xff, n = len[l] & 0xff;
    T field = n >= bits ? T(~T(0)) : T((T(1) << n) - 1);
    T at = pos >= bits ? T(0) : T(field << pos);
    d[l] = (b[l] & ~at) | (pos >= bits ? T(0) : T(a[l] << pos) & at);
  });
}

void bmsk(Warp &w, const Inst &i, uint32_t mask) {
  bool wrap = i.flags;
  map2<uint32_t, uint32_t, uint32_t>(
      w, i, mask, [wrap](uint32_t a, uint32_t b) -> uint32_t {
        if (wrap) {
          a &= 31;
          b &= 31;
        }
        if (a > 31)
          return 0;
        return uint32_t(b > 31 ? ~0u : (1u << b) - 1) << a;
      });
}

template <bool Signed>
void szext(Warp &w, const Inst &i, uint32_t mask) {
  bool wrap = i.flags;
  map2<uint32_t, uint32_t, uint32_t>(
      w, i, mask, [wrap](uint32_t a, uint32_t b) -> uint32_t {
        if (wrap)
          b &= 31;
        if (b > 31)
          return a;
        if (b == 0)
          return 0;
        uint32_t low = a << (32 - b);
        return Signed ? uint32_t(int32_t(low) >> (32 - b)) : low >> (32 - b);
      });
}

template <bool Left>
void shf(Warp &w, const Inst &i, uint32_t mask) {
  bool clamp = i.flags;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [clamp](uint32_t lo, uint32_t hi, uint32_t c) {
        uint32_t n = clamp ? std::min(c, 32u) : c & 31;
        uint64_t both = uint64_t(hi) << 32 | lo;
        return uint32_t(Left ? (both << n) >> 32 : both >> n);
      });
}

void lop3(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t table = uint32_t(i.imm);
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [table](uint32_t a, uint32_t b, uint32_t c) {
        uint32_t r = 0;
        for (uint32_t t = 0; t < 8; ++t)
          if ((table >> t) & 1)
            r |= (t & 4 ? a : ~a) & (t & 2 ? b : ~b) & (t & 1 ? c : ~c);
        return r;
      });
}

uint32_t permute(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t both = uint64_t(b) << 32 | a;
  uint32_t r = 0;
  for (unsigned k = 0; k < 4; ++k) {
    uint32_t sel = (c >> (4 * k)) & 0xf;
    uint32_t byte = uint32_t(both >> (8 * (sel & 7))) & 0xff;
    if (sel & 8)
      byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * k);
  }
  return r;
}
/// The named modes are tables of selectors by c & 3.
uint32_t permuteMode(uint32_t a, uint32_t b, uint32_t c, unsigned mode) {
  static const uint16_t selectors[6][4] = {
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  return permute(a, b, selectors[mode][c & 3]);
}
void prmt(Warp &w, const Inst &i, uint32_t mask) {
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(w, i, mask, permute);
}
void prmtMode(Warp &w, const Inst &i, uint32_t mask) {
  unsigned mode = i.flags;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [mode](uint32_t a, uint32_t b, uint32_t c) {
        return permuteMode(a, b, c, mode);
      });
}

// flags: 1 a is signed, 2 b is signed, 4 upper half (dp2a).
uint32_t dot(uint32_t a, uint32_t b, uint32_t c, unsigned flags,
             unsigned elements) {
  int64_t sum = int32_t(c);
  for (unsigned k = 0; k < elements; ++k) {
    int64_t x, y;
    unsigned bk = elements == 2 && (flags & 4) ? k + 2 : k;
    uint32_t bByte = b >> (8 * bk);
    if (elements == 4)
      x = flags & 1 ? int64_t(int8_t(a >> (8 * k))) : uint8_t(a >> (8 * k));
    else
      x = flags & 1 ? int64_t(int16_t(a >> (16 * k))) : uint16_t(a >> (16 * k));
    y = flags & 2 ? int64_t(int8_t(bByte)) : uint8_t(bByte);
    sum += x * y;
  }
  return uint32_t(sum);
}
template <unsigned N>
void dp(Warp &w, const Inst &i, uint32_t mask) {
  unsigned flags = i.flags;
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [flags](uint32_t a, uint32_t b, uint32_t c) {
        return dot(a, b, c, flags, N);
      });
}

void fns(Warp &w, const Inst &i, uint32_t mask) {
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [](uint32_t bits, uint32_t base, uint32_t off) {
        int32_t n = int32_t(off);
        if (base > 31)
          return ~0u;
        int32_t step = n < 0 ? -1 : 1;
        int32_t left = n == 0 ? 1 : n < 0 ? -n : n;
        for (int32_t p = int32_t(base); p >= 0 && p < 32; p += step) {
          if (((bits >> p) & 1) && --left == 0)
            return uint32_t(p);
          if (n == 0)
            break;
        }
        return ~0u;
      });
}

//===-- Decoding -----------------------------------------------------------=//

template <Handler F32, Handler F64, bool CountResult>
void decodeUnary(Decoder &d) {
  RawType type = d.takeType();
  RawType out = CountResult ? u32 : type;
  emitTyped(d, type.bits == 64 ? F64 : F32, out, {type});
}

void decodeBfind(Decoder &d) {
  bool shift = d.take("shiftamt");
  RawType type = d.takeType();
  bool isSigned = type.kind == RawType::Signed;
  emitTyped(d,
            type.bits == 64 ? (isSigned ? bfind<int64_t> : bfind<uint64_t>)
                            : (isSigned ? bfind<int32_t> : bfind<uint32_t>),
            u32, {type})
      .flags = shift;
}

void decodeBfe(Decoder &d) {
  RawType type = d.takeType();
  bool isSigned = type.kind == RawType::Signed;
  emitTyped(d,
            type.bits == 64 ? (isSigned ? bfe<int64_t> : bfe<uint64_t>)
                            : (isSigned ? bfe<int32_t> : bfe<uint32_t>),
            type, {type, u32, u32});
}

void decodeBfi(Decoder &d) {
  RawType type = d.takeType();
  d.expectOperands(5, 5);
  int32_t a = d.src(1, type), b = d.src(2, type), c = d.src(3, u32),
          len = d.src(4, u32), out = d.dst(0, type);
  Inst &inst = d.emit(type.bits == 64 ? bfi<uint64_t> : bfi<uint32_t>,
                      InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.x = uint32_t(len);
  inst.d = out;
}

void decodeShf(Decoder &d) {
  bool left = d.takeOneOf({"r", "l"}) == 1;
  bool clamp = d.takeOneOf({"wrap", "clamp"}) == 1;
  d.takeType();
  emitTyped(d, left ? shf<true> : shf<false>, b32, {b32, b32, u32}).flags =
      clamp;
}

/// "lop3.or.b32 d|p, ..., q": p is q combined with whether d is not zero. a: d,
/// b: q, d: p, flags: and.
void lop3Pred(Warp &w, const Inst &i, uint32_t mask) {
  const uint32_t *a = w.reg<uint32_t>(i.a);
  uint32_t q = *w.reg<uint32_t>(i.b), bits = 0;
  for (unsigned l = 0; l < 32; ++l)
    bits |= uint32_t(a[l] != 0) << l;
  bits = i.flags ? bits & q : bits | q;
  uint32_t &p = *w.reg<uint32_t>(i.d);
  p = (p & ~mask) | (bits & mask);
}

void decodeLop3(Decoder &d) {
  int combine = d.takeOneOf({"or", "and"});
  if (!d.take("b32"))
    d.fail("expected '.b32'");
  d.expectOperands(combine < 0 ? 5 : 6, combine < 0 ? 5 : 6);
  int64_t table = d.literal(4);
  if (table < 0 || table > 255)
    d.fail("expected a table of 8 bits");
  int32_t a = d.src(1, b32), b = d.src(2, b32), c = d.src(3, b32);
  int32_t out = d.dst(0, b32);
  if (combine < 0 && d.operand(0).reg2 >= 0)
    d.fail("expected '.or' or '.and' with '|'");
  if (combine >= 0) {
    RawOperand second = d.operand(0);
    if (second.reg2 < 0)
      d.fail("expected a predicate after '|'");
    second.kind = RawOperand::Reg;
    second.reg = second.reg2;
    int32_t p = d.predDst(second), q = d.pred(d.operand(5));
    Inst &inst = d.emit(lop3, InstClass::Integer);
    inst.a = a;
    inst.b = b;
    inst.c = c;
    inst.d = out;
    inst.imm = table;
    Inst &pred = d.emit(lop3Pred, InstClass::Predicate);
    pred.counted = false;
    pred.a = out;
    pred.b = q;
    pred.d = p;
    pred.flags = combine == 1;
    return;
  }
  Inst &inst = d.emit(lop3, InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
  inst.imm = table;
}

void decodePrmt(Decoder &d) {
  int mode = d.takeOneOf({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  d.takeType();
  emitTyped(d, mode < 0 ? prmt : prmtMode, b32, {b32, b32, b32}).flags =
      uint8_t(std::max(mode, 0));
}

template <unsigned N>
void decodeDot(Decoder &d) {
  bool high = N == 2 && d.takeOneOf({"lo", "hi"}) == 1;
  RawType a = d.takeType(), b = d.takeType();
  emitTyped(d, dp<N>, b32, {b32, b32, b32}).flags =
      uint8_t((a.kind == RawType::Signed) | (b.kind == RawType::Signed) << 1 |
              high << 2);
}
} // namespace

void mlir::fuse::emu::addBitOps(DecodeTable &table) {
  table["brev"] = decodeUnary<brev<uint32_t>, brev<uint64_t>, false>;
  table["popc"] = decodeUnary<popc<uint32_t>, popc<uint64_t>, true>;
  table["clz"] = decodeUnary<clz<uint32_t>, clz<uint64_t>, true>;
  table["bfind"] = decodeBfind;
  table["bfe"] = decodeBfe;
  table["bfi"] = decodeBfi;
  table["bmsk"] = [](Decoder &d) {
    bool wrap = d.takeOneOf({"clamp", "wrap"}) == 1;
    d.takeType();
    emitTyped(d, bmsk, b32, {u32, u32}).flags = wrap;
  };
  table["szext"] = [](Decoder &d) {
    bool wrap = d.takeOneOf({"clamp", "wrap"}) == 1;
    bool isSigned = d.takeType().kind == RawType::Signed;
    emitTyped(d, isSigned ? szext<true> : szext<false>, b32, {b32, u32}).flags =
        wrap;
  };
  table["shf"] = decodeShf;
  table["lop3"] = decodeLop3;
  table["prmt"] = decodePrmt;
  table["dp4a"] = decodeDot<4>;
  table["dp2a"] = decodeDot<2>;
  table["fns"] = [](Decoder &d) {
    d.takeType();
    emitTyped(d, fns, b32, {b32, u32, b32});
  };
}
