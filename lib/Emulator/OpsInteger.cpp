//===- OpsInteger.cpp - Integer arithmetic --------------------------------===//
//
// Arithmetic that wraps, as PTX defines it; the host's undefined cases (shift
// by the width, division by zero, INT_MIN / -1) are spelled out.
//
//===----------------------------------------------------------------------===//
#include "Decoder.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
template <typename T>
using U = std::make_unsigned_t<T>;
template <typename T>
constexpr unsigned width = sizeof(T) * 8;
template <typename T>
using Wide =
    std::conditional_t<std::is_signed_v<T>,
                       std::conditional_t<sizeof(T) == 2, int32_t, int64_t>,
                       std::conditional_t<sizeof(T) == 2, uint32_t, uint64_t>>;

template <typename T>
T mulHigh(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    using W =
        std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
    return T((W(a) * W(b)) >> 64);
  } else {
    return T((Wide<T>(a) * Wide<T>(b)) >> width<T>);
  }
}

#define BINARY(NAME, EXPR)                                                     \
  template <typename T>                                                        \
  struct NAME {                                                                \
    static constexpr unsigned sources = 2;                                     \
    static void run(Warp &w, const Inst &i, uint32_t mask) {                   \
      map2<T, T, T>(w, i, mask, [](T a, T b) -> T { return EXPR; });           \
    }                                                                          \
  };
#define UNARY(NAME, EXPR)                                                      \
  template <typename T>                                                        \
  struct NAME {                                                                \
    static constexpr unsigned sources = 1;                                     \
    static void run(Warp &w, const Inst &i, uint32_t mask) {                   \
      map1<T, T>(w, i, mask, [](T a) -> T { return EXPR; });                   \
    }                                                                          \
  };
#define TERNARY(NAME, EXPR)                                                    \
  template <typename T>                                                        \
  struct NAME {                                                                \
    static constexpr unsigned sources = 3;                                     \
    static void run(Warp &w, const Inst &i, uint32_t mask) {                   \
      map3<T, T, T, T>(w, i, mask, [](T a, T b, T c) -> T { return EXPR; });   \
    }                                                                          \
  };

// The products of 16-bit values would overflow a signed int: hence uint64_t.
BINARY(Add, T(U<T>(a) + U<T>(b)))
BINARY(Sub, T(U<T>(a) - U<T>(b)))
BINARY(MulLo, T(uint64_t(a) * uint64_t(b)))
BINARY(MulHi, mulHigh(a, b))
TERNARY(MadLo, T(uint64_t(a) * uint64_t(b) + uint64_t(c)))
TERNARY(MadHi, T(U<T>(mulHigh(a, b)) + U<T>(c)))
TERNARY(Sad, T(U<T>(c) + (a < b ? U<T>(b) - U<T>(a) : U<T>(a) - U<T>(b))))
BINARY(Min, std::min(a, b))
BINARY(Max, std::max(a, b))
BINARY(And, T(a &b))
BINARY(Or, T(a | b))
BINARY(Xor, T(a ^ b))
UNARY(Not, T(~a))
UNARY(Cnot, T(a == 0 ? 1 : 0))
UNARY(Neg, T(0 - U<T>(a)))
UNARY(Abs, T(std::is_signed_v<T> &&a < T(0) ? 0 - U<T>(a) : U<T>(a)))
#undef BINARY
#undef UNARY
#undef TERNARY

/// Division by zero gives all ones, as the hardware's sequence does.
template <typename T>
struct Div {
  static constexpr unsigned sources = 2;
  static T one(T a, T b) {
    if (b == 0)
      return T(~T(0));
    if (std::is_signed_v<T> && b == T(-1))
      return T(0 - U<T>(a));
    return T(a / b);
  }
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<T, T, T>(w, i, mask, one);
  }
};
template <typename T>
struct Rem {
  static constexpr unsigned sources = 2;
  static T one(T a, T b) {
    if (b == 0)
      return a;
    if (std::is_signed_v<T> && b == T(-1))
      return 0;
    return T(a % b);
  }
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<T, T, T>(w, i, mask, one);
  }
};

template <typename T>
struct MulWide {
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<Wide<T>, T, T>(w, i, mask, [](T a, T b) {
      return Wide<T>(U<Wide<T>>(Wide<T>(a)) * U<Wide<T>>(Wide<T>(b)));
    });
  }
};
template <typename T>
struct MadWide {
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    using W = Wide<T>;
    map3<W, T, T, W>(w, i, mask, [](T a, T b, W c) {
      return W(U<W>(W(a)) * U<W>(W(b)) + U<W>(c));
    });
  }
};

/// Shift amounts are unsigned 32-bit and clamp at the width.
template <typename T>
struct Shl {
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<T, T, uint32_t>(w, i, mask, [](T a, uint32_t s) {
      return s >= width<T> ? T(0) : T(U<T>(a) << s);
    });
  }
};
template <typename T>
struct Shr {
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<T, T, uint32_t>(w, i, mask, [](T a, uint32_t s) {
      return T(a >> std::min<uint32_t>(s, width<T> - 1) >>
               (s >= width<T> ? 1 : 0));
    });
  }
};

template <template <typename> typename Op>
Handler pick(RawType type) {
  bool isSigned = type.kind == RawType::Signed;
  switch (type.packed == 1 ? type.bits : 0) {
  case 16:
    return isSigned ? Op<int16_t>::run : Op<uint16_t>::run;
  case 32:
    return isSigned ? Op<int32_t>::run : Op<uint32_t>::run;
  case 64:
    return isSigned ? Op<int64_t>::run : Op<uint64_t>::run;
  default:
    return nullptr;
  }
}

template <template <typename> typename Op>
void plain(Decoder &d) {
  RawType type = d.takeType();
  Handler fn = pick<Op>(type);
  if (!fn)
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  emitPlain(d, fn, InstClass::Integer, type, Op<uint32_t>::sources);
}

//===-- Saturation, packed halves ------------------------------------------=//

template <bool Subtract>
void saturating(Warp &w, const Inst &i, uint32_t mask) {
  map2<int32_t, int32_t, int32_t>(w, i, mask, [](int32_t a, int32_t b) {
    int64_t exact = Subtract ? int64_t(a) - b : int64_t(a) + b;
    return int32_t(std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX));
  });
}
void madHiSat(Warp &w, const Inst &i, uint32_t mask) {
  map3<int32_t, int32_t, int32_t, int32_t>(
      w, i, mask, [](int32_t a, int32_t b, int32_t c) {
        int64_t exact = int64_t(mulHigh(a, b)) + c;
        return int32_t(std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX));
      });
}

template <typename T, typename F>
uint32_t halves(uint32_t a, uint32_t b, F f) {
  uint32_t low = uint16_t(f(T(a), T(b)));
  return low | uint32_t(uint16_t(f(T(a >> 16), T(b >> 16)))) << 16;
}
enum class Packed { Add, Min, Max };
template <typename T, Packed P>
void packed(Warp &w, const Inst &i, uint32_t mask) {
  bool relu = i.flags;
  map2<uint32_t, uint32_t, uint32_t>(
      w, i, mask, [relu](uint32_t x, uint32_t y) {
        return halves<T>(x, y, [relu](T a, T b) -> T {
          T r = P == Packed::Add   ? T(U<T>(a) + U<T>(b))
                : P == Packed::Min ? std::min(a, b)
                                   : std::max(a, b);
          return relu && r < T(0) ? T(0) : r;
        });
      });
}
template <Packed P>
void decodePacked(Decoder &d, RawType type) {
  bool relu = d.take("relu");
  bool isSigned = type.kind == RawType::Signed;
  emitPlain(d, isSigned ? packed<int16_t, P> : packed<uint16_t, P>,
            InstClass::Integer, type, 2)
      .flags = relu;
}

template <bool Max>
void relu32(Warp &w, const Inst &i, uint32_t mask) {
  map2<int32_t, int32_t, int32_t>(w, i, mask, [](int32_t a, int32_t b) {
    return std::max(Max ? std::max(a, b) : std::min(a, b), 0);
  });
}

//===-- Carry --------------------------------------------------------------=//

// flags: 1 carry in, 2 carry out, 4 subtract. x: slot of the carry.
template <typename T>
struct Carry {
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    const T *a = w.reg<T>(i.a), *b = w.reg<T>(i.b);
    T *out = w.reg<T>(i.d);
    uint32_t &flag = *w.reg<uint32_t>(int32_t(i.x));
    forLanes(mask, [&](unsigned l) {
      bool subtract = i.flags & 4;
      // Subtraction adds the complement, so that the flag after it is set when
      // there was no borrow: code of nvcc reads it by addc.
      unsigned __int128 in =
          (i.flags & 1) ? ((flag >> l) & 1) ^ (subtract ? 1 : 0) : 0;
      unsigned __int128 sum = subtract ? (unsigned __int128)a[l] - b[l] - in
                                       : (unsigned __int128)a[l] + b[l] + in;
      out[l] = T(sum);
      if (i.flags & 2) {
        uint32_t bit = (uint32_t(sum >> width<T>) & 1) ^ (subtract ? 1 : 0);
        flag = (flag & ~(1u << l)) | bit << l;
      }
    });
  }
};

void decodeCarry(Decoder &d, bool in, bool out, bool subtract) {
  RawType type = d.takeType();
  Handler fn = type.bits == 32   ? Carry<uint32_t>::run
               : type.bits == 64 ? Carry<uint64_t>::run
                                 : nullptr;
  if (!fn)
    d.fail("unsupported type with carry");
  Inst &inst = emitPlain(d, fn, InstClass::Integer, type, 2);
  inst.flags = uint8_t(in | out << 1 | subtract << 2);
  inst.x = uint32_t(d.carry());
}

template <bool Subtract>
void decodeAddSub(Decoder &d) {
  RawType type = d.peekType();
  if (type.isFloat())
    return type.bits == 16 ? decodeHalfArithmetic(d) : decodeFloatArithmetic(d);
  if (d.take("cc"))
    return decodeCarry(d, false, true, Subtract);
  if (d.take("sat")) {
    d.takeType();
    emitPlain(d, saturating<Subtract>, InstClass::Integer, type, 2);
    return;
  }
  if (type.packed == 2 && !Subtract) {
    d.takeType();
    return decodePacked<Packed::Add>(d, type);
  }
  Subtract ? plain<Sub>(d) : plain<Add>(d);
}
template <bool Subtract>
void decodeAddcSubc(Decoder &d) {
  bool out = d.take("cc");
  decodeCarry(d, true, out, Subtract);
}

template <bool Max>
void decodeMinMax(Decoder &d) {
  RawType type = d.peekType();
  if (type.isFloat())
    return type.bits == 16 ? decodeHalfArithmetic(d) : decodeFloatArithmetic(d);
  if (type.packed == 2) {
    d.takeType();
    return Max ? decodePacked<Packed::Max>(d, type)
               : decodePacked<Packed::Min>(d, type);
  }
  if (d.take("relu")) {
    d.takeType();
    emitPlain(d, relu32<Max>, InstClass::Integer, type, 2);
    return;
  }
  Max ? plain<::Max>(d) : plain<Min>(d);
}

template <template <typename> typename Op>
void decodeSign(Decoder &d) {
  RawType type = d.peekType();
  if (type.isFloat())
    return type.bits == 16 ? decodeHalfArithmetic(d) : decodeFloatArithmetic(d);
  plain<Op>(d);
}

//===-- mul and mad --------------------------------------------------------=//

void decodeMul(Decoder &d) {
  RawType type = d.peekType();
  if (type.isFloat())
    return type.bits == 16 ? decodeHalfArithmetic(d) : decodeFloatArithmetic(d);
  int part = d.takeOneOf({"lo", "hi", "wide"});
  if (part == 0)
    return plain<MulLo>(d);
  if (part == 1)
    return plain<MulHi>(d);
  if (part < 0 || type.bits > 32)
    d.fail("expected '.lo', '.hi' or '.wide'");
  d.takeType();
  RawType wide = type;
  wide.bits *= 2;
  int32_t a = d.src(1, type), b = d.src(2, type), out = d.dst(0, wide);
  Inst &inst = d.emit(pick<MulWide>(type), InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.d = out;
}

template <typename T, bool High>
void product(Warp &w, const Inst &i, uint32_t mask) {
  map2<T, T, T>(w, i, mask, [](T a, T b) {
    return High ? mulHigh(a, b) : T(uint64_t(a) * uint64_t(b));
  });
}

/// "mad.lo.cc" and "madc": a product into a temporary, then an add with carry.
void decodeMadCarry(Decoder &d, bool in, bool out) {
  bool high = d.takeOneOf({"lo", "hi"}) == 1;
  RawType type = d.takeType();
  bool isSigned = type.kind == RawType::Signed;
  if (type.bits != 32 && type.bits != 64)
    d.fail("unsupported type with carry");
  Handler multiply =
      type.bits == 32
          ? (high
                 ? (isSigned ? product<int32_t, true> : product<uint32_t, true>)
                 : product<uint32_t, false>)
          : (high
                 ? (isSigned ? product<int64_t, true> : product<uint64_t, true>)
                 : product<uint64_t, false>);
  int32_t a = d.src(1, type), b = d.src(2, type), c = d.src(3, type);
  int32_t result = d.dst(0, type), partial = d.temp(type.bits);
  Inst &mul = d.emit(multiply, InstClass::Integer);
  mul.counted = false;
  mul.a = a;
  mul.b = b;
  mul.d = partial;
  Inst &add =
      d.emit(type.bits == 32 ? Carry<uint32_t>::run : Carry<uint64_t>::run,
             InstClass::Integer);
  add.a = partial;
  add.b = c;
  add.d = result;
  add.flags = uint8_t(in | out << 1);
  add.x = uint32_t(d.carry());
}

void decodeMad(Decoder &d) {
  RawType type = d.peekType();
  if (type.isFloat())
    return decodeFloatArithmetic(d);
  if (d.take("cc"))
    return decodeMadCarry(d, false, true);
  int part = d.takeOneOf({"lo", "hi", "wide"});
  if (part == 0)
    return plain<MadLo>(d);
  if (part == 1 && d.take("sat")) {
    emitPlain(d, madHiSat, InstClass::Integer, d.takeType(), 3);
    return;
  }
  if (part == 1)
    return plain<MadHi>(d);
  if (part < 0 || type.bits > 32)
    d.fail("expected '.lo', '.hi' or '.wide'");
  d.takeType();
  RawType wide = type;
  wide.bits *= 2;
  int32_t a = d.src(1, type), b = d.src(2, type), c = d.src(3, wide);
  int32_t out = d.dst(0, wide);
  Inst &inst = d.emit(pick<MadWide>(type), InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
}

template <bool Signed, bool High>
void mul24(Warp &w, const Inst &i, uint32_t mask) {
  map3<uint32_t, uint32_t, uint32_t, uint32_t>(
      w, i, mask, [](uint32_t a, uint32_t b, uint32_t c) {
        int64_t product =
            Signed ? int64_t(int32_t(a << 8) >> 8) * (int32_t(b << 8) >> 8)
                   : int64_t(uint64_t(a & 0xffffff) * (b & 0xffffff));
        return uint32_t(High ? product >> 16 : product) + c;
      });
}
void mad24Sat(Warp &w, const Inst &i, uint32_t mask) {
  map3<int32_t, int32_t, int32_t, int32_t>(
      w, i, mask, [](int32_t a, int32_t b, int32_t c) {
        int64_t x = int32_t(uint32_t(a) << 8) >> 8,
                y = int32_t(uint32_t(b) << 8) >> 8;
        return int32_t(
            std::clamp<int64_t>(((x * y) >> 16) + c, INT32_MIN, INT32_MAX));
      });
}
template <bool Mad>
void decodeMul24(Decoder &d) {
  int part = d.takeOneOf({"lo", "hi"});
  bool high = part == 1, sat = Mad && high && d.take("sat");
  RawType type = d.takeType();
  bool isSigned = type.kind == RawType::Signed;
  if (part < 0 || type.bits != 32 || type.packed != 1 ||
      (!isSigned && (sat || type.kind != RawType::Unsigned)))
    d.fail("unsupported form of '" + d.inst().opcode + "'");
  d.expectOperands(Mad ? 4 : 3, Mad ? 4 : 3);
  if (sat) {
    emitPlain(d, mad24Sat, InstClass::Integer, type, 3);
    return;
  }
  int32_t a = d.src(1, type), b = d.src(2, type);
  int32_t c = Mad ? d.src(3, type) : d.constant32(0), out = d.dst(0, type);
  Inst &inst =
      d.emit(isSigned ? (high ? mul24<true, true> : mul24<true, false>)
                      : (high ? mul24<false, true> : mul24<false, false>),
             InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.c = c;
  inst.d = out;
}

template <template <typename> typename Op>
void decodeDivRem(Decoder &d) {
  RawType type = d.peekType();
  if (type.isFloat())
    return decodeFloatArithmetic(d);
  plain<Op>(d);
}

template <template <typename> typename Op>
void decodeShift(Decoder &d) {
  RawType type = d.takeType();
  Handler fn = pick<Op>(type);
  if (!fn)
    d.fail("unsupported type of '" + d.inst().opcode + "'");
  int32_t a = d.src(1, type), b = d.src(2, {RawType::Unsigned, 32, 1});
  int32_t out = d.dst(0, type);
  Inst &inst = d.emit(fn, InstClass::Integer);
  inst.a = a;
  inst.b = b;
  inst.d = out;
}

//===-- Logic, also on predicates ------------------------------------------=//

enum class PredOp { And, Or, Xor, Not };
template <PredOp P>
void predLogic(Warp &w, const Inst &i, uint32_t mask) {
  uint32_t a = *w.reg<uint32_t>(i.a), b = *w.reg<uint32_t>(i.b);
  uint32_t r = P == PredOp::And   ? a & b
               : P == PredOp::Or  ? a | b
               : P == PredOp::Xor ? a ^ b
                                  : ~a;
  uint32_t &out = *w.reg<uint32_t>(i.d);
  out = (out & ~mask) | (r & mask);
}

template <template <typename> typename Op, PredOp P>
void decodeLogic(Decoder &d) {
  RawType type = d.peekType();
  if (type.kind != RawType::Pred)
    return plain<Op>(d);
  d.takeType();
  emitPlain(d, predLogic<P>, InstClass::Predicate, type,
            P == PredOp::Not ? 1 : 2);
}
} // namespace

void mlir::fuse::emu::addIntegerOps(DecodeTable &table) {
  table["add"] = decodeAddSub<false>;
  table["sub"] = decodeAddSub<true>;
  table["addc"] = decodeAddcSubc<false>;
  table["subc"] = decodeAddcSubc<true>;
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["madc"] = [](Decoder &d) {
    bool out = d.take("cc");
    decodeMadCarry(d, true, out);
  };
  table["mul24"] = decodeMul24<false>;
  table["mad24"] = decodeMul24<true>;
  table["sad"] = plain<Sad>;
  table["div"] = decodeDivRem<Div>;
  table["rem"] = decodeDivRem<Rem>;
  table["min"] = decodeMinMax<false>;
  table["max"] = decodeMinMax<true>;
  table["abs"] = decodeSign<Abs>;
  table["neg"] = decodeSign<Neg>;
  table["and"] = decodeLogic<And, PredOp::And>;
  table["or"] = decodeLogic<Or, PredOp::Or>;
  table["xor"] = decodeLogic<Xor, PredOp::Xor>;
  table["not"] = decodeLogic<Not, PredOp::Not>;
  table["cnot"] = plain<Cnot>;
  table["shl"] = decodeShift<Shl>;
  table["shr"] = decodeShift<Shr>;
}
