//===- Half.h - 16-bit and 8-bit floating-point formats -----------*- C++ -*-=//
//
// Conversions between float or double and the narrow formats, with every
// rounding PTX has. Portable bit arithmetic; F16C is used where it is enabled.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_HALF_H
#define FUSE_LIB_EMULATOR_HALF_H

#include <cmath>
#include <cstdint>
#include <cstring>

namespace mlir::fuse::emu {

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

inline uint32_t floatBits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return bits;
}
inline float bitsFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, 4);
  return value;
}
inline uint64_t doubleBits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, 8);
  return bits;
}
inline double bitsDouble(uint64_t bits) {
  double value;
  memcpy(&value, &bits, 8);
  return value;
}

/// A narrow binary format: 1 sign bit, `E` exponent bits, `M` mantissa bits.
template <unsigned E, unsigned M>
struct Narrow {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr uint32_t infinity = ((1u << E) - 1) << M;
  static constexpr uint32_t largest = infinity - 1;
  static constexpr uint32_t sign = 1u << (E + M);

  /// The magnitude of a finite double as bits, rounded as if there were no
  /// largest value.
  static uint64_t magnitude(double value, Round mode) {
    uint64_t bits = doubleBits(value);
    bool negative = bits >> 63;
    int exponent = int((bits >> 52) & 0x7ff) - 1023;
    uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
    if (exponent == -1023 && mantissa == 0)
      return 0;
    if (exponent != -1023)
      mantissa |= uint64_t(1) << 52;
    // Bits of the mantissa that do not fit: more of them below the normals.
    int drop = 52 - int(M);
    int biased = exponent + bias;
    if (biased < 1) {
      drop += 1 - biased;
      biased = 1;
    }
    uint64_t kept = drop > 63 ? 0 : mantissa >> drop;
    uint64_t rest =
        drop > 63 ? mantissa : mantissa & ((uint64_t(1) << drop) - 1);
    uint64_t half = drop > 63 ? ~uint64_t(0) : uint64_t(1) << (drop - 1);
    bool up = false;
    switch (mode) {
    case Round::Nearest:
      up = rest > half || (rest == half && (kept & 1));
      break;
    case Round::NearestAway:
      up = rest >= half;
      break;
    case Round::Zero:
      break;
    case Round::Down:
      up = negative && rest;
      break;
    case Round::Up:
      up = !negative && rest;
      break;
    }
    kept += up;
    // A carry out of the mantissa moves into the exponent by itself.
    return kept >= (uint64_t(1) << M) ? (uint64_t(biased - 1) << M) + kept
                                      : kept;
  }

  /// Rounds a finite or infinite double; NaN is the caller's matter.
  static uint32_t round(double value, Round mode) {
    bool negative = std::signbit(value);
    uint32_t signBit = negative ? sign : 0;
    if (std::isinf(value))
      return signBit | infinity;
    uint64_t result = magnitude(value, mode);
    if (result >= infinity) {
      bool toLargest = mode == Round::Zero ||
                       (mode == Round::Down && !negative) ||
                       (mode == Round::Up && negative);
      result = toLargest ? largest : infinity;
    }
    return signBit | uint32_t(result);
  }

  /// For formats whose largest code `top` is a number: beyond it saturates.
  static uint32_t roundFinite(double value, uint32_t top) {
    uint32_t signBit = std::signbit(value) ? sign : 0;
    uint64_t result =
        std::isinf(value) ? top : magnitude(value, Round::Nearest);
    return signBit | uint32_t(result > top ? top : result);
  }

  /// The value of a code in such a format, which has no infinities.
  static double widenFinite(uint32_t bits) {
    uint32_t exponent = (bits >> M) & ((1u << E) - 1);
    uint32_t mantissa = bits & ((1u << M) - 1);
    double value = exponent ? std::ldexp(double(mantissa | (1u << M)),
                                         int(exponent) - bias - int(M))
                            : std::ldexp(double(mantissa), 1 - bias - int(M));
    return bits & sign ? -value : value;
  }

  static double widen(uint32_t bits) {
    bool negative = bits & sign;
    uint32_t exponent = (bits >> M) & ((1u << E) - 1);
    uint32_t mantissa = bits & ((1u << M) - 1);
    double magnitude;
    if (exponent == (1u << E) - 1)
      magnitude = mantissa ? NAN : INFINITY;
    else if (exponent == 0)
      magnitude = std::ldexp(double(mantissa), 1 - bias - int(M));
    else
      magnitude = std::ldexp(double(mantissa | (1u << M)),
                             int(exponent) - bias - int(M));
    return negative ? -magnitude : magnitude;
  }
};

using HalfFormat = Narrow<5, 10>;
using BFloatFormat = Narrow<8, 7>;

inline float halfToFloat(uint32_t bits) {
#ifdef __F16C__
  _Float16 half;
  uint16_t narrow = uint16_t(bits);
  memcpy(&half, &narrow, 2);
  return float(half);
#else
  return float(HalfFormat::widen(bits & 0xffff));
#endif
}

/// Round to nearest even; any NaN becomes the canonical 0x7fff.
inline uint32_t floatToHalf(float value) {
  if (value != value)
    return 0x7fff;
#ifdef __F16C__
  _Float16 half = _Float16(value);
  uint16_t bits;
  memcpy(&bits, &half, 2);
  return bits;
#else
  return HalfFormat::round(value, Round::Nearest);
#endif
}

inline float bfloatToFloat(uint32_t bits) { return bitsFloat(bits << 16); }

inline uint32_t floatToBFloat(float value) {
  uint32_t bits = floatBits(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return value != value ? 0x7fff : rounded;
}

/// A value that rounds to any format of up to 51 bits as the exact a * b + c
/// would: the product is exact for 24-bit inputs, and the sum is rounded to
/// odd, which keeps the information "there was more".
inline double fmaOdd(double a, double b, double c) {
  double product = a * b;
  double sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  if (!(error != 0) || std::isinf(sum) || std::isnan(sum))
    return sum;
  uint64_t bits = doubleBits(sum);
  if (!(bits & 1)) // Towards the error when that is away from zero, else down.
    bits += ((error > 0) == (sum > 0)) ? 1 : uint64_t(-1);
  return bitsDouble(bits);
}

/// Rounds a double to a float that keeps "there was more" in its last bit.
inline float doubleToFloatOdd(double value) {
  float near = float(value);
  if (double(near) == value || near != near || std::isinf(near))
    return near;
  uint32_t bits = floatBits(near);
  // Truncate, then set the last bit.
  if ((std::fabs(double(near)) > std::fabs(value)))
    bits -= 1;
  return bitsFloat(bits | 1);
}

inline float flushFloat(float value) {
  uint32_t bits = floatBits(value);
  return (bits & 0x7f800000) ? value : bitsFloat(bits & 0x80000000);
}

/// e4m3 has no infinity and one NaN; e5m2 is like a short half. Both as with
/// .satfinite.
inline uint32_t floatToE4M3(float value) {
  return value != value ? 0x7f : Narrow<4, 3>::roundFinite(value, 0x7e);
}
inline float e4m3ToFloat(uint32_t bits) {
  return (bits & 0x7f) == 0x7f ? NAN
                               : float(Narrow<4, 3>::widenFinite(bits & 0xff));
}
inline uint32_t floatToE5M2(float value) {
  if (value != value)
    return 0x7f;
  uint32_t bits = Narrow<5, 2>::round(value, Round::Nearest);
  return (bits & 0x7f) >= 0x7c ? (bits & 0x80) | 0x7b : bits; // .satfinite
}
inline float e5m2ToFloat(uint32_t bits) { return halfToFloat(bits << 8); }

/// The formats of 6 and 4 bits are all numbers; NaN becomes the largest one.
template <unsigned E, unsigned M>
uint32_t floatToTiny(float value) {
  constexpr uint32_t top = (1u << (E + M)) - 1;
  return value != value ? top : Narrow<E, M>::roundFinite(value, top);
}
template <unsigned E, unsigned M>
float tinyToFloat(uint32_t bits) {
  return float(Narrow<E, M>::widenFinite(bits & ((2u << (E + M)) - 1)));
}

/// ue8m0 is a power of two with no sign: code c is 2^(c - 127), 255 is NaN.
/// Zero and what is below the smallest power become that.
inline uint32_t floatToUE8M0(float value, bool up, bool satfinite) {
  if (value != value)
    return 0xff;
  float magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return satfinite || !up ? 0xfe : 0xff;
  if (magnitude <= 0x1p-127f)
    return 0;
  int exponent;
  float mantissa = std::frexp(magnitude, &exponent); // In [0.5, 1).
  int code = exponent - 1 + 127 + (up && mantissa > 0.5f ? 1 : 0);
  return code < 0 ? 0 : code > 0xfe ? (satfinite ? 0xfe : 0xff) : code;
}
inline float ue8m0ToFloat(uint32_t bits) {
  return (bits & 0xff) == 0xff ? NAN : std::ldexp(1.0f, int(bits & 0xff) - 127);
}

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_HALF_H
