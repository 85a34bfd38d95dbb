// Conversions of 8-bit floats in device code, as arithmetic on their bits:
// exact to wider types, rounded to the nearest even from these. Two roundings
// from f32 are an instruction on some chips (PairRoundings.cpp).
#include "fuse-mlir/Codegen/MathExpansions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// What an 8-bit float type is made of.
struct NarrowFormat {
  int64_t mantissa, bias;
  /// The largest magnitude as bits: what is larger becomes it.
  int64_t most, nan;

  static std::optional<NarrowFormat> of(Type type) {
    // 448 is the largest number, and there is no infinity.
    if (isa<Float8E4M3FNType>(type))
      return NarrowFormat{3, 7, 0x7f, 0x7f};
    if (isa<Float8E5M2Type>(type))
      return NarrowFormat{2, 15, 0x7c, 0x7e};
    return std::nullopt;
  }
};

/// Integers as wide as a float type, and constants of both.
struct Bits {
  ImplicitLocOpBuilder &b;
  FloatType wide;
  IntegerType type;

  Bits(ImplicitLocOpBuilder &b, FloatType wide)
      : b(b), wide(wide), type(b.getIntegerType(wide.getWidth())) {}

  Value integer(uint64_t value) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, APInt(type.getWidth(), value)));
  }
  Value real(double value) {
    return arith::ConstantOp::create(b, b.getFloatAttr(wide, value));
  }
  Value toFloat(Value bits) { return arith::BitcastOp::create(b, wide, bits); }
  Value toBits(Value value) { return arith::BitcastOp::create(b, type, value); }
  Value shiftLeft(Value value, int64_t by) {
    return arith::ShLIOp::create(b, value, integer(by));
  }
  Value shiftRight(Value value, int64_t by) {
    return arith::ShRUIOp::create(b, value, integer(by));
  }
};
} // namespace

/// The exponent's and mantissa's bits at their places in an f32 are the number
/// times a power of two; subnormals as well.
static Value widen(ImplicitLocOpBuilder &b, Value value,
                   const NarrowFormat &format) {
  Bits bits(b, b.getF32Type());
  Value byte = arith::BitcastOp::create(b, b.getI8Type(), value);
  byte = arith::ExtUIOp::create(b, bits.type, byte);
  Value magnitude = arith::AndIOp::create(b, byte, bits.integer(0x7f));
  Value scaled = arith::MulFOp::create(
      b, bits.toFloat(bits.shiftLeft(magnitude, 23 - format.mantissa)),
      bits.real(std::ldexp(1.0, 127 - int(format.bias))));
  Value special = arith::SelectOp::create(
      b,
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, magnitude,
                            bits.integer(format.most)),
      // The only special number of E4M3FN is NaN.
      bits.integer(format.most == format.nan ? 0x7fc00000 : 0x7f800000),
      bits.integer(0x7fc00000));
  Value isSpecial = arith::CmpIOp::create(b, arith::CmpIPredicate::uge,
                                          magnitude, bits.integer(format.most));
  Value result =
      arith::SelectOp::create(b, isSpecial, special, bits.toBits(scaled));
  Value sign =
      bits.shiftLeft(arith::AndIOp::create(b, byte, bits.integer(0x80)), 24);
  return bits.toFloat(arith::OrIOp::create(b, result, sign));
}

/// An f32 or f64 as the bits of a narrow float.
static Value narrow(ImplicitLocOpBuilder &b, Value value,
                    const NarrowFormat &format, Type type) {
  FloatType wide = cast<FloatType>(value.getType());
  Bits bits(b, wide);
  int64_t width = wide.getWidth(), mantissa = wide.getFPMantissaWidth() - 1;
  int64_t bias = width == 32 ? 127 : 1023;
  int64_t drop = mantissa - format.mantissa;
  uint64_t signBit = uint64_t(1) << (width - 1);
  Value all = bits.toBits(value);
  Value magnitude = arith::AndIOp::create(b, all, bits.integer(signBit - 1));
  // Round to even by carrying into the bits that stay.
  Value odd = arith::AndIOp::create(b, bits.shiftRight(magnitude, drop),
                                    bits.integer(1));
  Value carried = arith::AddIOp::create(
      b, magnitude,
      arith::AddIOp::create(b, odd,
                            bits.integer((uint64_t(1) << (drop - 1)) - 1)));
  Value normal = arith::SubIOp::create(
      b, bits.shiftRight(carried, drop),
      bits.integer(uint64_t(bias - format.bias) << format.mantissa));
  // Below the normal numbers, the sum with a number whose last bit is the
  // smallest subnormal rounds.
  int64_t smallest = 1 - format.bias - format.mantissa;
  Value magic = bits.real(std::ldexp(1.0, int(smallest + mantissa)));
  Value subnormal = arith::SubIOp::create(
      b, bits.toBits(arith::AddFOp::create(b, bits.toFloat(magnitude), magic)),
      bits.toBits(magic));
  Value isNormal = arith::CmpIOp::create(
      b, arith::CmpIPredicate::uge, magnitude,
      bits.integer(uint64_t(1 - format.bias + bias) << mantissa));
  Value result = arith::SelectOp::create(b, isNormal, normal, subnormal);
  result = arith::MinUIOp::create(b, result, bits.integer(format.most));
  Value isNan =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, value, value);
  result = arith::SelectOp::create(b, isNan, bits.integer(format.nan), result);
  Value sign = arith::AndIOp::create(b, bits.shiftRight(all, width - 8),
                                     bits.integer(0x80));
  result = arith::OrIOp::create(b, result, sign);
  result = arith::TruncIOp::create(b, b.getI8Type(), result);
  return arith::BitcastOp::create(b, type, result);
}

namespace {
struct ExpandExtF : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<NarrowFormat> format = NarrowFormat::of(op.getIn().getType());
    if (!format || !isa<FloatType>(op.getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = widen(b, op.getIn(), *format);
    if (op.getType().isF64())
      wide = arith::ExtFOp::create(b, op.getType(), wide);
    else if (op.getType() != wide.getType())
      wide = arith::TruncFOp::create(b, op.getType(), wide);
    rewriter.replaceOp(op, wide);
    return success();
  }
};

struct ExpandTruncF : public OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<NarrowFormat> format = NarrowFormat::of(op.getType());
    if (!format)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value value = op.getIn();
    if (value.getType().getIntOrFloatBitWidth() < 32)
      value = arith::ExtFOp::create(b, b.getF32Type(), value);
    rewriter.replaceOp(op, narrow(b, value, *format, op.getType()));
    return success();
  }
};

/// Integers that an f32 does not hold are too large for a narrow float as well,
/// so it is rounded once.
template <typename OpTy>
struct ConvertFromInteger : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrowFloat(op.getType()))
      return failure();
    Value wide =
        OpTy::create(rewriter, op.getLoc(), rewriter.getF32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), wide);
    return success();
  }
};

template <typename OpTy>
struct ConvertNarrowToInteger : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!isNarrowFloat(op.getIn().getType()))
      return failure();
    Value wide = arith::ExtFOp::create(rewriter, op.getLoc(),
                                       rewriter.getF32Type(), op.getIn());
    rewriter.replaceOpWithNewOp<OpTy>(op, op.getType(), wide);
    return success();
  }
};
} // namespace

bool fuse::isNarrowFloat(Type type) {
  return NarrowFormat::of(type).has_value();
}

void fuse::populateNarrowFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandExtF, ExpandTruncF, ConvertFromInteger<arith::SIToFPOp>,
               ConvertFromInteger<arith::UIToFPOp>,
               ConvertNarrowToInteger<arith::FPToSIOp>,
               ConvertNarrowToInteger<arith::FPToUIOp>>(patterns.getContext());
}
