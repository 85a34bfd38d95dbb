//===- Rounding.cpp - Arithmetic in the directed roundings ----------------===//
//
// The volatile operands keep the compiler from moving an operation out of the
// region in which the rounding mode is set.
//
//===----------------------------------------------------------------------===//
#include "Rounding.h"

#include <cfenv>

using namespace mlir::fuse::emu;

namespace {
class RoundingScope {
public:
  explicit RoundingScope(Round mode) : saved(std::fegetround()) {
    std::fesetround(mode == Round::Zero   ? FE_TOWARDZERO
                    : mode == Round::Down ? FE_DOWNWARD
                    : mode == Round::Up   ? FE_UPWARD
                                          : FE_TONEAREST);
  }
  ~RoundingScope() { std::fesetround(saved); }

private:
  int saved;
};

template <typename T>
T rounded(RoundedOp op, Round mode, T x, T y, T z) {
  volatile T a = x, b = y, c = z, result = 0;
  RoundingScope scope(mode);
  switch (op) {
  case RoundedOp::Add:
    result = a + b;
    break;
  case RoundedOp::Sub:
    result = a - b;
    break;
  case RoundedOp::Mul:
    result = a * b;
    break;
  case RoundedOp::Fma:
    result = std::fma(T(a), T(b), T(c));
    break;
  case RoundedOp::Div:
    result = a / b;
    break;
  case RoundedOp::Sqrt:
    result = std::sqrt(T(a));
    break;
  case RoundedOp::Rcp:
    result = T(1) / a;
    break;
  }
  return result;
}

template <typename T>
T fromInteger(Round mode, int64_t x, bool isUnsigned) {
  volatile int64_t value = x;
  volatile T result = 0;
  RoundingScope scope(mode);
  if (!isUnsigned || x >= 0) {
    result = T(value);
    return result;
  }
  // The host has no conversion of large unsigned values that honours the
  // mode; halving with a sticky bit keeps the rounding exact.
  volatile int64_t half = int64_t((uint64_t(x) >> 1) | (uint64_t(x) & 1));
  result = T(half);
  result = result + result;
  return result;
}
} // namespace

float mlir::fuse::emu::roundedFloat(RoundedOp op, Round mode, float a, float b,
                                    float c) {
  return rounded<float>(op, mode, a, b, c);
}
double mlir::fuse::emu::roundedDouble(RoundedOp op, Round mode, double a,
                                      double b, double c) {
  return rounded<double>(op, mode, a, b, c);
}
float mlir::fuse::emu::roundedDoubleToFloat(Round mode, double value) {
  volatile double a = value;
  volatile float result;
  RoundingScope scope(mode);
  result = float(a);
  return result;
}
float mlir::fuse::emu::roundedIntToFloat(Round mode, int64_t value,
                                         bool isUnsigned) {
  return fromInteger<float>(mode, value, isUnsigned);
}
double mlir::fuse::emu::roundedIntToDouble(Round mode, int64_t value,
                                           bool isUnsigned) {
  return fromInteger<double>(mode, value, isUnsigned);
}
