//===- Convert.cpp - One conversion of a value --------------------------===//
//
// Defines every combination of types, roundings and modifiers of cvt.
//
//===----------------------------------------------------------------------===//
#include "Convert.h"

#include <algorithm>

using namespace mlir::fuse::emu;

unsigned mlir::fuse::emu::bitsOf(Num n) {
  static const uint8_t bits[] = {8,  16, 32, 64, 8, 16, 32, 64, 16, 16,
                                 32, 64, 32, 8,  8, 8,  8,  4,  8};
  return bits[unsigned(n)];
}

namespace {
double widen(Num from, uint64_t bits, bool ftz) {
  switch (from) {
  case Num::F16:
    return halfToFloat(uint32_t(bits) & 0xffff);
  case Num::BF16:
    return bfloatToFloat(uint32_t(bits) & 0xffff);
  case Num::F64:
    return bitsDouble(bits);
  case Num::E4M3:
    return e4m3ToFloat(uint32_t(bits));
  case Num::E5M2:
    return e5m2ToFloat(uint32_t(bits));
  case Num::E2M3:
    return tinyToFloat<2, 3>(uint32_t(bits));
  case Num::E3M2:
    return tinyToFloat<3, 2>(uint32_t(bits));
  case Num::E2M1:
    return tinyToFloat<2, 1>(uint32_t(bits));
  case Num::UE8M0:
    return ue8m0ToFloat(uint32_t(bits));
  default: {
    float value = bitsFloat(uint32_t(bits));
    return ftz ? flushFloat(value) : value;
  }
  }
}

double toIntegral(double value, Round mode) {
  switch (mode) {
  case Round::Zero:
    return std::trunc(value);
  case Round::Down:
    return std::floor(value);
  case Round::Up:
    return std::ceil(value);
  default:
    return std::nearbyint(value);
  }
}

uint64_t floatToInt(double value, const Conversion &c) {
  if (value != value)
    return 0;
  double rounded = toIntegral(value, c.round);
  unsigned bits = bitsOf(c.to);
  if (isSigned(c.to)) {
    double limit = std::ldexp(1.0, int(bits) - 1);
    if (rounded >= limit)
      return (uint64_t(1) << (bits - 1)) - 1;
    if (rounded <= -limit)
      return uint64_t(0) - (uint64_t(1) << (bits - 1));
    return uint64_t(int64_t(rounded));
  }
  if (rounded <= 0)
    return 0;
  if (rounded >= std::ldexp(1.0, int(bits)))
    return bits == 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
  return uint64_t(rounded);
}

uint64_t narrowFloat(double value, const Conversion &c);

/// To tf32: a float with the 13 low bits of the mantissa gone.
uint32_t toTF32(double value, Round mode, bool satfinite) {
  if (value != value)
    return 0x7fffffff;
  uint32_t bits = Narrow<8, 10>::round(value, mode) << 13;
  return satfinite && (bits & 0x7fffffff) == 0x7f800000
             ? (bits & 0x80000000) | 0x7f7fe000
             : bits;
}

uint64_t narrowFloat(double value, const Conversion &c) {
  if (c.toIntegral)
    value = toIntegral(value, c.round);
  bool isNan = value != value;
  if (c.relu && !isNan && std::signbit(value)) // Also -0.
    value = 0;
  if (c.sat)
    value = value > 0 ? std::min(value, 1.0) : 0, isNan = false;
  Round mode = c.toIntegral ? Round::Nearest : c.round;
  uint64_t result;
  switch (c.to) {
  case Num::F16:
    result = isNan ? 0x7fff : HalfFormat::round(value, mode);
    if (c.satfinite && (result & 0x7fff) == 0x7c00)
      result = (result & 0x8000) | 0x7bff;
    return result;
  case Num::BF16:
    result = isNan ? 0x7fff : BFloatFormat::round(value, mode);
    if (c.satfinite && (result & 0x7fff) == 0x7f80)
      result = (result & 0x8000) | 0x7f7f;
    return result;
  case Num::TF32:
    return toTF32(value, mode, c.satfinite);
  case Num::F64:
    return doubleBits(value);
  case Num::E4M3:
    return floatToE4M3(float(value));
  case Num::E5M2:
    return floatToE5M2(float(value));
  case Num::E2M3:
    return floatToTiny<2, 3>(float(value));
  case Num::E3M2:
    return floatToTiny<3, 2>(float(value));
  case Num::E2M1:
    return floatToTiny<2, 1>(float(value));
  case Num::UE8M0:
    return floatToUE8M0(float(value), mode == Round::Up, c.satfinite);
  default: {
    if (isNan)
      return 0x7fffffff;
    float narrow = mode == Round::Nearest ? float(value)
                                          : roundedDoubleToFloat(mode, value);
    return floatBits(c.ftz ? flushFloat(narrow) : narrow);
  }
  }
}

uint64_t intToFloat(uint64_t bits, const Conversion &c) {
  bool isUnsigned = !isSigned(c.from);
  int64_t value = int64_t(bits);
  if (c.to == Num::F32) {
    float r = roundedIntToFloat(c.round, value, isUnsigned);
    return floatBits(c.sat ? std::clamp(r, 0.0f, 1.0f) : r);
  }
  if (c.to == Num::F64)
    return doubleBits(roundedIntToDouble(c.round, value, isUnsigned));
  // Narrower: rounding to odd first keeps the second rounding exact.
  double toZero = roundedIntToDouble(Round::Zero, value, isUnsigned);
  bool exact = isUnsigned ? uint64_t(toZero) == bits && toZero < 0x1p64
                          : int64_t(toZero) == value;
  if (!exact)
    toZero = bitsDouble(doubleBits(toZero) | 1);
  Conversion narrow = c;
  narrow.toIntegral = false;
  return narrowFloat(toZero, narrow);
}

uint64_t intToInt(uint64_t bits, const Conversion &c) {
  if (!c.sat)
    return bits;
  unsigned width = bitsOf(c.to);
  bool negative = isSigned(c.from) && int64_t(bits) < 0;
  if (isSigned(c.to)) {
    int64_t high = int64_t((uint64_t(1) << (width - 1)) - 1), low = -high - 1;
    if (negative)
      return uint64_t(std::max(int64_t(bits), low));
    return std::min(bits, uint64_t(high));
  }
  if (negative)
    return 0;
  return width == 64 ? bits : std::min(bits, (uint64_t(1) << width) - 1);
}

/// Sign- or zero-extends the source as its type says.
uint64_t readInt(Num from, uint64_t bits) {
  switch (from) {
  case Num::U8:
    return uint8_t(bits);
  case Num::U16:
    return uint16_t(bits);
  case Num::U32:
    return uint32_t(bits);
  case Num::S8:
    return uint64_t(int64_t(int8_t(bits)));
  case Num::S16:
    return uint64_t(int64_t(int16_t(bits)));
  case Num::S32:
    return uint64_t(int64_t(int32_t(bits)));
  default:
    return bits;
  }
}
} // namespace

uint64_t mlir::fuse::emu::convert(uint64_t bits, const Conversion &c) {
  if (!isFloat(c.from)) {
    uint64_t value = readInt(c.from, bits);
    if (isFloat(c.to))
      return intToFloat(value, c);
    return readInt(c.to, intToInt(value, c));
  }
  double value = widen(c.from, bits, c.ftz);
  if (isFloat(c.to))
    return narrowFloat(value, c);
  return readInt(c.to, floatToInt(value, c));
}
