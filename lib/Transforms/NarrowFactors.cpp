// Contractions whose factors are widened by operators of their own, as exporters
// write f16 products with f32 sums. Read as what they were before, they are half
// as large, and matrix units multiply them.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/Transforms/MarkerTags.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fuse;

/// The value that `op` yields of its only input; nothing if it has several or
/// reduces.
static Value getYieldOfInput(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.hasPureTensorSemantics())
    return {};
  return op.getBlock()->getTerminator()->getOperand(0);
}

/// The cast of an operator that widens each element and does nothing else.
static Operation *findWidening(linalg::LinalgOp op) {
  Value yielded = getYieldOfInput(op);
  Operation *cast = yielded ? yielded.getDefiningOp() : nullptr;
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(cast) ||
      cast->getOperand(0) != op.getRegionInputArgs()[0])
    return nullptr;
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  return maps[0] == maps[1] && maps[0].isPermutation() ? cast : nullptr;
}

/// Whether `op` hands elements of its first operand on, each as it is, or gives
/// zeros.
static bool movesElements(Operation *op) {
  if (tensor::PadOp pad = dyn_cast<tensor::PadOp>(op)) {
    Value padding = pad.getConstantPaddingValue();
    return padding && (matchPattern(padding, m_Zero()) ||
                       matchPattern(padding, m_PosZeroFloat()));
  }
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractSliceOp, tensor::CastOp>(op))
    return true;
  linalg::LinalgOp structured = dyn_cast<linalg::LinalgOp>(op);
  Value yielded = structured ? getYieldOfInput(structured) : Value();
  return yielded && yielded == structured.getRegionInputArgs()[0];
}

namespace {

/// A widened value, followed back to what was widened.
struct Widened {
  Operation *cast = nullptr;
  Value source;
  /// What moves elements in between, from the cast on.
  SmallVector<Operation *> moves;
};

} // namespace

static std::optional<Widened> findWidened(Value value, Block *block) {
  Widened widened;
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != block || hasMarker(op))
      return std::nullopt;
    if (linalg::LinalgOp structured = dyn_cast<linalg::LinalgOp>(op))
      if (Operation *cast = findWidening(structured)) {
        widened.cast = cast;
        widened.source = structured.getDpsInputs()[0];
        std::reverse(widened.moves.begin(), widened.moves.end());
        return widened;
      }
    if (!movesElements(op))
      return std::nullopt;
    widened.moves.push_back(op);
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// `move` of `source`, which has another element type.
static Value moveNarrow(RewriterBase &rewriter, Operation *move, Value source) {
  Type element = getElementTypeOrSelf(source);
  auto narrow = [&](Type type) {
    return cast<RankedTensorType>(type).clone(element);
  };
  rewriter.setInsertionPoint(move);
  if (tensor::PadOp pad = dyn_cast<tensor::PadOp>(move)) {
    Value zero = arith::ConstantOp::create(rewriter, move->getLoc(),
                                           rewriter.getZeroAttr(element));
    tensor::PadOp narrowPad = tensor::PadOp::create(
        rewriter, move->getLoc(), narrow(pad.getType()), source,
        pad.getMixedLowPad(), pad.getMixedHighPad(), zero, pad.getNofold());
    narrowPad->setDiscardableAttrs(move->getDiscardableAttrDictionary());
    return narrowPad;
  }
  IRMapping mapping;
  mapping.map(move->getOperand(0), source);
  linalg::LinalgOp structured = dyn_cast<linalg::LinalgOp>(move);
  if (structured) {
    Value init = structured.getDpsInits()[0];
    mapping.map(init,
                tensor::EmptyOp::create(
                    rewriter, move->getLoc(),
                    tensor::getMixedSizes(rewriter, move->getLoc(), init),
                    element));
  }
  Operation *clone = rewriter.clone(*move, mapping);
  rewriter.modifyOpInPlace(clone, [&] {
    clone->getResult(0).setType(narrow(clone->getResult(0).getType()));
    if (structured)
      for (BlockArgument argument :
           cast<linalg::LinalgOp>(clone).getBlock()->getArguments())
        argument.setType(element);
  });
  return clone->getResult(0);
}

namespace {

struct NarrowFactors : public OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || !findProduct(op))
      return failure();
    for (OpOperand *operand : op.getDpsInputOperands()) {
      std::optional<Widened> widened =
          findWidened(operand->get(), op->getBlock());
      if (!widened)
        continue;
      // The body of a named operator follows from its types, where floats are
      // widened but integers as an attribute says.
      if (!isa<linalg::GenericOp>(op) && !isa<arith::ExtFOp>(widened->cast))
        return linalg::generalizeNamedOp(rewriter, op);
      Value source = widened->source;
      for (Operation *move : widened->moves)
        source = moveNarrow(rewriter, move, source);
      widenInBody(rewriter, op, *operand, source, widened->cast);
      return success();
    }
    return failure();
  }

private:
  static void widenInBody(PatternRewriter &rewriter, linalg::LinalgOp op,
                          OpOperand &operand, Value source, Operation *cast) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    rewriter.modifyOpInPlace(op, [&] {
      operand.set(source);
      argument.setType(getElementTypeOrSelf(source));
    });
    rewriter.setInsertionPointToStart(op.getBlock());
    Operation *wide = rewriter.clone(*cast);
    rewriter.replaceUsesWithIf(argument, wide->getResult(0), [&](OpOperand &use) {
      return use.getOwner() != wide;
    });
    rewriter.modifyOpInPlace(wide, [&] { wide->setOperand(0, argument); });
  }
};

} // namespace

void fuse::populateNarrowFactorsPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowFactors>(patterns.getContext());
}
