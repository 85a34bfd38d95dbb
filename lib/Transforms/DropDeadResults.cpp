// Drops unused results of linalg.generic. Upstream's pattern keeps a result
// whose accumulator is read in the body, even if only that result needs it;
// exported softmaxes carry a dead argmax of this kind. And a result that the
// body does not change is what it begins with.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace {

/// Results that must stay: used ones, and those whose accumulator a used one
/// (or an operation with an effect) reads, directly or not.
llvm::SmallBitVector findLiveResults(linalg::GenericOp op) {
  Block *body = op.getBody();
  unsigned inputs = op.getNumDpsInputs();
  llvm::SmallBitVector live(op.getNumDpsInits());
  SmallVector<Value> worklist;
  llvm::DenseSet<Value> seen;
  llvm::DenseSet<Operation *> seenOps;
  auto need = [&](Value value) {
    if (seen.insert(value).second)
      worklist.push_back(value);
  };
  auto needResult = [&](unsigned i) {
    if (live.test(i))
      return;
    live.set(i);
    need(body->getTerminator()->getOperand(i));
  };
  auto needOperandsOf = [&](Operation *inBody) {
    if (!seenOps.insert(inBody).second)
      return;
    inBody->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        need(operand);
    });
  };

  for (OpResult result : op.getResults())
    if (!result.use_empty())
      needResult(result.getResultNumber());
  for (Operation &inBody : body->without_terminator())
    if (!isMemoryEffectFree(&inBody))
      needOperandsOf(&inBody);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (BlockArgument arg = dyn_cast<BlockArgument>(value)) {
      if (arg.getOwner() == body && arg.getArgNumber() >= inputs)
        needResult(arg.getArgNumber() - inputs);
      continue;
    }
    if (Operation *inBody = body->findAncestorOpInBlock(*value.getDefiningOp()))
      needOperandsOf(inBody);
  }
  return live;
}

struct DropDeadResults : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumResults() < 2 ||
        llvm::none_of(op.getResults(),
                      [](Value result) { return result.use_empty(); }))
      return failure();
    llvm::SmallBitVector live = findLiveResults(op);
    if (live.all() || live.none())
      return failure();

    unsigned inputs = op.getNumDpsInputs();
    SmallVector<AffineMap> maps(op.getIndexingMapsArray());
    SmallVector<Value> inits;
    SmallVector<Type> types;
    SmallVector<AffineMap> liveMaps(maps.begin(), maps.begin() + inputs);
    for (unsigned i : live.set_bits()) {
      inits.push_back(op.getDpsInits()[i]);
      types.push_back(op.getResult(i).getType());
      liveMaps.push_back(maps[inputs + i]);
    }
    // The operands that stay must still say how far each loop runs.
    AffineMap all = concatAffineMaps(liveMaps, op.getContext());
    if (all.getNumDims() != 0 && !inversePermutation(all))
      return failure();

    linalg::GenericOp smaller = linalg::GenericOp::create(
        rewriter, op.getLoc(), types, op.getDpsInputs(), inits,
        rewriter.getAffineMapArrayAttr(liveMaps), op.getIteratorTypes(),
        op.getDocAttr(), op.getLibraryCallAttr());
    smaller->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), smaller.getRegion(),
                                smaller.getRegion().begin());
    shrinkBody(smaller.getBody(), inputs, live, rewriter);
    unsigned next = 0;
    for (unsigned i : live.set_bits())
      rewriter.replaceAllUsesWith(op.getResult(i), smaller.getResult(next++));
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Drops dead operands of the yield, what they needed, and the arguments.
  static void shrinkBody(Block *body, unsigned inputs,
                         const llvm::SmallBitVector &live,
                         PatternRewriter &rewriter) {
    Operation *yield = body->getTerminator();
    SmallVector<Value> yielded;
    for (unsigned i : live.set_bits())
      yielded.push_back(yield->getOperand(i));
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<linalg::YieldOp>(yield, yielded);
    for (Operation &inBody : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&inBody))
        rewriter.eraseOp(&inBody);
    rewriter.startOpModification(body->getParentOp());
    for (unsigned i = live.size(); i-- > 0;)
      if (!live.test(i))
        body->eraseArgument(inputs + i);
    rewriter.finalizeOpModification(body->getParentOp());
  }
};

/// A result that is yielded as it was is its init, which the body reads as any
/// other operand if others need it.
struct ForwardUnchangedResults : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    Operation *yield = op.getBody()->getTerminator();
    bool changed = false;
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      BlockArgument state = op.getRegionOutputArgs()[i];
      if (yield->getOperand(i) != state ||
          (op.getResult(i).use_empty() && state.hasOneUse()))
        continue;
      rewriter.replaceAllUsesWith(op.getResult(i), op.getDpsInits()[i]);
      if (!state.hasOneUse())
        op = readInit(op, i, rewriter);
      yield = op.getBody()->getTerminator();
      changed = true;
    }
    return success(changed);
  }

private:
  /// Init `number` as an input as well, which the body reads instead.
  static linalg::GenericOp readInit(linalg::GenericOp op, unsigned number,
                                    PatternRewriter &rewriter) {
    unsigned inputs = op.getNumDpsInputs();
    SmallVector<AffineMap> maps(op.getIndexingMapsArray());
    maps.insert(maps.begin() + inputs, maps[inputs + number]);
    SmallVector<Value> operands(op.getDpsInputs());
    operands.push_back(op.getDpsInits()[number]);
    linalg::GenericOp made = linalg::GenericOp::create(
        rewriter, op.getLoc(), op.getResultTypes(), operands, op.getDpsInits(),
        rewriter.getAffineMapArrayAttr(maps), op.getIteratorTypes(),
        op.getDocAttr(), op.getLibraryCallAttr());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(),
                                made.getRegion().begin());
    Block *body = made.getBody();
    BlockArgument state = body->getArgument(inputs + number);
    BlockArgument read =
        body->insertArgument(inputs, state.getType(), state.getLoc());
    rewriter.replaceUsesWithIf(state, read, [&](OpOperand &use) {
      return use.getOwner() != body->getTerminator() ||
             use.getOperandNumber() != number;
    });
    rewriter.replaceOp(op, made.getResults());
    return made;
  }
};

} // namespace

void fuse::populateDropDeadResultsPatterns(RewritePatternSet &patterns) {
  patterns.add<DropDeadResults, ForwardUnchangedResults>(patterns.getContext());
}
