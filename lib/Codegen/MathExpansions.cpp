// Expansions of elementary functions of f32. The polynomials are minimax fits
// in the literature's usual form; every bound in the header was measured over
// millions of arguments against double precision.
#include "fuse-mlir/Codegen/MathExpansions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::fuse;

using Predicate = arith::CmpFPredicate;

//===----------------------------------------------------------------------===//
// FloatBuilder
//===----------------------------------------------------------------------===//

Value FloatBuilder::constant(double value) {
  return arith::ConstantOp::create(b, type, b.getFloatAttr(type, value));
}

Value FloatBuilder::integer(int64_t value, unsigned width) {
  Type integerType = b.getIntegerType(width);
  return arith::ConstantOp::create(b, integerType,
                                   b.getIntegerAttr(integerType, value));
}

Value FloatBuilder::call(StringRef intrinsic, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, operands.front().getType(),
                                       b.getStringAttr(intrinsic), operands)
      .getResult(0);
}

Value FloatBuilder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value result = constant(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = fma(result, x, constant(coefficient));
  return result;
}

Value FloatBuilder::clamp(Value x, double low, double high) {
  Value raised = call("llvm.maxnum", {x, constant(low)});
  return call("llvm.minnum", {raised, constant(high)});
}

Value FloatBuilder::bits(Value x) {
  Type integerType = b.getIntegerType(type.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(b, integerType, x);
}

Value FloatBuilder::fromBits(Value x) {
  return arith::BitcastOp::create(b, type, x);
}

Value FloatBuilder::toInt(Value x, unsigned width) {
  return arith::FPToSIOp::create(b, b.getIntegerType(width), x);
}

/// By the exponent's bits.
Value fuse::classifyFloat(FloatBuilder &f, Value x, bool isNormal) {
  FloatType type = cast<FloatType>(f.type);
  unsigned width = type.getWidth();
  llvm::APInt infinity =
      llvm::APFloat::getInf(type.getFloatSemantics()).bitcastToAPInt();
  llvm::APInt magnitude = llvm::APInt::getSignedMaxValue(width);
  auto constant = [&](const llvm::APInt &value) -> Value {
    Type integer = f.b.getIntegerType(width);
    return arith::ConstantOp::create(f.b, integer,
                                     f.b.getIntegerAttr(integer, value));
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(f.b, predicate, a, b);
  };
  Value bits = f.bits(x);
  if (!isNormal)
    return compare(arith::CmpIPredicate::eq,
                   arith::AndIOp::create(f.b, bits, constant(magnitude)),
                   constant(infinity));
  Value exponent = arith::AndIOp::create(f.b, bits, constant(infinity));
  Value isLarge = compare(arith::CmpIPredicate::ne, exponent,
                          constant(llvm::APInt::getZero(width)));
  return arith::AndIOp::create(
      f.b, isLarge,
      compare(arith::CmpIPredicate::ne, exponent, constant(infinity)));
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// exp(x) = 2^n * 2^r. n is rounded by adding a large number, whose low bits
/// then hold the exponent of 2^n; n saturates, and what is left in r makes
/// the result overflow or underflow as it should.
Value fuse::expandExp(FloatBuilder &f, Value x) {
  Value t = f.call("llvm.nvvm.fma.rn.sat.f",
                   {x, f.constant(0.00572498662), f.constant(0.5)});
  Value j = f.fma(t, f.constant(252.0), f.constant(12582913.0));
  Value minusN = f.sub(f.constant(12583039.0), j);
  Value r = f.fma(x, f.constant(1.44269502), minusN);
  r = f.fma(x, f.constant(1.92596303e-8), r);
  Value scale =
      f.fromBits(arith::ShLIOp::create(f.b, f.bits(j), f.integer(23)));
  return f.mul(f.call("llvm.nvvm.ex2.approx.ftz", r), scale);
}

Value fuse::expandExp2(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.ex2.approx", x);
}

/// With p = exp(r) - 1 and s = 2^(n-1): 2 * (p*s + (s - 1/2)).
Value fuse::expandExpM1(FloatBuilder &f, Value x) {
  Value limited = f.clamp(x, -104.0, 89.0);
  Value n = f.roundEven(f.mul(limited, f.constant(1.44269502)));
  Value r = f.fma(n, f.constant(-0.693145752), limited);
  r = f.fma(n, f.constant(-1.42860677e-6), r);
  Value p = f.polynomial(r, {1.98412698e-4, 1.38888889e-3, 8.33333377e-3,
                             4.16666679e-2, 1.66666672e-1, 0.5});
  p = f.fma(f.mul(p, r), r, r);
  Value k = arith::SubIOp::create(f.b, f.toInt(n), f.integer(1));
  k = arith::MaxSIOp::create(f.b, k, f.integer(-126));
  Value biased = arith::AddIOp::create(f.b, k, f.integer(127));
  Value s = f.fromBits(arith::ShLIOp::create(f.b, biased, f.integer(23)));
  Value t = f.fma(p, s, f.sub(s, f.constant(0.5)));
  t = f.add(t, t);
  Value infinity = f.constant(INFINITY);
  t = f.select(f.compare(Predicate::OGT, x, 88.73), infinity, t);
  t = f.select(f.compare(Predicate::OEQ, n, 0.0), p, t);
  Value isPlain = f.compare(Predicate::ONE, x, 0.0);
  return f.select(isPlain, t, x);
}

/// Small arguments by a polynomial, others as 1 - 2 / (exp(2|x|) + 1).
Value fuse::expandTanh(FloatBuilder &f, Value x) {
  Value t = f.abs(x);
  Value one = f.constant(1.0);
  Value e = expandExp(f, f.add(t, t));
  Value large = f.sub(one, f.div(f.constant(2.0), f.add(e, one)));
  large = f.copySign(large, x);
  Value s = f.mul(x, x);
  Value r = f.polynomial(
      s, {1.57394409e-2, -5.23025580e-2, 1.33152470e-1, -3.33327681e-1});
  Value small = f.fma(f.mul(r, s), x, x);
  return f.select(f.compare(Predicate::OGT, t, 0.55), large, small);
}

Value fuse::expandErf(FloatBuilder &f, Value x, ExpandFn exponential) {
  Value t = f.abs(x);
  Value s = f.mul(x, x);
  Value r = f.fma(f.constant(-1.72853470e-5), t, f.constant(3.83197126e-4));
  Value u = f.fma(f.constant(-3.88396438e-3), t, f.constant(2.42546219e-2));
  r = f.fma(r, s, u);
  for (double c : {-1.06777877e-1, -6.34846687e-1, -1.28717512e-1})
    r = f.fma(r, t, f.constant(c));
  r = f.fma(r, t, f.negate(t));
  Value large = f.sub(f.constant(1.0), exponential(f, r));
  large = f.copySign(large, x);
  Value small = f.polynomial(s, {-5.96761703e-4, 4.99119423e-3, -2.67681349e-2,
                                 1.12819925e-1, -3.76125336e-1, 1.28379166e-1});
  small = f.fma(small, x, x);
  return f.select(f.compare(Predicate::OGT, t, 0.927734375), large, small);
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// log(x) = exponent * log(2) + mantissa, for positive finite x.
struct LogParts {
  Value exponent, mantissa;
};
} // namespace

static LogParts splitLog(FloatBuilder &f, Value x) {
  Value isSmall = f.compare(Predicate::OLT, x, 1.17549435e-38);
  Value scaled = f.select(isSmall, f.mul(x, f.constant(8388608.0)), x);
  Value bias = f.select(isSmall, f.constant(-23.0), f.constant(0.0));
  Value bits = f.bits(scaled);
  Value offset = arith::SubIOp::create(f.b, bits, f.integer(0x3f2aaaab));
  Value e = arith::AndIOp::create(f.b, offset,
                                  f.integer(static_cast<int32_t>(0xff800000u)));
  Value m = f.fromBits(arith::SubIOp::create(f.b, bits, e));
  Value i = f.fma(f.toFloat(e), f.constant(1.1920929e-7), bias);
  m = f.sub(m, f.constant(1.0));
  Value s = f.mul(m, m);
  Value r =
      f.polynomial(s, {-0.130310059, -0.121483512, -0.166846126, -0.249996200});
  Value t = f.polynomial(s, {0.140869141, 0.139814854, 0.200120345});
  r = f.fma(t, m, r);
  r = f.fma(r, m, f.constant(0.333331972));
  r = f.fma(r, m, f.constant(-0.5));
  return {i, f.fma(r, s, m)};
}

/// Zero, negative numbers, infinity and NaN.
static Value fixLog(FloatBuilder &f, Value x, Value result) {
  Value isPositive = f.compare(Predicate::OGT, x, 0.0);
  Value isFinite = f.compare(Predicate::OLT, x, INFINITY);
  Value isNegative = f.compare(Predicate::OLT, x, 0.0);
  Value isZero = f.compare(Predicate::OEQ, x, 0.0);
  // Infinity and NaN stay what they are.
  Value special = f.select(isNegative, f.constant(NAN), f.add(x, x));
  special = f.select(isZero, f.constant(-INFINITY), special);
  Value isPlain = arith::AndIOp::create(f.b, isPositive, isFinite);
  return f.select(isPlain, result, special);
}

Value fuse::expandLog(FloatBuilder &f, Value x) {
  LogParts parts = splitLog(f, x);
  return fixLog(f, x,
                f.fma(parts.exponent, f.constant(0.693147182), parts.mantissa));
}

Value fuse::expandLog2(FloatBuilder &f, Value x) {
  LogParts parts = splitLog(f, x);
  Value low = f.mul(parts.mantissa, f.constant(1.92596303e-8));
  low = f.fma(parts.mantissa, f.constant(1.44269502), low);
  return fixLog(f, x, f.add(parts.exponent, low));
}

Value fuse::expandLog10(FloatBuilder &f, Value x) {
  LogParts parts = splitLog(f, x);
  Value low = f.mul(parts.mantissa, f.constant(0.434294482));
  return fixLog(f, x, f.fma(parts.exponent, f.constant(0.301029996), low));
}

/// log(1 + x) with the rounding error of the sum put back.
Value fuse::expandLog1p(FloatBuilder &f, Value x) {
  Value one = f.constant(1.0);
  Value u = f.add(one, x);
  Value lost = f.sub(x, f.sub(u, one));
  Value result = f.add(expandLog(f, u), f.div(lost, u));
  Value isInfinite = f.compare(Predicate::OEQ, x, INFINITY);
  Value isZero = f.compare(Predicate::OEQ, u, 0.0);
  result = f.select(isInfinite, x, result);
  result = f.select(isZero, f.constant(-INFINITY), result);
  return f.select(f.compare(Predicate::OEQ, u, 1.0), x, result);
}

//===----------------------------------------------------------------------===//
// Trigonometry, powers
//===----------------------------------------------------------------------===//

namespace {
/// An angle as `quadrant` * pi/2 + `rest`.
struct ReducedAngle {
  Value rest, quadrant;
};
} // namespace

/// Any finite angle of at least 2^15, after Payne and Hanek: the mantissa times
/// those bits of 1 / (2 pi) that its exponent leaves below 1. The product is a
/// part of a turn in units of 2^-64.
static ReducedAngle reduceLargeAngle(FloatBuilder &f, Value x) {
  static constexpr int64_t turns[] = {0x28be60db, 0x9391054a, 0x7f09d5f4,
                                      0x7d4d3770, 0x36d8a566, 0x4f10e410,
                                      0};
  FloatBuilder d(f.b, f.b.getLoc(), f.b.getF64Type());
  auto number = [&](int64_t value) { return d.integer(value, 64); };
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(d.b, a, b);
  };
  auto times = [&](Value a, Value b) -> Value {
    return arith::MulIOp::create(d.b, a, b);
  };
  auto left = [&](Value a, Value by) -> Value {
    return arith::ShLIOp::create(d.b, a, by);
  };
  auto right = [&](Value a, int64_t by) -> Value {
    return arith::ShRUIOp::create(d.b, a, number(by));
  };
  auto masked = [&](Value a, int64_t mask) -> Value {
    return arith::AndIOp::create(d.b, a, number(mask));
  };
  Value bits = arith::ExtUIOp::create(d.b, d.b.getI64Type(), f.bits(x));
  Value mantissa =
      left(add(masked(bits, 0x7fffff), number(0x800000)), number(8));
  // The magnitude is a fraction times 2^exponent.
  Value exponent =
      arith::SubIOp::create(d.b, masked(right(bits, 23), 255), number(126));
  Value skipped = right(exponent, 5), shift = masked(exponent, 31);
  auto word = [&](int64_t offset) {
    Value chosen = number(offset < 0 ? 0 : turns[offset]);
    for (int64_t i = 1; i <= 4; ++i) {
      Value here = arith::CmpIOp::create(d.b, arith::CmpIPredicate::eq, skipped,
                                         number(i));
      chosen = d.select(here, number(turns[i + offset]), chosen);
    }
    return chosen;
  };
  Value words[] = {word(-1), word(0), word(1), word(2)};
  auto shifted = [&](unsigned i) {
    Value both = add(left(words[i], number(32)), words[i + 1]);
    return right(left(both, shift), 32);
  };
  Value turn = left(times(mantissa, shifted(0)), number(32));
  turn = add(turn, times(mantissa, shifted(1)));
  turn = add(turn, right(times(mantissa, shifted(2)), 32));
  Value quadrant = right(add(turn, number(int64_t(1) << 61)), 62);
  Value part = arith::SubIOp::create(d.b, turn, left(quadrant, number(62)));
  Value rest = d.mul(d.toFloat(part), d.constant(1.5707963267948966 * 0x1p-62));
  rest = arith::TruncFOp::create(f.b, f.type, rest);
  Value count = arith::TruncIOp::create(d.b, d.b.getI32Type(), quadrant);
  Value isNegative = f.compare(Predicate::OLT, x, 0.0);
  Value opposite = arith::SubIOp::create(d.b, f.integer(0), count);
  return {f.select(isNegative, f.negate(rest), rest),
          f.select(isNegative, opposite, count)};
}

/// By a three-part pi/2, or by more of it for large angles. The quadrant of the
/// others is what is added to a number of which the last bit is a one, and NaN
/// stays what it is; infinities are large.
static ReducedAngle reduceAngle(FloatBuilder &f, Value x) {
  Value rounding = f.constant(0x1.8p23);
  Value shifted = f.fma(x, f.constant(0.636619747), rounding);
  Value k = f.sub(shifted, rounding);
  Value r = f.fma(k, f.constant(-1.57079601e+00), x);
  r = f.fma(k, f.constant(-3.13916473e-07), r);
  r = f.fma(k, f.constant(-5.39030253e-15), r);
  Value isLarge = f.compare(Predicate::OGT, f.abs(x), 48039.0);
  Type i32 = f.b.getI32Type();
  scf::IfOp branch = scf::IfOp::create(f.b, TypeRange{f.type, i32}, isLarge,
                                       /*withElse=*/true);
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToStart(branch.thenBlock());
  ReducedAngle large = reduceLargeAngle(f, x);
  Value isFinite = f.compare(Predicate::OLT, f.abs(x), INFINITY);
  large.rest = f.select(isFinite, large.rest, f.constant(NAN));
  scf::YieldOp::create(f.b, ValueRange{large.rest, large.quadrant});
  f.b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(f.b, ValueRange{r, f.bits(shifted)});
  return {branch.getResult(0), branch.getResult(1)};
}

namespace {
/// sin and cos of the rest of a reduced angle.
struct SinCosParts {
  Value sine, cosine;
};
} // namespace

static SinCosParts getSinCosOfRest(FloatBuilder &f, Value r) {
  Value s = f.mul(r, r);
  Value sine = f.polynomial(
      s, {2.86567956e-6, -1.98559923e-4, 8.33338592e-3, -1.66666672e-1});
  sine = f.fma(sine, f.mul(r, s), r);
  Value cosine = f.polynomial(
      s, {2.44677067e-5, -1.38877297e-3, 4.16666567e-2, -0.5, 1.0});
  return {sine, cosine};
}

/// sin(x + shift * pi/2) of `x`, which was reduced to `parts`.
static Value selectQuadrant(FloatBuilder &f, const SinCosParts &parts,
                            Value quadrant, int64_t shift) {
  quadrant = arith::AddIOp::create(f.b, quadrant, f.integer(shift));
  auto bit = [&](int64_t mask) -> Value {
    Value masked = arith::AndIOp::create(f.b, quadrant, f.integer(mask));
    return arith::CmpIOp::create(f.b, arith::CmpIPredicate::ne, masked,
                                 f.integer(0));
  };
  Value value = f.select(bit(1), parts.cosine, parts.sine);
  return f.select(bit(2), f.negate(value), value);
}

std::pair<Value, Value> fuse::expandSinCos(FloatBuilder &f, Value x) {
  auto [r, quadrant] = reduceAngle(f, x);
  SinCosParts parts = getSinCosOfRest(f, r);
  return {selectQuadrant(f, parts, quadrant, 0),
          selectQuadrant(f, parts, quadrant, 1)};
}

Value fuse::expandRsqrt(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.rsqrt.approx.f", x);
}

/// log2 of a positive finite f64 that came from an f32, to 40 bits.
static Value log2Wide(FloatBuilder &d, Value x) {
  Value bits = d.bits(x);
  // Mantissa in [sqrt(1/2), sqrt(2)).
  Value offset =
      arith::SubIOp::create(d.b, bits, d.integer(0x3fe6a09e667f3bcdLL, 64));
  Value e = arith::ShRSIOp::create(d.b, offset, d.integer(52, 64));
  Value shifted = arith::ShLIOp::create(d.b, e, d.integer(52, 64));
  Value m = d.fromBits(arith::SubIOp::create(d.b, bits, shifted));
  Value one = d.constant(1.0);
  Value t = d.div(d.sub(m, one), d.add(m, one));
  Value s = d.mul(t, t);
  Value p = d.polynomial(s, {1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                             1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0});
  Value log2e2 = d.constant(2.8853900817779268);
  return d.fma(d.mul(p, t), log2e2, d.toFloat(e));
}

static Value exp2Wide(FloatBuilder &d, Value y) {
  y = d.clamp(y, -200.0, 200.0);
  Value n = d.roundEven(y);
  Value r = d.mul(d.sub(y, n), d.constant(0.69314718055994531));
  Value p =
      d.polynomial(r, {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
                       1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0});
  Value biased =
      arith::AddIOp::create(d.b, d.toInt(n, 64), d.integer(1023, 64));
  Value scale =
      d.fromBits(arith::ShLIOp::create(d.b, biased, d.integer(52, 64)));
  return d.mul(p, scale);
}

Value fuse::expandCbrt(FloatBuilder &f, Value x) {
  FloatBuilder d(f.b, f.b.getLoc(), f.b.getF64Type());
  Value magnitude = f.abs(x);
  Value wide = arith::ExtFOp::create(d.b, d.type, magnitude);
  Value third = d.mul(log2Wide(d, wide), d.constant(1.0 / 3.0));
  Value root = arith::TruncFOp::create(f.b, f.type, exp2Wide(d, third));
  // Zero, infinity and NaN are their own roots.
  Value isPlain =
      arith::AndIOp::create(f.b, f.compare(Predicate::OGT, magnitude, 0.0),
                            f.compare(Predicate::OLT, magnitude, INFINITY));
  return f.select(isPlain, f.copySign(root, x), x);
}

/// What `rest` leaves of whole multiples of `unit`, in f64: exact if there are
/// less than 2^53. Their number may come out one too large.
static Value takeMultiples(FloatBuilder &d, Value rest, Value unit) {
  Value count = d.truncate(d.div(rest, unit));
  rest = d.fma(d.negate(count), unit, rest);
  return d.select(d.compare(Predicate::OLT, rest, 0.0), d.add(rest, unit),
                  rest);
}

Value fuse::expandRem(FloatBuilder &f, Value x, Value y) {
  FloatBuilder d(f.b, f.b.getLoc(), f.b.getF64Type());
  Value wideX = d.abs(arith::ExtFOp::create(d.b, d.type, x));
  Value wideY = d.abs(arith::ExtFOp::create(d.b, d.type, y));
  // A quotient of two f32 is below 2^278: rarely five multiples, each 2^47
  // times the next one, go first.
  Value isLarge =
      d.compare(Predicate::OGE, wideX, d.mul(wideY, d.constant(0x1p47)));
  scf::IfOp branch = scf::IfOp::create(d.b, d.type, isLarge,
                                       /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(d.b);
    d.b.setInsertionPointToStart(branch.thenBlock());
    Value rest = wideX;
    for (double scale : {0x1p235, 0x1p188, 0x1p141, 0x1p94, 0x1p47})
      rest = takeMultiples(d, rest, d.mul(wideY, d.constant(scale)));
    scf::YieldOp::create(d.b, rest);
    d.b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(d.b, wideX);
  }
  Value rest = takeMultiples(d, branch.getResult(0), wideY);
  Value result = arith::TruncFOp::create(f.b, f.type, rest);
  result = f.copySign(result, x);
  Value keeps =
      arith::AndIOp::create(f.b, f.compare(Predicate::OEQ, f.abs(y), INFINITY),
                            f.compare(Predicate::OLT, f.abs(x), INFINITY));
  return f.select(keeps, x, result);
}

Value fuse::expandPow(FloatBuilder &f, Value x, Value y) {
  FloatBuilder d(f.b, f.b.getLoc(), f.b.getF64Type());
  Value magnitude = f.abs(x);
  Value wide = arith::ExtFOp::create(d.b, d.type, magnitude);
  Value wideY = arith::ExtFOp::create(d.b, d.type, y);
  Value wideResult = exp2Wide(d, d.mul(wideY, log2Wide(d, wide)));
  Value result = arith::TruncFOp::create(f.b, f.type, wideResult);
  Value zero = f.constant(0.0), infinity = f.constant(INFINITY);
  Value yPositive = f.compare(Predicate::OGT, y, 0.0);
  result = f.select(f.compare(Predicate::OEQ, magnitude, 0.0),
                    f.select(yPositive, zero, infinity), result);
  result = f.select(f.compare(Predicate::OEQ, magnitude, INFINITY),
                    f.select(yPositive, infinity, zero), result);
  // A negative base: the sign of an odd power, no value for a fraction.
  Value half = f.mul(y, f.constant(0.5));
  Value isWhole = f.compare(Predicate::OEQ, f.truncate(y), y);
  Value isOdd = arith::AndIOp::create(
      f.b, isWhole, f.compare(Predicate::ONE, f.truncate(half), half));
  Value signBit = arith::CmpIOp::create(f.b, arith::CmpIPredicate::slt,
                                        f.bits(x), f.integer(0));
  Value flips = arith::AndIOp::create(f.b, isOdd, signBit);
  result = f.select(flips, f.negate(result), result);
  Value isNegative = f.compare(Predicate::OLT, x, 0.0);
  Value isFinite = f.compare(Predicate::OGT, x, -INFINITY);
  Value isFraction = f.compare(Predicate::ONE, f.truncate(y), y);
  Value invalid = arith::AndIOp::create(
      f.b, arith::AndIOp::create(f.b, isNegative, isFinite), isFraction);
  result = f.select(invalid, f.constant(NAN), result);
  result = f.select(f.compare(Predicate::UNO, x, y), f.add(x, y), result);
  Value one = f.constant(1.0);
  Value minusOneToInfinity =
      arith::AndIOp::create(f.b, f.compare(Predicate::OEQ, magnitude, 1.0),
                            f.compare(Predicate::OEQ, f.abs(y), INFINITY));
  result = f.select(minusOneToInfinity, one, result);
  Value isOne = arith::OrIOp::create(f.b, f.compare(Predicate::OEQ, y, 0.0),
                                     f.compare(Predicate::OEQ, x, 1.0));
  return f.select(isOne, one, result);
}
