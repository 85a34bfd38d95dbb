// Expansions of hyperbolic functions of f32 and their inverses, in terms of
// those of exp and log1p. No square of a large argument overflows.
#include "fuse-mlir/Codegen/MathExpansions.h"

using namespace mlir;
using namespace mlir::fuse;

using Predicate = arith::CmpFPredicate;

namespace {
/// exp(|x|) / 2 and exp(-|x|) / 2.
struct HalfExponentials {
  Value growing, falling;
};
} // namespace

/// The exponential of half of |x| is squared: it does not overflow before the
/// result does.
static HalfExponentials halfExponentials(FloatBuilder &f, Value magnitude) {
  Value root = expandExp(f, f.mul(magnitude, f.constant(0.5)));
  Value growing = f.mul(f.mul(root, f.constant(0.5)), root);
  return {growing, f.div(f.constant(0.25), growing)};
}

/// Small arguments by the series, which loses nothing to the difference of the
/// exponentials.
Value fuse::expandSinh(FloatBuilder &f, Value x) {
  Value magnitude = f.abs(x);
  HalfExponentials e = halfExponentials(f, magnitude);
  Value large = f.copySign(f.sub(e.growing, e.falling), x);
  Value s = f.mul(x, x);
  Value series =
      f.polynomial(s, {1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6});
  Value small = f.fma(f.mul(series, s), x, x);
  return f.select(f.compare(Predicate::OLT, magnitude, 1.0), small, large);
}

Value fuse::expandCosh(FloatBuilder &f, Value x) {
  HalfExponentials e = halfExponentials(f, f.abs(x));
  return f.add(e.growing, e.falling);
}

/// log(2 x) for an x beyond 2^24, else log(1 + `small`).
static Value inverseByLog(FloatBuilder &f, Value x, Value small) {
  Value isLarge = f.compare(Predicate::OGT, x, 16777216.0);
  Value result = expandLog1p(f, f.select(isLarge, x, small));
  Value log2 = f.select(isLarge, f.constant(0.69314718), f.constant(0.0));
  return f.add(result, log2);
}

/// asinh(x) = log(1 + x + x^2 / (1 + sqrt(x^2 + 1))), odd.
Value fuse::expandAsinh(FloatBuilder &f, Value x) {
  Value magnitude = f.abs(x), one = f.constant(1.0);
  Value s = f.mul(magnitude, magnitude);
  Value root = f.sqrt(f.add(s, one));
  Value small = f.add(magnitude, f.div(s, f.add(one, root)));
  return f.copySign(inverseByLog(f, magnitude, small), x);
}

/// With t = x - 1: acosh(x) = log(1 + t + sqrt(t (t + 2))), from 1 on.
Value fuse::expandAcosh(FloatBuilder &f, Value x) {
  Value t = f.sub(x, f.constant(1.0));
  Value root = f.sqrt(f.mul(t, f.add(t, f.constant(2.0))));
  Value result = inverseByLog(f, x, f.add(t, root));
  Value exists = f.compare(Predicate::OGE, x, 1.0);
  return f.select(exists, result, f.constant(NAN));
}

/// atanh(x) = log(1 + 2 x / (1 - x)) / 2, odd.
Value fuse::expandAtanh(FloatBuilder &f, Value x) {
  Value magnitude = f.abs(x);
  Value ratio =
      f.div(f.add(magnitude, magnitude), f.sub(f.constant(1.0), magnitude));
  Value result = f.mul(expandLog1p(f, ratio), f.constant(0.5));
  return f.copySign(result, x);
}
