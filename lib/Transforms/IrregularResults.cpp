// Structured operators that no kernel can compute element by element: results
// that do not share their loops (a running sum beside its total), maps that
// leave elements of an init untouched which the body does not read
// (bufferization would not keep these), bodies that no thread can run. They
// become loops of the host, in the order of the source. A parallel loop that no
// result has is a reduction: the last round counts, or all of them do; a
// reduction that all results have is parallel. Results
// of one reduction in different orders are brought into one, and transposed.
#include "fuse-mlir/Transforms/NormalizePatterns.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace mlir::fuse;

/// The loops that `map` has as dimensions of their own.
static llvm::SmallBitVector getOwnLoops(AffineMap map) {
  llvm::SmallBitVector loops(map.getNumDims());
  for (AffineExpr expr : map.getResults())
    if (AffineDimExpr dim = dyn_cast<AffineDimExpr>(expr))
      loops.set(dim.getPosition());
  return loops;
}

/// The loops that all results have, and those that at least one has; of those
/// with more than one round.
static std::pair<llvm::SmallBitVector, llvm::SmallBitVector>
getLoopsOfResults(linalg::GenericOp op) {
  llvm::SmallBitVector all(op.getNumLoops(), true), any(op.getNumLoops());
  for (OpOperand &init : op.getDpsInitsMutable()) {
    llvm::SmallBitVector own = getOwnLoops(op.getMatchingIndexingMap(&init));
    all &= own;
    any |= own;
  }
  for (auto [i, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (range == 1)
      any.reset(i);
  all &= any;
  return {all, any};
}

static bool keepsUnreadElements(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return !op.payloadUsesValueFromOperand(&init) &&
           !init.get().getDefiningOp<tensor::EmptyOp>() &&
           !writesWholeResult(op.getMatchingIndexingMap(&init),
                              op.getShape(&init));
  });
}

/// Whether the body does what no thread can, but nothing that others see.
static bool needsHost(linalg::GenericOp op) {
  return !isBodyComputable(op.getRegion()) &&
         llvm::all_of(*op.getBody(), [](Operation &inner) {
           return isMemoryEffectFree(&inner);
         });
}

/// The elements of the operands at the round `ivs`, and where they are.
static SmallVector<Value>
readElements(OpBuilder &b, linalg::GenericOp op, ValueRange ivs,
             ValueRange inits, SmallVector<SmallVector<Value>> &places) {
  SmallVector<Value> elements;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Value> &place = places.emplace_back();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      place.push_back(affine::AffineApplyOp::create(b, op.getLoc(),
                                                    map.getSubMap({i}), ivs));
    Value source = operand.get();
    if (op.isDpsInit(&operand))
      source = inits[operand.getOperandNumber() - op.getNumDpsInputs()];
    if (isa<RankedTensorType>(source.getType()))
      source = tensor::ExtractOp::create(b, op.getLoc(), source, place);
    elements.push_back(source);
  }
  return elements;
}

/// One round of `op`: the results with its elements put in.
static SmallVector<Value> emitRound(OpBuilder &b, linalg::GenericOp op,
                                    ValueRange ivs, ValueRange inits) {
  SmallVector<SmallVector<Value>> places;
  SmallVector<Value> elements = readElements(b, op, ivs, inits, places);
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments(), elements);
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (linalg::IndexOp number = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(number.getResult(), ivs[number.getDim()]);
    else
      b.clone(inner, mapping);
  }
  SmallVector<Value> results;
  for (auto [i, value] :
       llvm::enumerate(op.getBody()->getTerminator()->getOperands()))
    results.push_back(
        tensor::InsertOp::create(b, op.getLoc(), mapping.lookupOrDefault(value),
                                 inits[i], places[op.getNumDpsInputs() + i]));
  return results;
}

/// Loop `ivs.size()` of `op`, and those in it.
static SmallVector<Value> emitLoops(OpBuilder &b, linalg::GenericOp op,
                                    ArrayRef<Range> ranges,
                                    SmallVector<Value> ivs, ValueRange inits) {
  if (ivs.size() == ranges.size())
    return emitRound(b, op, ivs, inits);
  Location loc = op.getLoc();
  const Range &range = ranges[ivs.size()];
  scf::ForOp loop = scf::ForOp::create(
      b, loc, getValueOrCreateConstantIndexOp(b, loc, range.offset),
      getValueOrCreateConstantIndexOp(b, loc, range.size),
      getValueOrCreateConstantIndexOp(b, loc, range.stride), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getBody());
  ivs.push_back(loop.getInductionVar());
  scf::YieldOp::create(b, loc,
                       emitLoops(b, op, ranges, ivs, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

namespace {
struct LoopsOfHost : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op->getParentOfType<GroupOp>())
      return failure();
    auto [all, any] = getLoopsOfResults(op);
    if (all == any && !keepsUnreadElements(op) && !needsHost(op))
      return failure();
    auto shaped = cast<linalg::LinalgOp>(op.getOperation());
    SmallVector<Range> ranges = shaped.createLoopRanges(rewriter, op.getLoc());
    SmallVector<Value> results =
        emitLoops(rewriter, op, ranges, {}, op.getDpsInits());
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Loops that no result has are reductions, those that all have are parallel,
/// whatever the source calls them.
struct CorrectLoopKinds : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics())
      return failure();
    llvm::SmallBitVector inAll = getLoopsOfResults(op).first;
    SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
    for (auto [i, kind] : llvm::enumerate(kinds)) {
      if (op.getStaticLoopRanges()[i] == 1)
        continue;
      if (inAll.test(i))
        kind = utils::IteratorType::parallel;
      else if (llvm::none_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
                 return op.getMatchingIndexingMap(&init).isFunctionOfDim(i);
               }))
        kind = utils::IteratorType::reduction;
    }
    if (kinds == op.getIteratorTypesArray())
      return failure();
    SmallVector<Attribute> attributes;
    for (utils::IteratorType kind : kinds)
      attributes.push_back(
          linalg::IteratorTypeAttr::get(op.getContext(), kind));
    rewriter.modifyOpInPlace(op, [&] {
      op.setIteratorTypesAttr(rewriter.getArrayAttr(attributes));
    });
    return success();
  }
};

/// Results of one reduction lie in the order of the first; those that did not
/// are transposed afterwards.
struct AlignReducedResults : public OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 ||
        op.getNumDpsInits() < 2 || op->getParentOfType<GroupOp>())
      return failure();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    MutableArrayRef<AffineMap> own =
        MutableArrayRef<AffineMap>(maps).drop_front(op.getNumDpsInputs());
    SmallVector<SmallVector<int64_t>> orders;
    for (AffineMap map : own)
      if (!isPermutationOf(own.front(), map, orders.emplace_back()))
        return failure();
    if (llvm::all_equal(own))
      return failure();
    SmallVector<Value> inits = llvm::to_vector(op.getDpsInits());
    for (auto [init, order] : llvm::zip(inits, orders))
      init = transpose(rewriter, op.getLoc(), init, order);
    llvm::fill(own, own.front());
    auto aligned = linalg::GenericOp::create(
        rewriter, op.getLoc(), ValueRange(inits).getTypes(), op.getInputs(),
        inits, maps, op.getIteratorTypesArray(), /*bodyBuild=*/nullptr,
        op->getDiscardableAttrDictionary().getValue());
    rewriter.inlineRegionBefore(op.getRegion(), aligned.getRegion(),
                                aligned.getRegion().begin());
    SmallVector<Value> results;
    for (auto [result, order] : llvm::zip(aligned.getResults(), orders))
      results.push_back(transpose(rewriter, op.getLoc(), result,
                                  invertPermutationVector(order)));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  /// Whether both have the same loops, `map`'s result `order[i]` that of
  /// `first`'s result `i`.
  static bool isPermutationOf(AffineMap first, AffineMap map,
                              SmallVector<int64_t> &order) {
    if (!first.isProjectedPermutation() || !map.isProjectedPermutation() ||
        first.getNumResults() != map.getNumResults())
      return false;
    for (AffineExpr loop : first.getResults()) {
      std::optional<unsigned> at = map.getResultPosition(loop);
      if (!at)
        return false;
      order.push_back(*at);
    }
    return true;
  }

  static Value transpose(OpBuilder &b, Location loc, Value value,
                         ArrayRef<int64_t> order) {
    if (isIdentityPermutation(order))
      return value;
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, value);
    applyPermutationToVector(sizes, order);
    Value empty = tensor::EmptyOp::create(
        b, loc, sizes, getElementTypeOrSelf(value.getType()));
    return linalg::TransposeOp::create(b, loc, value, empty, order)
        ->getResult(0);
  }
};
} // namespace

void fuse::populateIrregularResultPatterns(RewritePatternSet &patterns) {
  patterns.add<AlignReducedResults, LoopsOfHost, CorrectLoopKinds>(
      patterns.getContext());
}
