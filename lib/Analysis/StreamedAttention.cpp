// Finds m = max(x), e = exp(x - m), l = sum(e) and what makes weights of e by
// walking from the weights up through bodies, views and element-wise operators.
#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class StreamedMatcher {
public:
  explicit StreamedMatcher(const GroupShape &shape)
      : shape(shape), cascade(shape.stages[1]),
        members(cascade.ops.begin(), cascade.ops.end()) {
    ranges.dims = {IndexRange::ofSize(shape.rows),
                   IndexRange::ofSize(shape.columns)};
  }

  std::optional<StreamedAttention> run();

private:
  // Values at places.
  PlacedValue resolve(PlacedValue at) const;
  PlacedValue getOperand(const PlacedValue &at, unsigned number) const;
  Operation *getScalarOp(const PlacedValue &at) const;
  bool isSame(PlacedValue a, PlacedValue b, unsigned depth = 0) const;
  bool isRowValue(PlacedValue at, unsigned depth = 0) const;
  bool isResultOf(PlacedValue at, Operation *root) const;

  // Parts.
  bool matchContractions();
  bool matchReductions();
  bool matchWeights();
  bool matchExponential();
  bool matchMask(const PlacedValue &condition);
  bool roundsResults() const;
  std::optional<PlacedValue> getElement(Operation *root) const;

  // Causal masks.
  AffineExpr getInteger(PlacedValue at, unsigned depth = 0) const;
  std::optional<int64_t> matchLater(PlacedValue condition, bool holds,
                                    unsigned depth = 0) const;
  std::optional<int64_t> matchChoice(PlacedValue at, bool isAdded) const;
  std::optional<int64_t> matchCausal(PlacedValue x) const;

  const GroupShape &shape;
  const KernelPart &cascade;
  llvm::SmallPtrSet<Operation *, 16> members;
  IndexRanges ranges;
  StreamedAttention found;
  /// Conjunctions over a row.
  SmallVector<Operation *> conjunctions;
};
} // namespace

//===----------------------------------------------------------------------===//
// Values at places
//===----------------------------------------------------------------------===//

/// Where the value comes from: through arguments of bodies, results of
/// element-wise linalg operators, and views.
PlacedValue StreamedMatcher::resolve(PlacedValue at) const {
  while (true) {
    if (at.op) {
      BlockArgument argument = dyn_cast<BlockArgument>(at.value);
      auto op = cast<linalg::LinalgOp>(at.op);
      if (!argument || argument.getOwner() != op.getBlock())
        return at;
      OpOperand *operand = op.getMatchingOpOperand(argument);
      SmallVector<AffineExpr> index;
      for (AffineExpr expr : op.getMatchingIndexingMap(operand).getResults())
        index.push_back(simplifyIndex(expr.replaceDims(at.index), ranges));
      at = {nullptr, operand->get(), index};
      continue;
    }
    Operation *def = at.value.getDefiningOp();
    if (!def || !members.contains(def) || isRootOp(def))
      return at;
    if (auto op = dyn_cast<linalg::LinalgOp>(def)) {
      unsigned number = cast<OpResult>(at.value).getResultNumber();
      at = {def, op.getBlock()->getTerminator()->getOperand(number),
            getLoopsOfResult(def, number, at.index)};
      continue;
    }
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(
            def))
      return at;
    PlacedValue source;
    LogicalResult followed = forEachOperandElement(
        def, 0, at.index, ranges, cascade.shape.sizes,
        [](Operation *, unsigned, AffineExpr) { return AffineExpr(); },
        [&](Value operand, ArrayRef<AffineExpr> index) {
          source = {nullptr, operand, llvm::to_vector(index)};
          return success();
        });
    if (failed(followed) || !source.value)
      return at;
    at = std::move(source);
  }
}

/// The operator that computes a resolved value; null if it is read from
/// memory, a result of a reduction, or moved by something else than a view.
Operation *StreamedMatcher::getScalarOp(const PlacedValue &at) const {
  Operation *def = at.value.getDefiningOp();
  if (!def || def->getNumRegions() > 0 || def->getNumResults() != 1)
    return nullptr;
  bool inBody = at.op && def->getParentOp() == at.op;
  if (inBody || def->hasTrait<OpTrait::ConstantLike>())
    return def;
  return members.contains(def) && OpTrait::hasElementwiseMappableTraits(def)
             ? def
             : nullptr;
}

PlacedValue StreamedMatcher::getOperand(const PlacedValue &at,
                                        unsigned number) const {
  return resolve(
      {at.op, at.value.getDefiningOp()->getOperand(number), at.index});
}

/// Whether both are the same scalar at every place.
bool StreamedMatcher::isSame(PlacedValue a, PlacedValue b,
                             unsigned depth) const {
  constexpr unsigned kDeepest = 32;
  a = resolve(std::move(a));
  b = resolve(std::move(b));
  if (a.op == b.op && a.value == b.value && a.index == b.index)
    return true;
  Operation *first = getScalarOp(a), *second = getScalarOp(b);
  if (!first || !second || depth > kDeepest ||
      first->getName() != second->getName() ||
      first->getAttrDictionary() != second->getAttrDictionary() ||
      first->getNumOperands() != second->getNumOperands() ||
      !isMemoryEffectFree(first))
    return false;
  if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(first))
    return a.index[index.getDim()] ==
           b.index[cast<linalg::IndexOp>(second).getDim()];
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (!isSame({a.op, first->getOperand(i), a.index},
                {b.op, second->getOperand(i), b.index}, depth + 1))
      return false;
  return true;
}

/// Whether the value is the same for all keys.
bool StreamedMatcher::isRowValue(PlacedValue at, unsigned depth) const {
  constexpr unsigned kDeepest = 32;
  at = resolve(std::move(at));
  Operation *op = getScalarOp(at);
  if (!op)
    return !at.op && llvm::none_of(at.index, [](AffineExpr expr) {
      return expr.isFunctionOfDim(1);
    });
  if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(op))
    return !at.index[index.getDim()].isFunctionOfDim(1);
  if (depth > kDeepest || !isMemoryEffectFree(op))
    return false;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!isRowValue({at.op, op->getOperand(i), at.index}, depth + 1))
      return false;
  return true;
}

bool StreamedMatcher::isResultOf(PlacedValue at, Operation *root) const {
  at = resolve(std::move(at));
  return root && !at.op && at.value.getDefiningOp() == root;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Both are products of matrices of several rows, with sums in f32; the weights
/// are the left factor of the second one as they are, or widened.
bool StreamedMatcher::matchContractions() {
  Operation *scores = shape.stages[0].shape.roots.front();
  Operation *sums = shape.stages[2].shape.roots.front();
  for (Operation *op : {scores, sums})
    if (!getElementTypeOrSelf(op->getResult(0)).isF32())
      return false;
  std::optional<ContractionShape> first = 
      matchContraction(scores, shape.sizes);
  std::optional<ContractionShape> second = matchContraction(sums, shape.sizes);
  if (!first || !second || !first->multiply->getResult(0).getType().isF32() ||
      !second->multiply->getResult(0).getType().isF32())
    return false;
  // Rows are queries, and columns keys, if these make up the last dimensions.
  if (first->rows * first->batches != shape.rows ||
      first->columns != shape.columns || second->depth != shape.columns ||
      second->rows * second->batches != shape.rows)
    return false;
  BlockArgument weights = dyn_cast<BlockArgument>(getKeptFactor(second->left));
  auto op = cast<linalg::LinalgOp>(sums);
  if (!weights ||
      op.getMatchingOpOperand(weights)->get() != cascade.outputs.front())
    return false;
  found.scores = std::move(*first);
  found.sums = std::move(*second);
  return true;
}

/// Whether all elements of the initial value of `root` are `matches`.
template <typename Matcher>
static bool startsWith(Operation *root, Matcher matches) {
  auto op = cast<linalg::LinalgOp>(root);
  Value init = op.getDpsInitOperand(0)->get();
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    init = fill.value();
  return matchPattern(init, matches);
}

/// One maximum that starts at -inf, at most one sum, and conjunctions.
bool StreamedMatcher::matchReductions() {
  for (Operation *root : cascade.shape.roots) {
    auto parts = matchReduction(cast<linalg::LinalgOp>(root));
    if (!parts || parts->size() != 1 || root->getNumResults() != 1)
      return false;
    const ReductionPart &part = parts->front();
    if (part.kind != ReductionPart::Update || part.guard || part.subtracts)
      return false;
    if (isa<arith::AndIOp>(part.op)) {
      conjunctions.push_back(root);
      continue;
    }
    bool isMaximum = isa<arith::MaximumFOp, arith::MaxNumFOp>(part.op);
    if (!isMaximum && !isa<arith::AddFOp>(part.op))
      return false;
    Operation *&known = isMaximum ? found.maximum : found.sum;
    if (known || !getElementTypeOrSelf(root->getResult(0)).isF32())
      return false;
    known = root;
  }
  return found.maximum && startsWith(found.maximum, m_NegInfFloat());
}

/// What a reduction combines, at a place.
std::optional<PlacedValue> StreamedMatcher::getElement(Operation *root) const {
  auto loops = cascade.shape.rootLoops.find(root);
  if (loops == cascade.shape.rootLoops.end() ||
      llvm::is_contained(loops->second, AffineExpr()))
    return std::nullopt;
  auto parts = matchReduction(cast<linalg::LinalgOp>(root));
  return PlacedValue{root, parts->front().elements.front(), loops->second};
}

/// From the weights up to e.
bool StreamedMatcher::matchWeights() {
  const OutputSeed &seed = cascade.shape.outputs.front();
  PlacedValue at = resolve({nullptr, seed.value, seed.index});
  while (Operation *op = getScalarOp(at)) {
    if (isa<math::ExpOp, math::Exp2Op>(op)) {
      found.exponential = at;
      found.exponentiation = op;
      return getElementTypeOrSelf(op->getResult(0)).isF32();
    }
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      found.casts.insert(found.casts.begin(), op);
      at = getOperand(at, 0);
      continue;
    }
    if (isa<arith::SelectOp>(op)) {
      if (found.masked || !found.scales.empty() ||
          !matchPattern(getOperand(at, 1).value, m_AnyZeroFloat()) ||
          !matchMask(getOperand(at, 0)))
        return false;
      at = getOperand(at, 2);
      continue;
    }
    bool isProduct = isa<arith::MulFOp>(op);
    if ((!isProduct && !isa<arith::DivFOp>(op)) ||
        !getElementTypeOrSelf(op->getResult(0)).isF32())
      return false;
    unsigned factor = isRowValue(getOperand(at, 1)) ? 1 : 0;
    if (factor == 0 && !(isProduct && isRowValue(getOperand(at, 0))))
      return false;
    found.scales.insert(found.scales.begin(), {op, getOperand(at, factor)});
    at = getOperand(at, 1 - factor);
  }
  return false;
}

/// The condition is the conjunction, over the row, of `x == -inf`, found by the
/// shape of it; that x is the one of the maximum is checked with e.
bool StreamedMatcher::matchMask(const PlacedValue &condition) {
  for (Operation *root : conjunctions)
    if (isResultOf(condition, root) && startsWith(root, m_One()))
      found.masked = root;
  // A maximum that ignores NaN is -inf for rows that are not all -inf.
  auto maximum = cast<linalg::LinalgOp>(found.maximum);
  return found.masked &&
         isa<arith::MaximumFOp>(matchReduction(maximum)->front().op);
}

/// e = exp(x - m), where m is the maximum of x, and l the sum of e.
bool StreamedMatcher::matchExponential() {
  PlacedValue difference = getOperand(found.exponential, 0);
  auto subtract = dyn_cast_or_null<arith::SubFOp>(getScalarOp(difference));
  if (!subtract || !isResultOf(getOperand(difference, 1), found.maximum))
    return false;
  PlacedValue x = getOperand(difference, 0);
  std::optional<PlacedValue> most = getElement(found.maximum);
  if (!most || !isSame(x, *most))
    return false;
  if (found.sum) {
    std::optional<PlacedValue> summand = getElement(found.sum);
    if (!summand || !isSame(found.exponential, *summand))
      return false;
  }
  found.causalShift = matchCausal(x);
  if (!found.masked)
    return conjunctions.empty();
  std::optional<PlacedValue> isMasked = getElement(found.masked);
  if (!isMasked || conjunctions.size() != 1)
    return false;
  PlacedValue compared = resolve(*isMasked);
  auto compare = dyn_cast_or_null<arith::CmpFOp>(getScalarOp(compared));
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      !matchPattern(getOperand(compared, 1).value, m_NegInfFloat()))
    return false;
  PlacedValue other = getOperand(compared, 0);
  while (isa_and_nonnull<arith::ExtFOp>(getScalarOp(other)))
    other = getOperand(other, 0);
  return isSame(other, x);
}

//===----------------------------------------------------------------------===//
// Causal masks
//===----------------------------------------------------------------------===//

/// An integer that follows from the place alone, in (d0, d1); else null. Indices
/// are small: casts do not change them.
AffineExpr StreamedMatcher::getInteger(PlacedValue at, unsigned depth) const {
  constexpr unsigned kDeepest = 16;
  at = resolve(std::move(at));
  Operation *op = getScalarOp(at);
  APInt number;
  if (op && matchPattern(op, m_ConstantInt(&number)))
    return getAffineConstantExpr(number.getSExtValue(), op->getContext());
  if (!op || depth > kDeepest)
    return {};
  if (linalg::IndexOp index = dyn_cast<linalg::IndexOp>(op))
    return at.index[index.getDim()];
  auto operand = [&](unsigned i) {
    return getInteger({at.op, op->getOperand(i), at.index}, depth + 1);
  };
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return operand(0);
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return {};
  AffineExpr a = operand(0), b = operand(1);
  if (!a || !b)
    return {};
  return simplifyIndex(isa<arith::AddIOp>(op) ? a + b : a - b, ranges);
}

/// The s for which the condition holds (or does not) exactly where the key is
/// larger than the query plus s.
std::optional<int64_t> StreamedMatcher::matchLater(PlacedValue condition,
                                                   bool holds,
                                                   unsigned depth) const {
  constexpr unsigned kDeepest = 16;
  condition = resolve(std::move(condition));
  Operation *op = getScalarOp(condition);
  if (!op || depth > kDeepest)
    return std::nullopt;
  auto operand = [&](unsigned i) { return getOperand(condition, i); };
  auto isBit = [&](unsigned i, bool bit) {
    return bit ? matchPattern(operand(i).value, m_One())
               : matchPattern(operand(i).value, m_Zero());
  };
  if (isa<arith::XOrIOp>(op) && isBit(1, true))
    return matchLater(operand(0), !holds, depth + 1);
  if (isa<arith::SelectOp>(op) && isBit(1, true) && isBit(2, false))
    return matchLater(operand(0), holds, depth + 1);
  if (isa<arith::SelectOp>(op) && isBit(1, false) && isBit(2, true))
    return matchLater(operand(0), !holds, depth + 1);
  for (unsigned i : {0u, 1u})
    if ((isa<arith::AndIOp>(op) && isBit(i, true)) ||
        (isa<arith::OrIOp>(op) && isBit(i, false)))
      return matchLater(operand(1 - i), holds, depth + 1);
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return std::nullopt;
  AffineExpr a = getInteger(operand(0)), b = getInteger(operand(1));
  if (!a || !b)
    return std::nullopt;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!holds)
    predicate = arith::invertPredicate(predicate);
  // a > b, or a >= b.
  using P = arith::CmpIPredicate;
  if (predicate == P::slt || predicate == P::sle)
    std::swap(a, b);
  else if (predicate != P::sgt && predicate != P::sge)
    return std::nullopt;
  bool isStrict = predicate == P::sgt || predicate == P::slt;
  MLIRContext *context = op->getContext();
  AffineExpr distance =
      getAffineDimExpr(1, context) - getAffineDimExpr(0, context) % shape.queries;
  auto shift = dyn_cast<AffineConstantExpr>(
      simplifyIndex(distance - (a - b), ranges));
  if (!shift)
    return std::nullopt;
  return shift.getValue() - (isStrict ? 0 : 1);
}

/// A choice between -inf and something else, or zero if it `isAdded`.
std::optional<int64_t> StreamedMatcher::matchChoice(PlacedValue at,
                                                    bool isAdded) const {
  at = resolve(std::move(at));
  if (!isa_and_nonnull<arith::SelectOp>(getScalarOp(at)))
    return std::nullopt;
  for (unsigned i : {1u, 2u})
    if (matchPattern(getOperand(at, i).value, m_NegInfFloat()) &&
        (!isAdded || matchPattern(getOperand(at, 3 - i).value,
                                  m_AnyZeroFloat())))
      return matchLater(getOperand(at, 0), /*holds=*/i == 1);
  return std::nullopt;
}

std::optional<int64_t> StreamedMatcher::matchCausal(PlacedValue x) const {
  x = resolve(std::move(x));
  if (std::optional<int64_t> shift = matchChoice(x, /*isAdded=*/false))
    return shift;
  if (!isa_and_nonnull<arith::AddFOp>(getScalarOp(x)))
    return std::nullopt;
  for (unsigned i : {0u, 1u})
    if (std::optional<int64_t> shift =
            matchChoice(getOperand(x, i), /*isAdded=*/true))
      return shift;
  return std::nullopt;
}

/// Weights that are rounded after they are scaled are rounded before that
/// instead, which may show in results of a wider type.
bool StreamedMatcher::roundsResults() const {
  bool rounds = llvm::any_of(found.casts, llvm::IsaPred<arith::TruncFOp>);
  Type weight = getElementTypeOrSelf(cascade.outputs.front());
  return !rounds || found.scales.empty() ||
         llvm::all_of(shape.stages[2].outputs, [&](Value output) {
           Type type = getElementTypeOrSelf(output);
           return isa<FloatType>(type) && type.getIntOrFloatBitWidth() <=
                                              weight.getIntOrFloatBitWidth();
         });
}

std::optional<StreamedAttention> StreamedMatcher::run() {
  if (!shape.sizes.isStatic() || !matchContractions() || !matchReductions() ||
      !matchWeights() || !matchExponential() || !roundsResults())
    return std::nullopt;
  return found;
}

std::optional<StreamedAttention>
fuse::matchStreamed(const GroupShape &shape) {
  return StreamedMatcher(shape).run();
}

int64_t StreamedAttention::countSteps(const GroupShape &shape,
                                      const TileShape &tile,
                                      int64_t number) const {
  int64_t steps = llvm::divideCeil(shape.columns, tile.columns);
  if (!causalShift)
    return steps;
  int64_t last = (number + 1) * tile.rows - 1 + *causalShift;
  return std::clamp<int64_t>(last < 0 ? 0 : last / tile.columns + 1, 1, steps);
}

int64_t StreamedAttention::countAllSteps(const GroupShape &shape,
                                         const TileShape &tile) const {
  int64_t all = 0;
  for (int64_t number = 0, end = llvm::divideCeil(shape.queries, tile.rows);
       number < end; ++number)
    all += countSteps(shape, tile, number);
  return all;
}
