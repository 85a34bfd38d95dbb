// Lowers math that PTX has exact instructions for to LLVM's intrinsics, so
// that it needs no libdevice.
#include "fuse-mlir/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_LOWERDEVICEMATHPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// Whether LLVM's type is the same type, so that nothing needs converting.
static bool isLowered(Type type) {
  if (VectorType vector = dyn_cast<VectorType>(type)) {
    if (vector.getRank() != 1)
      return false;
    type = vector.getElementType();
  }
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64() ||
         type.isSignlessInteger();
}

namespace {

/// `SourceOp` becomes the intrinsic `TargetOp` on the same operands, with
/// `Flags` (constant i1 attributes) where the intrinsic has some.
template <typename SourceOp, typename TargetOp>
struct ToIntrinsic : public OpRewritePattern<SourceOp> {
  using OpRewritePattern<SourceOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLowered(op.getType()))
      return failure();
    rewriter.replaceOpWithNewOp<TargetOp>(op, op.getType(), op->getOperands());
    return success();
  }
};

/// The same for intrinsics with a flag, which is false: zero is a fine operand
/// and so is the smallest integer.
template <typename SourceOp, typename TargetOp>
struct ToFlaggedIntrinsic : public OpRewritePattern<SourceOp> {
  using OpRewritePattern<SourceOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(SourceOp op,
                                PatternRewriter &rewriter) const override {
    if (!isLowered(op.getType()))
      return failure();
    rewriter.replaceOpWithNewOp<TargetOp>(op, op.getType(), op.getOperand(),
                                          rewriter.getBoolAttr(false));
    return success();
  }
};

struct LowerDeviceMath
    : public fuse::impl::LowerDeviceMathPassBase<LowerDeviceMath> {
  using Base::Base;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ToIntrinsic<arith::MaximumFOp, LLVM::MaximumOp>,
                 ToIntrinsic<arith::MaxNumFOp, LLVM::MaxNumOp>,
                 ToIntrinsic<arith::MinimumFOp, LLVM::MinimumOp>,
                 ToIntrinsic<arith::MinNumFOp, LLVM::MinNumOp>,
                 ToIntrinsic<math::AbsFOp, LLVM::FAbsOp>,
                 ToIntrinsic<math::CeilOp, LLVM::FCeilOp>,
                 ToIntrinsic<math::CopySignOp, LLVM::CopySignOp>,
                 ToIntrinsic<math::CtPopOp, LLVM::CtPopOp>,
                 ToIntrinsic<math::FloorOp, LLVM::FFloorOp>,
                 ToIntrinsic<math::FmaOp, LLVM::FMAOp>,
                 ToIntrinsic<math::RoundEvenOp, LLVM::RoundEvenOp>,
                 ToIntrinsic<math::RoundOp, LLVM::RoundOp>,
                 ToIntrinsic<math::SqrtOp, LLVM::SqrtOp>,
                 ToIntrinsic<math::TruncOp, LLVM::FTruncOp>,
                 ToFlaggedIntrinsic<math::AbsIOp, LLVM::AbsOp>,
                 ToFlaggedIntrinsic<math::CountLeadingZerosOp,
                                    LLVM::CountLeadingZerosOp>,
                 ToFlaggedIntrinsic<math::CountTrailingZerosOp,
                                    LLVM::CountTrailingZerosOp>>(&getContext());
    FrozenRewritePatternSet frozen(std::move(patterns));
    getOperation()->walk([&](gpu::GPUFuncOp function) {
      walkAndApplyPatterns(function, frozen);
    });
  }
};
} // namespace
