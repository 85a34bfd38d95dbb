// fuse-expand-math: elementary functions in device code become arithmetic, so
// that no device library is needed for f32, f16 and bf16.
#include "fuse-mlir/Codegen/Passes.h"

#include "fuse-mlir/Codegen/MathExpansions.h"

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "fuse-mlir/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// f16 and bf16 functions are computed in f32 and rounded once.
struct PromoteHalf : public RewritePattern {
  PromoteHalf(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/10, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
        isa<math::FmaOp, math::IsNormalOp>(op) || op->getNumResults() != 1) {
      if (!isa<arith::RemFOp>(op))
        return failure();
    }
    auto isHalf = [](Type type) { return type.isF16() || type.isBF16(); };
    Type type = op->getResult(0).getType();
    if (!isHalf(type) && llvm::none_of(op->getOperandTypes(), isHalf))
      return failure();
    Location loc = op->getLoc();
    Type wide = rewriter.getF32Type();
    OperationState state(loc, op->getName());
    for (Value operand : op->getOperands()) {
      if (isHalf(operand.getType()))
        operand = arith::ExtFOp::create(rewriter, loc, wide, operand);
      state.addOperands(operand);
    }
    state.addTypes(isHalf(type) ? wide : type);
    state.addAttributes(op->getAttrDictionary().getValue());
    Value result = rewriter.create(state)->getResult(0);
    if (isHalf(type))
      result = arith::TruncFOp::create(rewriter, loc, type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

Value expandExactErf(FloatBuilder &f, Value x) { return expandErf(f, x); }

template <typename OpTy, ExpandFn expand>
struct ExpandUnary : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, expand(builder, op->getOperand(0)));
    return success();
  }
};

/// Sine and cosine; of one angle in one block together, where most of the work
/// is the same.
template <typename OpTy>
struct ExpandSinCos : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    SmallVector<Operation *> together;
    Operation *first = op;
    for (Operation *user : op.getOperand().getUsers()) {
      if (!isa<math::SinOp, math::CosOp>(user) ||
          user->getBlock() != op->getBlock())
        continue;
      together.push_back(user);
      if (user->isBeforeInBlock(first))
        first = user;
    }
    rewriter.setInsertionPoint(first);
    FloatBuilder builder(rewriter, op.getLoc(), op.getType());
    auto [sine, cosine] = expandSinCos(builder, op.getOperand());
    for (Operation *user : together)
      rewriter.replaceOp(user, isa<math::SinOp>(user) ? sine : cosine);
    return success();
  }
};

/// What the hardware has: an intrinsic of the same operands. (The operations
/// of the LLVM dialect would become library calls on the way to NVVM.)
struct ToIntrinsic : public RewritePattern {
  ToIntrinsic(MLIRContext *context, StringRef name, StringRef intrinsic)
      : RewritePattern(name, /*benefit=*/5, context), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    Type type = op->getResult(0).getType();
    if (!isa<FloatType>(type))
      return failure();
    FloatBuilder f(rewriter, op->getLoc(), type);
    rewriter.replaceOp(op, f.call(intrinsic, op->getOperands()));
    return success();
  }

  StringRef intrinsic;
};

struct ExpandAtan2 : public OpRewritePattern<math::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::Atan2Op op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, expandAtan2(f, op.getLhs(), op.getRhs()));
    return success();
  }
};

struct ExpandRemF : public OpRewritePattern<arith::RemFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::RemFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, expandRem(f, op.getLhs(), op.getRhs()));
    return success();
  }
};

/// 1 / sqrt(x): both are correctly rounded in f64.
struct ExpandWideRsqrt : public OpRewritePattern<math::RsqrtOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::RsqrtOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(op, f.div(f.constant(1.0), f.sqrt(op.getOperand())));
    return success();
  }
};
} // namespace

/// `x` to a whole power by multiplications; at most 8 of them.
static Value powerByProducts(FloatBuilder &f, Value x, int64_t exponent) {
  int64_t count = std::abs(exponent);
  Value result, square = x;
  for (int64_t rest = count; rest > 0; rest /= 2) {
    if (rest % 2)
      result = result ? f.mul(result, square) : square;
    if (rest > 1)
      square = f.mul(square, square);
  }
  if (!result)
    return f.constant(1.0);
  return exponent < 0 ? f.div(f.constant(1.0), result) : result;
}

namespace {
struct ExpandPowF : public OpRewritePattern<math::PowFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::PowFOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() && !op.getType().isF64())
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    APFloat constant(0.0f);
    if (matchPattern(op.getRhs(), m_ConstantFloat(&constant))) {
      double exponent = constant.convertToDouble();
      if (exponent == std::trunc(exponent) && std::abs(exponent) <= 4) {
        rewriter.replaceOp(op,
                           powerByProducts(f, op.getLhs(), int64_t(exponent)));
        return success();
      }
      if (exponent == 0.5) {
        // Of -0 the root is -0 and the power is 0; the same for -inf.
        Value root = f.sqrt(f.add(op.getLhs(), f.constant(0.0)));
        Value isMinusInf =
            f.compare(arith::CmpFPredicate::OEQ, op.getLhs(), -INFINITY);
        rewriter.replaceOp(op,
                           f.select(isMinusInf, f.constant(INFINITY), root));
        return success();
      }
    }
    if (!op.getType().isF32())
      return failure();
    rewriter.replaceOp(op, expandPow(f, op.getLhs(), op.getRhs()));
    return success();
  }
};

struct ExpandFPowI : public OpRewritePattern<math::FPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::FPowIOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getType().isF32() && !op.getType().isF64())
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    APInt constant;
    if (matchPattern(op.getRhs(), m_ConstantInt(&constant)) &&
        constant.abs().ule(16)) {
      rewriter.replaceOp(
          op, powerByProducts(f, op.getLhs(), constant.getSExtValue()));
      return success();
    }
    rewriter.replaceOpWithNewOp<math::PowFOp>(op, op.getLhs(),
                                              f.toFloat(op.getRhs()));
    return success();
  }
};

/// Multiplications by the bits of the exponent. To a negative power, only 1 and
/// -1 are whole numbers.
struct ExpandIPowI : public OpRewritePattern<math::IPowIOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(math::IPowIOp op,
                                PatternRewriter &rewriter) const override;
};

/// Whether a float is infinite, or neither that nor NaN, zero or subnormal.
template <typename OpTy>
struct ExpandClassification : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    FloatType type = dyn_cast<FloatType>(op.getOperand().getType());
    if (!type)
      return failure();
    FloatBuilder f(rewriter, op.getLoc(), type);
    rewriter.replaceOp(
        op, classifyFloat(f, op.getOperand(), isa<math::IsNormalOp>(op)));
    return success();
  }
};

class ExpandMath : public fuse::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override;
};
} // namespace

LogicalResult ExpandIPowI::matchAndRewrite(math::IPowIOp op,
                                           PatternRewriter &rewriter) const {
  IntegerType type = dyn_cast<IntegerType>(op.getType());
  if (!type)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
  };
  auto equals = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  };
  auto choose = [&](Value condition, Value x, Value y) -> Value {
    return arith::SelectOp::create(b, condition, x, y);
  };
  Value zero = constant(0), one = constant(1), minusOne = constant(-1);
  Value base = op.getLhs(), exponent = op.getRhs();
  auto isOdd = [&](Value x) {
    return equals(arith::AndIOp::create(b, x, one), one);
  };
  Type i32 = b.getI32Type();
  auto bound = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, i32, b.getI32IntegerAttr(value));
  };
  scf::ForOp loop =
      scf::ForOp::create(b, bound(0), bound(type.getWidth()), bound(1),
                         ValueRange{one, base, exponent});
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value result = loop.getRegionIterArg(0), power = loop.getRegionIterArg(1);
    Value rest = loop.getRegionIterArg(2);
    result =
        choose(isOdd(rest), arith::MulIOp::create(b, result, power), result);
    Value square = arith::MulIOp::create(b, power, power);
    rest = arith::ShRUIOp::create(b, rest, one);
    scf::YieldOp::create(b, ValueRange{result, square, rest});
  }
  Value inverse = choose(equals(base, minusOne),
                         choose(isOdd(exponent), minusOne, one), zero);
  inverse = choose(equals(base, one), one, inverse);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, exponent, zero);
  rewriter.replaceOp(op, choose(isNegative, inverse, loop.getResult(0)));
  return success();
}

static void addOwnPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<PromoteHalf>(context);
  patterns
      .add<ExpandUnary<math::ExpOp, expandExp>,
           ExpandUnary<math::Exp2Op, expandExp2>,
           ExpandUnary<math::ExpM1Op, expandExpM1>,
           ExpandUnary<math::LogOp, expandLog>,
           ExpandUnary<math::Log2Op, expandLog2>,
           ExpandUnary<math::Log10Op, expandLog10>,
           ExpandUnary<math::Log1pOp, expandLog1p>,
           ExpandUnary<math::TanhOp, expandTanh>,
           ExpandUnary<math::ErfOp, expandExactErf>,
           ExpandUnary<math::CbrtOp, expandCbrt>,
           ExpandUnary<math::AtanOp, expandAtan>, ExpandAtan2,
           ExpandUnary<math::SinhOp, expandSinh>,
           ExpandUnary<math::CoshOp, expandCosh>,
           ExpandUnary<math::AsinhOp, expandAsinh>,
           ExpandUnary<math::AcoshOp, expandAcosh>,
           ExpandUnary<math::AtanhOp, expandAtanh>, ExpandSinCos<math::SinOp>,
           ExpandSinCos<math::CosOp>, ExpandUnary<math::RsqrtOp, expandRsqrt>,
           ExpandWideRsqrt, ExpandPowF, ExpandFPowI, ExpandIPowI,
           ExpandClassification<math::IsInfOp>,
           ExpandClassification<math::IsNormalOp>>(context, /*benefit=*/5);
  patterns.add<ExpandRemF>(context, /*benefit=*/5);
  const std::pair<StringRef, StringRef> instructions[] = {
      {"math.fma", "llvm.fma"},
      {"math.sqrt", "llvm.sqrt"},
      {"math.absf", "llvm.fabs"},
      {"math.copysign", "llvm.copysign"},
      {"math.ceil", "llvm.ceil"},
      {"math.floor", "llvm.floor"},
      {"math.trunc", "llvm.trunc"},
      {"math.round", "llvm.round"},
      {"math.roundeven", "llvm.roundeven"},
      {"arith.maxnumf", "llvm.maxnum"},
      {"arith.minnumf", "llvm.minnum"}};
  for (auto [name, intrinsic] : instructions)
    patterns.add(std::make_unique<ToIntrinsic>(context, name, intrinsic));
}

void ExpandMath::runOnOperation() {
  RewritePatternSet patterns(&getContext());
  addOwnPatterns(patterns);
  populateFastMathPatterns(patterns);
  // What is rare: upstream's polynomials, in f32.
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained({"math.asin", "math.acos", "math.erfc"}, name);
  });
  math::populateExpansionPatterns(patterns, {"ctlz", "tan"});
  arith::populateCeilFloorDivExpandOpsPatterns(patterns);
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    signalPassFailure();
}
