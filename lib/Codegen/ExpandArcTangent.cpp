// Expansions of the arc tangent of f32, of one argument and of two.
#include "fuse-mlir/Codegen/MathExpansions.h"

using namespace mlir;
using namespace mlir::fuse;

using Predicate = arith::CmpFPredicate;

/// The arc tangent of a number in [0, 1], by a minimax polynomial.
static Value atanOfFraction(FloatBuilder &f, Value x) {
  Value s = f.mul(x, x);
  Value series =
      f.polynomial(s, {-1.79362181e-3, 1.0914606e-2, -3.11778467e-2,
                       5.79575934e-2, -8.40345025e-2, 1.09521858e-1,
                       -1.42642424e-1, 1.99985489e-1, -3.33332986e-1});
  return f.fma(f.mul(series, s), x, x);
}

/// A multiple of pi, in two parts, less `x`.
static Value subtractFrom(FloatBuilder &f, double high, double low, Value x) {
  return f.add(f.constant(high), f.sub(f.constant(low), x));
}

/// Beyond 1: pi/2 less that of the inverse.
Value fuse::expandAtan(FloatBuilder &f, Value x) {
  Value magnitude = f.abs(x);
  Value isLarge = f.compare(Predicate::OGT, magnitude, 1.0);
  Value inverse = f.div(f.constant(1.0), magnitude);
  Value angle = atanOfFraction(f, f.select(isLarge, inverse, magnitude));
  Value rest = subtractFrom(f, 1.57079637, -4.37113883e-8, angle);
  return f.copySign(f.select(isLarge, rest, angle), x);
}

/// The angle within an eighth of a turn, mirrored to where (x, y) lies. Signs
/// of zeros count.
Value fuse::expandAtan2(FloatBuilder &f, Value y, Value x) {
  Value width = f.abs(x), height = f.abs(y);
  Value isSteep = f.compare(Predicate::OGT, height, width);
  Value large = f.select(isSteep, height, width);
  Value small = f.select(isSteep, width, height);
  Value ratio = f.div(small, large);
  Value isOrigin = f.compare(Predicate::OEQ, large, 0.0);
  ratio = f.select(isOrigin, f.constant(0.0), ratio);
  Value isDiagonal = f.compare(Predicate::OEQ, small, INFINITY);
  ratio = f.select(isDiagonal, f.constant(1.0), ratio);
  Value angle = atanOfFraction(f, ratio);
  Value rest = subtractFrom(f, 1.57079637, -4.37113883e-8, angle);
  angle = f.select(isSteep, rest, angle);
  Value isLeft = arith::CmpIOp::create(f.b, arith::CmpIPredicate::slt,
                                       f.bits(x), f.integer(0));
  Value mirrored = subtractFrom(f, 3.14159274, -8.74227766e-8, angle);
  angle = f.copySign(f.select(isLeft, mirrored, angle), y);
  return f.select(f.compare(Predicate::UNO, x, y), f.add(x, y), angle);
}
