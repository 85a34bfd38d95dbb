//===- OpsInteger.cpp - Integer arithmetic but products -------------------===//
//
// Arithmetic that wraps, as PTX defines it; the host's undefined cases (shift
// by the width, division by zero, INT_MIN / -1) are spelled out.
//
//===----------------------------------------------------------------------===//
#include "Integer.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
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

BINARY(Add, T(U<T>(a) + U<T>(b)))
BINARY(Sub, T(U<T>(a) - U<T>(b)))
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

//===-- Saturation, packed halves ------------------------------------------=//

template <bool Subtract>
void saturating(Warp &w, const Inst &i, uint32_t mask) {
  map2<int32_t, int32_t, int32_t>(w, i, mask, [](int32_t a, int32_t b) {
    int64_t exact = Subtract ? int64_t(a) - b : int64_t(a) + b;
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
