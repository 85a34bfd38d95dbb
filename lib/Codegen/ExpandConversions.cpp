// fuse-expand-conversions: conversions between element types become what the
// chip has, as few instructions as possible for each element.
#include "fuse-mlir/Codegen/Passes.h"

#include "fuse-mlir/Analysis/MatrixUnits.h"
#include "fuse-mlir/Codegen/MathExpansions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_EXPANDCONVERSIONSPASS
#include "fuse-mlir/Codegen/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

bool fuse::isForBf16Arithmetic(Value value) {
  auto isBf16 = [](Value operand) {
    auto widened = operand.getDefiningOp<arith::ExtFOp>();
    return widened && widened.getIn().getType().isBF16();
  };
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(user) &&
           llvm::all_of(user->getOperands(), isBf16) &&
           llvm::all_of(user->getUsers(), [](Operation *next) {
             return isa<arith::TruncFOp>(next) &&
                    next->getResult(0).getType().isBF16();
           });
  });
}

namespace {
/// bf16 from a vector: the upper half of the f32. Two lie in a register, of
/// which one instruction makes either f32; taken apart first, one needs two.
struct WidenBf16 : public OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    auto extract = op.getIn().getDefiningOp<vector::ExtractOp>();
    if (!extract || !op.getType().isF32() || !extract.getType().isBF16() ||
        extract.hasDynamicPosition() || extract.getNumIndices() != 1 ||
        isForBf16Arithmetic(op.getOut()))
      return failure();
    VectorType type = extract.getSourceVectorType();
    if (type.getNumElements() % 2 != 0 || type.isScalable())
      return failure();
    int64_t lane = extract.getStaticPosition().front();
    FloatBuilder f(rewriter, op.getLoc(), op.getType());
    Value pairs = vector::BitCastOp::create(
        f.b, VectorType::get({type.getNumElements() / 2}, f.b.getI32Type()),
        extract.getSource());
    Value pair = vector::ExtractOp::create(f.b, pairs, lane / 2);
    Value bits =
        lane % 2 ? arith::AndIOp::create(
                       f.b, pair, f.integer(static_cast<int32_t>(0xffff0000u)))
                       .getResult()
                 : arith::ShLIOp::create(f.b, pair, f.integer(16)).getResult();
    rewriter.replaceOp(op, f.fromBits(bits));
    return success();
  }
};

/// The operand of a rounding to the nearest even integer that nothing else
/// reads; null if `value` is none.
Value getRoundedToEven(Value value) {
  if (!value.hasOneUse())
    return {};
  if (auto round = value.getDefiningOp<math::RoundEvenOp>())
    return round.getOperand();
  auto call = value.getDefiningOp<LLVM::CallIntrinsicOp>();
  return call && call.getIntrin() == "llvm.roundeven" ? call.getArgs().front()
                                                      : Value();
}

/// One instruction rounds and converts. Results of less than 32 bits are made
/// as these: what they cannot hold is undefined in the source.
template <typename OpTy>
struct ConvertToInteger : public OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;
  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<IntegerType>(op.getType());
    if (!type || type.getWidth() > 32 || !op.getIn().getType().isF32())
      return failure();
    Value value = getRoundedToEven(op.getIn());
    if (!value && (type.getWidth() == 32 || type.getWidth() == 1))
      return failure();
    bool isSigned = std::is_same_v<OpTy, arith::FPToSIOp>;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type i32 = b.getI32Type();
    Value integer = value ? LLVM::CallIntrinsicOp::create(
                                b, i32,
                                b.getStringAttr(isSigned ? "llvm.nvvm.f2i.rn"
                                                         : "llvm.nvvm.f2ui.rn"),
                                value)
                                .getResult(0)
                          : OpTy::create(b, i32, op.getIn()).getResult();
    if (type.getWidth() < 32)
      integer = arith::TruncIOp::create(b, type, integer);
    rewriter.replaceOp(op, integer);
    return success();
  }
};

class ExpandConversions
    : public fuse::impl::ExpandConversionsPassBase<ExpandConversions> {
  void runOnOperation() override;
};
} // namespace

static unsigned getGeneration(gpu::GPUModuleOp module) {
  for (Attribute attribute : module.getTargetsAttr().getAsRange<Attribute>())
    if (auto target = dyn_cast<NVVM::NVVMTargetAttr>(attribute))
      return fuse::getGeneration(target.getChip());
  return 0;
}

void ExpandConversions::runOnOperation() {
  if (getOperation().getTargetsAttr())
    pairRoundings(getOperation(), ::getGeneration(getOperation()));
  RewritePatternSet patterns(&getContext());
  patterns.add<WidenBf16, ConvertToInteger<arith::FPToSIOp>,
               ConvertToInteger<arith::FPToUIOp>>(&getContext());
  populateNarrowFloatPatterns(patterns);
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
    signalPassFailure();
}
