// What the flags `afn` and `arcp` of an operation permit: the hardware's
// approximations in place of the expansions of MathExpansions.h. Each operation
// is looked at by its own flags alone.
#include "fuse-mlir/Codegen/MathExpansions.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::fuse;

static bool allows(arith::ArithFastMathInterface op,
                   arith::FastMathFlags flags) {
  arith::FastMathFlagsAttr attribute = op.getFastMathFlagsAttr();
  return attribute && bitEnumContainsAll(attribute.getValue(), flags);
}

Value fuse::expandFastExp(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.ex2.approx.ftz",
                f.mul(x, f.constant(1.44269502162933349609375)));
}

static Value expandFastExp2(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.ex2.approx.ftz", x);
}

static Value expandFastLog2(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.lg2.approx.ftz.f", x);
}

static Value expandFastLog(FloatBuilder &f, Value x) {
  return f.mul(expandFastLog2(f, x), f.constant(0.693147182464599609375));
}

static Value expandFastLog10(FloatBuilder &f, Value x) {
  return f.mul(expandFastLog2(f, x), f.constant(0.3010300099849700927734375));
}

static Value expandFastSqrt(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.sqrt.approx.ftz.f", x);
}

static Value expandFastRsqrt(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.rsqrt.approx.ftz.f", x);
}

static Value reciprocal(FloatBuilder &f, Value x) {
  return f.call("llvm.nvvm.rcp.approx.ftz.f", x);
}

/// 1 - 2 / (exp(2 x) + 1); exact where exp is 0 or infinite.
static Value expandFastTanh(FloatBuilder &f, Value x) {
  Value e = f.call("llvm.nvvm.ex2.approx.ftz",
                   f.mul(x, f.constant(2.8853900432586669921875)));
  return f.fma(f.constant(-2.0), reciprocal(f, f.add(e, f.constant(1.0))),
               f.constant(1.0));
}

static Value expandFastErf(FloatBuilder &f, Value x) {
  return expandErf(f, x, expandFastExp);
}

namespace {
template <typename OpTy, ExpandFn expand>
struct ExpandFast : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !allows(op, arith::FastMathFlags::afn))
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, expand(f, op->getOperand(0)));
    return success();
  }
};

/// x / y as x * (1 / y), so that elements with one divisor share its
/// reciprocal.
struct ExpandFastDivision : public OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() || !allows(op, arith::FastMathFlags::arcp))
      return failure();
    bool approximate = allows(op, arith::FastMathFlags::afn);
    if (!approximate && matchPattern(op.getLhs(), m_OneFloat()))
      return failure(); // Is a reciprocal.
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    Value inverse = approximate ? reciprocal(f, op.getRhs())
                                : f.div(f.constant(1.0), op.getRhs());
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), inverse,
                                               op.getFastmath());
    return success();
  }
};
} // namespace

void fuse::populateFastMathPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFast<math::ExpOp, expandFastExp>,
               ExpandFast<math::Exp2Op, expandFastExp2>,
               ExpandFast<math::LogOp, expandFastLog>,
               ExpandFast<math::Log2Op, expandFastLog2>,
               ExpandFast<math::Log10Op, expandFastLog10>,
               ExpandFast<math::SqrtOp, expandFastSqrt>,
               ExpandFast<math::RsqrtOp, expandFastRsqrt>,
               ExpandFast<math::TanhOp, expandFastTanh>,
               ExpandFast<math::ErfOp, expandFastErf>, ExpandFastDivision>(
      patterns.getContext(), /*benefit=*/7);
}
