// TOSA operators that upstream's passes to linalg do not take: transposed
// convolutions, which upstream takes apart within TOSA, and scatters.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {

/// A scatter turned around: each row of the result looks for the update that
/// hits it, and then takes the row of that, or its own.
struct TurnScatterAround : public OpRewritePattern<tosa::ScatterOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tosa::ScatterOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || op.getValuesIn().getType() != type ||
        !isa<RankedTensorType>(op.getIndices().getType()) ||
        !isa<RankedTensorType>(op.getInput().getType()))
      return failure();
    Value updates = findUpdates(rewriter, op);
    rewriter.replaceOp(op, takeRows(rewriter, op, updates));
    return success();
  }

private:
  /// The number of the update that hits each row, or -1.
  static Value findUpdates(OpBuilder &b, tosa::ScatterOp op) {
    Location loc = op.getLoc();
    Type number = b.getI32Type();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, loc, op.getValuesIn());
    sizes.pop_back();
    Value none =
        arith::ConstantOp::create(b, loc, b.getIntegerAttr(number, -1));
    Value empty = tensor::EmptyOp::create(b, loc, sizes, number);
    Value init = linalg::FillOp::create(b, loc, none, empty).getResult(0);
    AffineMap rounds = b.getMultiDimIdentityMap(3);
    SmallVector<utils::IteratorType> kinds(2, utils::IteratorType::parallel);
    kinds.push_back(utils::IteratorType::reduction);
    return linalg::GenericOp::create(
               b, loc, init.getType(), op.getIndices(), init,
               ArrayRef<AffineMap>{rounds.getSubMap({0, 2}),
                                   rounds.getSubMap({0, 1})},
               kinds,
               [&](OpBuilder &b, Location loc, ValueRange arguments) {
                 Value row = linalg::IndexOp::create(b, loc, 1);
                 Value update = linalg::IndexOp::create(b, loc, 2);
                 Value at = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                       arguments[0]);
                 Value hits = arith::CmpIOp::create(
                     b, loc, arith::CmpIPredicate::eq, at, row);
                 update = arith::IndexCastOp::create(b, loc, number, update);
                 linalg::YieldOp::create(
                     b, loc,
                     arith::SelectOp::create(b, loc, hits, update, arguments[1])
                         .getResult());
               })
        .getResult(0);
  }

  static Value takeRows(OpBuilder &b, tosa::ScatterOp op, Value updates) {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    Value empty = tensor::EmptyOp::create(
        b, loc, tensor::getMixedSizes(b, loc, op.getValuesIn()),
        type.getElementType());
    AffineMap rounds = b.getMultiDimIdentityMap(3);
    SmallVector<utils::IteratorType> kinds(3, utils::IteratorType::parallel);
    return linalg::GenericOp::create(
               b, loc, type, ValueRange{updates, op.getValuesIn()}, empty,
               ArrayRef<AffineMap>{rounds.getSubMap({0, 1}), rounds, rounds},
               kinds,
               [&](OpBuilder &b, Location loc, ValueRange arguments) {
                 linalg::YieldOp::create(
                     b, loc, takeElement(b, loc, op.getInput(), arguments));
               })
        .getResult(0);
  }

  /// `arguments` are the number of the update and the old element.
  static Value takeElement(OpBuilder &b, Location loc, Value input,
                           ValueRange arguments) {
    Value batch = linalg::IndexOp::create(b, loc, 0);
    Value channel = linalg::IndexOp::create(b, loc, 2);
    Value zero = arith::ConstantOp::create(
        b, loc, b.getZeroAttr(arguments[0].getType()));
    Value found = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge,
                                        arguments[0], zero);
    return scf::IfOp::create(
               b, loc, found,
               [&](OpBuilder &b, Location loc) {
                 Value update = arith::IndexCastOp::create(
                     b, loc, b.getIndexType(), arguments[0]);
                 Value element = tensor::ExtractOp::create(
                     b, loc, input, ValueRange{batch, update, channel});
                 scf::YieldOp::create(b, loc, element);
               },
               [&](OpBuilder &b, Location loc) {
                 scf::YieldOp::create(b, loc, arguments[1]);
               })
        .getResult(0);
  }
};

} // namespace

void fuse::populateDecomposeTosaPatterns(RewritePatternSet &patterns) {
  patterns.add<TurnScatterAround>(patterns.getContext());
  tosa::populateTosaDecomposeTransposeConv(patterns.getContext(), patterns);
}
