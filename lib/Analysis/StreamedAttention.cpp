// Finds m = max(x), e = exp(x - m), l = sum(e) and what makes weights of e by
// walking from the weights up through bodies, views and element-wise operators;
// for other cascades, the passes over the keys that their reductions take.
#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "LaunchChoice.h"
#include "PlaceWalker.h"
#include "SpaceAnalysis.h"

#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class StreamedMatcher {
public:
  explicit StreamedMatcher(const GroupShape &shape)
      : shape(shape), cascade(shape.stages[1]), walker(cascade, shape.sizes) {}

  std::optional<StreamedAttention> run();

private:
  bool matchContractions();
  bool matchReductions();
  bool matchWeights();
  bool matchMask(const PlacedValue &condition);
  bool matchMaskedElements(const PlacedValue &x) const;
  bool matchExponential(const PlacedValue &e);
  bool matchOnePass();
  bool roundsResults() const;
  bool storesWeights() const;
  void planPasses();
  void findStatistics();
  KeyRange findKeys() const;

  const GroupShape &shape;
  const KernelPart &cascade;
  PlaceWalker walker;
  StreamedAttention found;
  /// Conjunctions over a row.
  SmallVector<Operation *> conjunctions;
};
} // namespace

/// Both are products of matrices with sums in f32; the weights are a factor of
/// the second one as they are, or widened.
bool StreamedMatcher::matchContractions() {
  Operation *scores = shape.stages[0].shape.roots.front();
  Operation *sums = shape.stages[2].shape.roots.front();
  for (Operation *op : {scores, sums})
    if (!getElementTypeOrSelf(op->getResult(0)).isF32())
      return false;
  std::optional<ContractionShape> first =
      matchContraction(scores, shape.sizes, /*mayBeVector=*/true);
  std::optional<ContractionShape> second =
      matchContraction(sums, shape.sizes, /*mayBeVector=*/true);
  if (!first || !second || !first->multiply->getResult(0).getType().isF32() ||
      !second->multiply->getResult(0).getType().isF32())
    return false;
  // The result may be written transposed.
  auto op = cast<linalg::LinalgOp>(sums);
  auto isWeights = [&](Value factor) {
    BlockArgument kept = dyn_cast<BlockArgument>(getKeptFactor(factor));
    return kept &&
           op.getMatchingOpOperand(kept)->get() == cascade.outputs.front();
  };
  if (!isWeights(second->left))
    second->transpose();
  if (!isWeights(second->left))
    return false;
  // So may the scores be.
  ArrayRef<AffineExpr> loops =
      shape.stages[0].shape.rootLoops.find(scores)->second;
  auto runAlong = [&](unsigned dim, ArrayRef<unsigned> positions) {
    return llvm::any_of(positions, [&](unsigned loop) {
      return loops[loop].isFunctionOfDim(dim);
    });
  };
  if (runAlong(1, first->rowLoops))
    first->transpose();
  if (runAlong(1, first->batchLoops) || runAlong(1, first->rowLoops) ||
      runAlong(0, first->columnLoops))
    return false;
  // Rows are queries, and columns keys, if these make up the last dimensions.
  auto countRows = [&](const ContractionShape &contraction) {
    return shape.sizes.multiply(contraction.batchExtent, contraction.rowExtent);
  };
  if (countRows(*first) != shape.rowExtent ||
      first->columnExtent != shape.columnExtent ||
      second->depthExtent != shape.columnExtent ||
      countRows(*second) != shape.rowExtent)
    return false;
  // A tile holds whole queries, and whole values.
  if (!isa<AffineConstantExpr>(first->depthExtent) ||
      !isa<AffineConstantExpr>(second->columnExtent))
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

/// One maximum, at most one sum, and conjunctions.
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
  return found.maximum;
}

/// From the weights up to e.
bool StreamedMatcher::matchWeights() {
  const OutputSeed &seed = cascade.shape.outputs.front();
  PlacedValue at = walker.resolve({nullptr, seed.value, seed.index});
  while (Operation *op = walker.getScalarOp(at)) {
    if (isa<math::ExpOp, math::Exp2Op>(op)) {
      found.exponential = at;
      found.exponentiation = op;
      return getElementTypeOrSelf(op->getResult(0)).isF32();
    }
    if (isa<arith::ExtFOp, arith::TruncFOp>(op)) {
      found.casts.insert(found.casts.begin(), op);
      at = walker.getOperand(at, 0);
      continue;
    }
    if (isa<arith::SelectOp>(op)) {
      if (found.masked || !found.scales.empty() ||
          !matchPattern(walker.getOperand(at, 1).value, m_AnyZeroFloat()) ||
          !matchMask(walker.getOperand(at, 0)))
        return false;
      at = walker.getOperand(at, 2);
      continue;
    }
    bool isProduct = isa<arith::MulFOp>(op);
    if ((!isProduct && !isa<arith::DivFOp>(op)) ||
        !getElementTypeOrSelf(op->getResult(0)).isF32())
      return false;
    unsigned factor = walker.isRowValue(walker.getOperand(at, 1)) ? 1 : 0;
    if (factor == 0 &&
        !(isProduct && walker.isRowValue(walker.getOperand(at, 0))))
      return false;
    found.scales.insert(found.scales.begin(),
                        {op, walker.getOperand(at, factor)});
    at = walker.getOperand(at, 1 - factor);
  }
  return false;
}

/// The condition is the conjunction, over the row, of `x == -inf`, found by the
/// shape of it; that x is the one of the maximum is checked with e.
bool StreamedMatcher::matchMask(const PlacedValue &condition) {
  for (Operation *root : conjunctions)
    if (walker.isResultOf(condition, root) && startsWith(root, m_One()))
      found.masked = root;
  // A maximum that ignores NaN is -inf for rows that are not all -inf.
  auto maximum = cast<linalg::LinalgOp>(found.maximum);
  return found.masked && startsWith(found.maximum, m_NegInfFloat()) &&
         isa<arith::MaximumFOp>(matchReduction(maximum)->front().op);
}

/// What the conjunction is over: whether this x is -inf.
bool StreamedMatcher::matchMaskedElements(const PlacedValue &x) const {
  std::optional<PlacedValue> isMasked = walker.getElement(found.masked);
  if (!isMasked || conjunctions.size() != 1)
    return false;
  PlacedValue compared = walker.resolve(*isMasked);
  auto compare = dyn_cast_or_null<arith::CmpFOp>(walker.getScalarOp(compared));
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ ||
      !matchPattern(walker.getOperand(compared, 1).value, m_NegInfFloat()))
    return false;
  PlacedValue other = walker.getOperand(compared, 0);
  while (isa_and_nonnull<arith::ExtFOp>(walker.getScalarOp(other)))
    other = walker.getOperand(other, 0);
  return walker.isSame(other, x);
}

/// e = exp(x - m), where m is the maximum of x, and l the sum of e.
bool StreamedMatcher::matchExponential(const PlacedValue &e) {
  PlacedValue difference = walker.getOperand(e, 0);
  auto subtract =
      dyn_cast_or_null<arith::SubFOp>(walker.getScalarOp(difference));
  if (!subtract ||
      !walker.isResultOf(walker.getOperand(difference, 1), found.maximum))
    return false;
  PlacedValue x = walker.getOperand(difference, 0);
  std::optional<PlacedValue> most = walker.getElement(found.maximum);
  if (!most || !walker.isSame(x, *most))
    return false;
  if (found.sum) {
    std::optional<PlacedValue> summand = walker.getElement(found.sum);
    if (!summand || !walker.isSame(e, *summand))
      return false;
  }
  found.exponential = e;
  found.exponent = difference;
  found.exponentiation = walker.getScalarOp(e);
  return true;
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

/// Whether weights, or other values of each place, are results of the kernel.
bool StreamedMatcher::storesWeights() const {
  return llvm::any_of(
      llvm::zip(cascade.outputs, cascade.shape.outputs), [&](auto both) {
        auto &[output, seed] = both;
        return seed.isFull() && llvm::is_contained(shape.stored, output);
      });
}

/// m, l and y grow together: weights are e, scaled by values of the row.
bool StreamedMatcher::matchOnePass() {
  if (storesWeights() || !matchReductions() || !matchWeights() ||
      !matchExponential(found.exponential) || !roundsResults())
    return false;
  return found.masked ? matchMaskedElements(*walker.getElement(found.maximum))
                      : conjunctions.empty();
}

/// A maximum m in f32 and a sum of exp(x - m), which grow together.
void StreamedMatcher::findStatistics() {
  auto getKind = [](Operation *root) -> Operation * {
    auto parts = matchReduction(cast<linalg::LinalgOp>(root));
    if (!parts || parts->size() != 1 || root->getNumResults() != 1 ||
        parts->front().kind != ReductionPart::Update || parts->front().guard ||
        parts->front().subtracts ||
        !getElementTypeOrSelf(root->getResult(0)).isF32())
      return nullptr;
    return parts->front().op;
  };
  for (Operation *sum : cascade.shape.roots) {
    if (!isa_and_nonnull<arith::AddFOp>(getKind(sum)))
      continue;
    std::optional<PlacedValue> element = walker.getElement(sum);
    if (!element)
      continue;
    PlacedValue e = walker.resolve(*element);
    if (!isa_and_nonnull<math::ExpOp, math::Exp2Op>(walker.getScalarOp(e)))
      continue;
    for (Operation *maximum : cascade.shape.roots) {
      if (!isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(
              getKind(maximum)))
        continue;
      found.maximum = maximum;
      found.sum = sum;
      if (matchExponential(e))
        return;
    }
  }
  found.maximum = found.sum = nullptr;
}

/// Each reduction in the first pass that knows what it needs.
void StreamedMatcher::planPasses() {
  findStatistics();
  llvm::DenseMap<Operation *, unsigned> depth;
  for (Operation *op : cascade.ops) {
    unsigned before = 0;
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        before = std::max(before, depth.lookup(producer));
    bool isRoot = llvm::is_contained(cascade.shape.roots, op);
    bool isOnline = op == found.maximum || op == found.sum;
    if (op == found.sum)
      before = depth.lookup(found.maximum) - 1;
    depth[op] = before + isRoot;
    if (!isRoot)
      continue;
    if (found.passes.size() <= before)
      found.passes.resize(before + 1);
    if (op == found.maximum)
      found.onlinePass = before;
    if (!isOnline)
      found.passes[before].push_back(op);
  }
}

/// Keys that add to a reduction or to the values.
KeyRange StreamedMatcher::findKeys() const {
  const OutputSeed &seed = cascade.shape.outputs.front();
  KeyRange keys =
      findNonzero(walker, {nullptr, seed.value, seed.index}, shape.queryExtent);
  // All are stored.
  if (storesWeights())
    return {};
  for (Operation *root : cascade.shape.roots) {
    if (root == found.masked)
      continue;
    auto parts = matchReduction(cast<linalg::LinalgOp>(root));
    std::optional<PlacedValue> element = walker.getElement(root);
    if (!element || parts->front().kind != ReductionPart::Update)
      return {};
    Operation *op = parts->front().op;
    KeyRange own;
    if (isa<arith::AddFOp>(op))
      own = findNonzero(walker, *element, shape.queryExtent);
    else if (isa<arith::MaximumFOp, arith::MaxNumFOp>(op))
      own = findFinite(walker, *element, shape.queryExtent);
    keys = KeyRange::unite(keys, own);
  }
  return keys;
}

std::optional<StreamedAttention> StreamedMatcher::run() {
  if (!matchContractions())
    return std::nullopt;
  StreamedAttention contractions = found;
  if (!matchOnePass()) {
    found = std::move(contractions);
    planPasses();
  }
  found.keys = findKeys();
  return found;
}

std::optional<StreamedAttention> fuse::matchStreamed(const GroupShape &shape) {
  return StreamedMatcher(shape).run();
}

/// Counts what `roots` are made of, up to the scores and other reductions.
static void countPass(const KernelPart &cascade, ArrayRef<Operation *> roots,
                      llvm::DenseMap<Operation *, int64_t> &counts) {
  llvm::SmallPtrSet<Operation *, 16> members(cascade.ops.begin(),
                                             cascade.ops.end()),
      seen;
  SmallVector<Operation *> work(roots);
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    if (!members.contains(op) || !seen.insert(op).second)
      continue;
    ++counts[op];
    forEachSource(op, [&](Value source) {
      Operation *def = source.getDefiningOp();
      if (def && !llvm::is_contained(cascade.shape.roots, def))
        work.push_back(def);
    });
  }
}

llvm::DenseMap<Operation *, int64_t>
StreamedAttention::countEvaluations(const GroupShape &shape) const {
  const KernelPart &cascade = shape.stages[1];
  llvm::DenseMap<Operation *, int64_t> counts;
  SmallVector<Operation *> online;
  for (Operation *op : {maximum, sum})
    if (op)
      online.push_back(op);
  for (auto [number, reductions] : llvm::enumerate(passes)) {
    SmallVector<Operation *> roots(reductions);
    if (number == onlinePass)
      roots.append(std::exchange(online, {}));
    countPass(cascade, roots, counts);
  }
  SmallVector<Operation *> roots = std::move(online);
  for (auto [output, seed] : llvm::zip(cascade.outputs, cascade.shape.outputs))
    if (Operation *def = output.getDefiningOp();
        def && (output == cascade.outputs.front() ||
                (seed.isFull() && llvm::is_contained(shape.stored, output))))
      roots.push_back(def);
  countPass(cascade, roots, counts);
  return counts;
}

bool StreamedAttention::mayApproximate() const {
  return llvm::any_of(casts, [](Operation *cast) {
    Type type = getElementTypeOrSelf(cast->getResult(0));
    return isa<arith::TruncFOp>(cast) && (type.isF16() || type.isBF16());
  });
}

int64_t StreamedAttention::getFirstStep(const GroupShape &shape,
                                        const TileShape &tile,
                                        int64_t number) const {
  if (!keys.first)
    return 0;
  int64_t steps = llvm::divideCeil(shape.columns, tile.columns);
  return std::clamp<int64_t>(
      llvm::divideFloorSigned(number * tile.rows + *keys.first, tile.columns),
      0, steps - 1);
}

int64_t StreamedAttention::countSteps(const GroupShape &shape,
                                      const TileShape &tile,
                                      int64_t number) const {
  int64_t first = getFirstStep(shape, tile, number);
  int64_t end = llvm::divideCeil(shape.columns, tile.columns);
  if (keys.last)
    end = std::min(
        end, llvm::divideFloorSigned((number + 1) * tile.rows - 1 + *keys.last,
                                     tile.columns) +
                 1);
  return std::max<int64_t>(end - first, 1);
}

int64_t StreamedAttention::countSharedWords(TileUnit unit) const {
  bool onMatrixUnits = unit == TileUnit::Mma;
  int64_t team = onMatrixUnits ? 4 : 8;
  int64_t width = llvm::alignTo(sums.columns, onMatrixUnits ? 16 : 32);
  return isOnline() ? 2 * team + width : width;
}

int64_t StreamedAttention::countAllSteps(const GroupShape &shape,
                                         const TileShape &tile) const {
  int64_t all = 0;
  for (int64_t number = 0, end = llvm::divideCeil(shape.queries, tile.rows);
       number < end; ++number)
    all += countSteps(shape, tile, number);
  return all;
}

ResultLayout StreamedAttention::getResults(const GroupShape &shape,
                                           TileUnit unit) const {
  const KernelPart &cascade = shape.stages[1], &last = shape.stages[2];
  // What is known of a row is known to the lanes that have its sums.
  bool needsRows =
      llvm::any_of(last.shape.accesses, [&](const LeafAccess &access) {
        return llvm::is_contained(cascade.ops, access.value.getDefiningOp());
      });
  if (unit != TileUnit::Mma || needsRows || sums.columns < 16 ||
      !llvm::isPowerOf2_64(sums.columns))
    return ResultLayout();
  return chooseResultLayout(last.shape, shape.queryExtent);
}
