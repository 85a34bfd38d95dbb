// Concatenations in the normal form: no empty parts, no question where all
// parts are the same.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Upstream's canonicalization makes a fill of a concatenation of fills, of the
/// type that these imply, though the result's may know more.
struct ImplyTypeOfFills : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    RankedTensorType implied = tensor::ConcatOp::inferResultType(
        op.getDim(), op.getInputs().getTypes());
    bool isOfFills = llvm::all_of(op.getInputs(), [](Value input) {
      return input.getDefiningOp<linalg::FillOp>();
    });
    if (!isOfFills || implied == op.getType())
      return failure();
    auto concat = tensor::ConcatOp::create(rewriter, op.getLoc(), implied,
                                           op.getDim(), op.getInputs());
    concat->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), concat);
    return success();
  }
};

/// Parts of a concatenation that have no elements add nothing to it.
struct DropEmptyParts : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> parts;
    for (Value input : op.getInputs())
      if (cast<RankedTensorType>(input.getType()).getDimSize(op.getDim()) != 0)
        parts.push_back(input);
    if (parts.empty() || parts.size() == op.getInputs().size())
      return failure();
    rewriter.replaceOpWithNewOp<tensor::ConcatOp>(op, op.getResultType(),
                                                  op.getDim(), parts);
    return success();
  }
};

/// A tensor beside itself → a broadcast, of which all copies are the same
/// elements: nothing has to ask which copy it is.
struct RepeatToBroadcast : public OpRewritePattern<tensor::ConcatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    OperandRange parts = op.getInputs();
    RankedTensorType type = op.getResultType();
    auto part = cast<RankedTensorType>(parts.front().getType());
    // The result may know a size that the parts do not.
    if (parts.size() < 2 || !llvm::all_equal(parts) ||
        !type.hasStaticShape() || !part.hasStaticShape())
      return failure();
    auto dim = int64_t(op.getDim());
    SmallVector<int64_t> shape(part.getShape());
    shape.insert(shape.begin() + dim, int64_t(parts.size()));
    Value empty = tensor::EmptyOp::create(rewriter, op.getLoc(), shape,
                                          type.getElementType());
    auto copies = linalg::BroadcastOp::create(rewriter, op.getLoc(),
                                              parts.front(), empty, {dim});
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0, next = 0; i < type.getRank(); ++i) {
      ReassociationIndices &group = groups.emplace_back();
      for (int64_t count = i == dim ? 2 : 1; count > 0; --count)
        group.push_back(next++);
    }
    rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, type, copies->getResult(0), groups);
    return success();
  }
};

} // namespace

void fuse::populateConcatPatterns(RewritePatternSet &patterns) {
  patterns.add<DropEmptyParts, ImplyTypeOfFills, RepeatToBroadcast>(
      patterns.getContext());
}
