// Elementary functions of f32 in terms of arithmetic and a few PTX
// approximations. No expansion needs libdevice. Errors are stated in units in
// the last place (ulp) against the exact value.
#ifndef FUSE_MLIR_CODEGEN_MATHEXPANSIONS_H
#define FUSE_MLIR_CODEGEN_MATHEXPANSIONS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::fuse {

/// Builds f32 (and, where said, f64 and i32) arithmetic.
class FloatBuilder {
public:
  FloatBuilder(OpBuilder &builder, Location loc, Type type)
      : b(loc, builder), type(type) {}

  Value constant(double value);
  Value integer(int64_t value, unsigned width = 32);
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }
  /// An LLVM intrinsic; operands and result have one type.
  Value call(StringRef intrinsic, ValueRange operands);
  Value fma(Value x, Value y, Value z) { return call("llvm.fma", {x, y, z}); }
  /// `coefficients[0]` belongs to the highest power.
  Value polynomial(Value x, ArrayRef<double> coefficients);
  Value abs(Value x) { return call("llvm.fabs", x); }
  Value copySign(Value magnitude, Value sign) {
    return call("llvm.copysign", {magnitude, sign});
  }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value roundEven(Value x) { return call("llvm.roundeven", x); }
  Value truncate(Value x) { return call("llvm.trunc", x); }
  Value sqrt(Value x) { return call("llvm.sqrt", x); }
  /// Within `low .. high`; `low` for a NaN.
  Value clamp(Value x, double low, double high);
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value compare(arith::CmpFPredicate predicate, Value x, double y) {
    return compare(predicate, x, constant(y));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value bits(Value x);
  Value fromBits(Value x);
  Value toInt(Value x, unsigned width = 32);
  Value toFloat(Value x) { return arith::SIToFPOp::create(b, type, x); }

  ImplicitLocOpBuilder b;
  Type type;
};

/// Whether `x`, of any float type, is infinite; or, with `isNormal`, finite and
/// neither zero nor subnormal.
Value classifyFloat(FloatBuilder &f, Value x, bool isNormal);

using ExpandFn = Value (*)(FloatBuilder &, Value);

/// At most 2 ulp (`ex2.approx` included).
Value expandExp(FloatBuilder &f, Value x);
Value expandExp2(FloatBuilder &f, Value x);
Value expandExpM1(FloatBuilder &f, Value x);
/// At most 1 ulp.
Value expandLog(FloatBuilder &f, Value x);
/// At most 2 ulp.
Value expandLog2(FloatBuilder &f, Value x);
Value expandLog10(FloatBuilder &f, Value x);
Value expandLog1p(FloatBuilder &f, Value x);
Value expandTanh(FloatBuilder &f, Value x);
Value expandErf(FloatBuilder &f, Value x, ExpandFn exponential = expandExp);
/// At most 2 ulp; signs of zeros, and infinities, as in C.
Value expandAtan(FloatBuilder &f, Value x);
Value expandAtan2(FloatBuilder &f, Value y, Value x);
/// At most 5 ulp.
Value expandSinh(FloatBuilder &f, Value x);
Value expandCosh(FloatBuilder &f, Value x);
/// At most 4 ulp.
Value expandAsinh(FloatBuilder &f, Value x);
Value expandAcosh(FloatBuilder &f, Value x);
Value expandAtanh(FloatBuilder &f, Value x);
/// At most 2 ulp.
std::pair<Value, Value> expandSinCos(FloatBuilder &f, Value x);
Value expandRsqrt(FloatBuilder &f, Value x);
/// At most 1 ulp (computed in f64, rounded once).
Value expandPow(FloatBuilder &f, Value x, Value y);
Value expandCbrt(FloatBuilder &f, Value x);
/// Exact.
Value expandRem(FloatBuilder &f, Value x, Value y);

/// exp(x) within 2^-21 + 2^-24 |x| of its value; 0 for results below 2^-126.
Value expandFastExp(FloatBuilder &f, Value x);

/// What the flags `afn` and `arcp` of an operation on f32 permit. With `afn`
/// `exp`, `exp2`, `log`, `log2`, `log10`, `sqrt`, `rsqrt`, `tanh` and `erf` use
/// PTX's approximations: within 2^-20 of the value, or of 1 for logarithms near
/// 0, `tanh` and `erf`; `exp` as `expandFastExp`. With `arcp` a division
/// multiplies by the reciprocal, with both by an approximate one. Arguments and
/// results below 2^-126 count as zeros there.
void populateFastMathPatterns(RewritePatternSet &patterns);

/// Whether `value`, a bf16 as f32, is only for sums, differences and products
/// with such values that are rounded to bf16 at once: LLVM makes instructions
/// on two bf16 of these.
bool isForBf16Arithmetic(Value value);

/// Rounds neighbouring values of a block from f32 to bf16 or f16 (from sm_80
/// on, where they are widened again) and to 8-bit floats (from sm_89 on) two at
/// a time; same results. `generation` is the chip's number. Linear in the
/// operations between the two.
void pairRoundings(Operation *root, unsigned generation);

//===----------------------------------------------------------------------===//
// 8-bit floats
//===----------------------------------------------------------------------===//

/// Whether `type` is an 8-bit float that kernels may store: f8E4M3FN, f8E5M2.
bool isNarrowFloat(Type type);

/// `arith.extf` of narrow floats (exact) and `arith.truncf` to them (from f32
/// or f64: rounded once, to the nearest even; what is too large becomes NaN in
/// f8E4M3FN and infinity in f8E5M2) as arithmetic on bits.
void populateNarrowFloatPatterns(RewritePatternSet &patterns);

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_MATHEXPANSIONS_H
