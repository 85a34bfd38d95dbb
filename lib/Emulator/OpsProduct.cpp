//===- OpsProduct.cpp - Integer products ----------------------------------===//
//
// mul, mad and their wide, 24-bit and carrying forms.
//
//===----------------------------------------------------------------------===//
#include "Integer.h"

#include <algorithm>

using namespace mlir::fuse::emu;

namespace {
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

// The products of 16-bit values would overflow a signed int: hence uint64_t.
template <typename T>
struct MulLo {
  static constexpr unsigned sources = 2;
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<T, T, T>(w, i, mask,
                  [](T a, T b) -> T { return T(uint64_t(a) * uint64_t(b)); });
  }
};
template <typename T>
struct MulHi {
  static constexpr unsigned sources = 2;
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map2<T, T, T>(w, i, mask, [](T a, T b) -> T { return mulHigh(a, b); });
  }
};
template <typename T>
struct MadLo {
  static constexpr unsigned sources = 3;
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map3<T, T, T, T>(w, i, mask, [](T a, T b, T c) -> T {
      return T(uint64_t(a) * uint64_t(b) + uint64_t(c));
    });
  }
};
template <typename T>
struct MadHi {
  static constexpr unsigned sources = 3;
  static void run(Warp &w, const Inst &i, uint32_t mask) {
    map3<T, T, T, T>(w, i, mask, [](T a, T b, T c) -> T {
      return T(U<T>(mulHigh(a, b)) + U<T>(c));
    });
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

void madHiSat(Warp &w, const Inst &i, uint32_t mask) {
  map3<int32_t, int32_t, int32_t, int32_t>(
      w, i, mask, [](int32_t a, int32_t b, int32_t c) {
        int64_t exact = int64_t(mulHigh(a, b)) + c;
        return int32_t(std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX));
      });
}

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
} // namespace

void mlir::fuse::emu::addProductOps(DecodeTable &table) {
  table["mul"] = decodeMul;
  table["mad"] = decodeMad;
  table["madc"] = [](Decoder &d) {
    bool out = d.take("cc");
    decodeMadCarry(d, true, out);
  };
  table["mul24"] = decodeMul24<false>;
  table["mad24"] = decodeMul24<true>;
}
