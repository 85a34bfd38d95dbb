// Attention by its structure: a contraction makes scores, a cascade of row
// reductions and element-wise operators turns them into weights, a second
// contraction sums up values by them. A kernel that keeps the scores on chip
// passes over the keys once per tile of queries, whatever the form of the
// cascade, as long as each stage is a kernel of its own space.
#include "fuse-mlir/Analysis/Attention.h"

#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isContraction(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalg::isaContractionOpInterface(linalgOp);
}

static bool exponentiates(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<math::ExpOp, math::Exp2Op>(inner) ? WalkResult::interrupt()
                                                     : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
class AttentionAnalyzer {
public:
  AttentionAnalyzer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs)
      : ops(ops), outputs(outputs), members(ops.begin(), ops.end()) {}

  FailureOr<GroupShape> run(RuleViolation &why);

private:
  using OpSet = llvm::SmallPtrSet<Operation *, 16>;

  LogicalResult refuse(const Twine &message);
  LogicalResult findRoots();
  LogicalResult findWeights();
  LogicalResult checkScores();
  LogicalResult checkCascade();
  LogicalResult checkValues();
  bool readsWeightsByRow(const OutputSeed &seed) const;
  SmallVector<Operation *> slice(ArrayRef<Value> values,
                                 const OpSet &stops) const;
  FailureOr<GroupShape> analyze(ArrayRef<Operation *> stage,
                                ArrayRef<Value> results);

  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  OpSet members;
  RuleViolation violation;
  /// The contractions that make the scores and that sum up the values.
  Operation *scores = nullptr, *sums = nullptr;
  /// The operand of `sums` that is made of the scores.
  OpOperand *weights = nullptr;
  /// Reductions in between.
  SmallVector<Operation *> cascade;
  GroupShape rows, shape;
};
} // namespace

LogicalResult AttentionAnalyzer::refuse(const Twine &message) {
  violation = {"nested-reduction", message.str()};
  return failure();
}

/// What `values` need of the group, without `stops` and what these need.
SmallVector<Operation *> AttentionAnalyzer::slice(ArrayRef<Value> values,
                                                  const OpSet &stops) const {
  OpSet needed;
  SmallVector<Value> stack(values);
  while (!stack.empty()) {
    Operation *def = stack.pop_back_val().getDefiningOp();
    if (!def || !members.contains(def) || stops.contains(def) ||
        !needed.insert(def).second)
      continue;
    forEachSource(def, [&](Value source) { stack.push_back(source); });
  }
  return llvm::filter_to_vector(
      ops, [&](Operation *op) { return needed.contains(op); });
}

/// One stage as a kernel of one space.
FailureOr<GroupShape> AttentionAnalyzer::analyze(ArrayRef<Operation *> stage,
                                                 ArrayRef<Value> results) {
  if (stage.empty())
    return refuse("a stage of the attention has no operators");
  return analyzeSpace(stage, results, &violation);
}

LogicalResult AttentionAnalyzer::findRoots() {
  for (Operation *op : ops) {
    if (!isRootOp(op))
      continue;
    if (!isContraction(op)) {
      cascade.push_back(op);
      continue;
    }
    if (sums)
      return refuse("more than two contractions depend on each other");
    (scores ? sums : scores) = op;
  }
  if (!sums || cascade.empty() || !llvm::any_of(ops, exponentiates))
    return refuse("no softmax lies between two contractions");
  return success();
}

/// The one input of the second contraction that depends on the first.
LogicalResult AttentionAnalyzer::findWeights() {
  for (OpOperand *operand :
       cast<linalg::LinalgOp>(sums).getDpsInputOperands()) {
    SmallVector<Operation *> needed = slice({operand->get()}, {});
    bool made = llvm::is_contained(needed, scores);
    if (made && weights)
      return refuse("both operands of a contraction depend on the other one");
    if (made)
      weights = operand;
    else if (llvm::any_of(needed, isRootOp))
      return refuse("the values of the attention depend on a reduction");
  }
  if (!weights)
    return refuse("the contractions do not depend on each other");
  return success();
}

LogicalResult AttentionAnalyzer::checkScores() {
  return analyze(slice({scores->getResult(0)}, {}), {scores->getResult(0)});
}

/// Whether the second contraction sums up along the columns of the weights.
bool AttentionAnalyzer::readsWeightsByRow(const OutputSeed &seed) const {
  auto linalgOp = cast<linalg::LinalgOp>(sums);
  AffineMap map = linalgOp.getMatchingIndexingMap(weights);
  int64_t columns = 1;
  for (auto [loop, index] : llvm::zip(map.getResults(), seed.index)) {
    auto dim = dyn_cast<AffineDimExpr>(loop);
    if (!dim)
      return false;
    bool reduced = linalgOp.getIteratorTypesArray()[dim.getPosition()] ==
                   utils::IteratorType::reduction;
    if (index.isFunctionOfDim(reduced ? 0 : 1))
      return false;
    if (reduced)
      columns *= linalgOp.getStaticLoopRanges()[dim.getPosition()];
  }
  return columns == rows.columns;
}

/// From the scores to the weights: one row kernel, in which a row of scores is
/// needed at that row only.
LogicalResult AttentionAnalyzer::checkCascade() {
  SmallVector<Value> results = {weights->get()};
  for (Operation *reduction : cascade)
    for (Value result : reduction->getResults())
      results.push_back(result);
  FailureOr<GroupShape> found = analyze(slice(results, {scores}), results);
  if (failed(found))
    return failure();
  if (found->path != KernelPath::Row && found->path != KernelPath::Column)
    return refuse("no rows lie between the contractions");
  rows = std::move(*found);
  auto type = cast<RankedTensorType>(scores->getResult(0).getType());
  if (type.getNumElements() != rows.rows * rows.columns ||
      !readsWeightsByRow(rows.outputs.front()))
    return refuse("the contractions do not share the rows of a softmax");
  return success();
}

/// The second contraction with its epilogue; to it, weights and results of
/// reductions are given.
LogicalResult AttentionAnalyzer::checkValues() {
  OpSet given(cascade.begin(), cascade.end());
  given.insert(scores);
  if (Operation *def = weights->get().getDefiningOp())
    given.insert(def);
  for (Value output : outputs)
    if (!llvm::is_contained(slice({output}, {}), sums))
      return refuse("a value that attention keeps on chip is used outside");
  SmallVector<Operation *> stage = slice(outputs, given);
  bool readsScores = llvm::any_of(stage, [&](Operation *op) {
    bool found = false;
    if (op != sums)
      forEachSource(op, [&](Value source) {
        Operation *def = source.getDefiningOp();
        found |= def == scores || def == weights->get().getDefiningOp();
      });
    return found;
  });
  if (readsScores)
    return refuse("scores are needed after the values are summed up");
  FailureOr<GroupShape> found = analyze(stage, outputs);
  if (failed(found))
    return failure();
  // Each element of the result has one place, also where a single query makes
  // the contraction a reduction of rows.
  bool isFlat = found->columns == 1 ||
                llvm::all_of(found->outputs, [](const OutputSeed &seed) {
                  return seed.perRow;
                });
  if (!isFlat)
    return refuse("an output of the attention is no element of its result");
  shape.path = KernelPath::General;
  shape.rows = found->rows;
  shape.outputs = std::move(found->outputs);
  for (OutputSeed &seed : shape.outputs)
    seed.perRow = false;
  return success();
}

FailureOr<GroupShape> AttentionAnalyzer::run(RuleViolation &why) {
  if (failed(findRoots()) || failed(findWeights()) || failed(checkScores()) ||
      failed(checkCascade()) || failed(checkValues())) {
    why = violation;
    return failure();
  }
  shape.roots = llvm::filter_to_vector(ops, isRootOp);
  shape.assumed = kAttention.str();
  return shape;
}

FailureOr<GroupShape> fuse::analyzeAttention(ArrayRef<Operation *> ops,
                                             ArrayRef<Value> outputs,
                                             RuleViolation *why) {
  RuleViolation violation;
  FailureOr<GroupShape> shape = AttentionAnalyzer(ops, outputs).run(violation);
  if (failed(shape) && why)
    *why = violation;
  return shape;
}

SmallVector<Operation *> fuse::findAttention(Operation *first) {
  constexpr size_t kMost = 96;
  if (!isContraction(first))
    return {};
  llvm::SmallSetVector<Operation *, 32> found;
  found.insert(first);
  Operation *second = nullptr;
  bool reduces = false, softens = false;
  for (size_t next = 0; next < found.size(); ++next) {
    Operation *op = found[next];
    if (op != first && isContraction(op)) {
      if (second && second != op)
        return {};
      second = op;
      continue;
    }
    reduces |= op != first && isRootOp(op);
    softens |= exponentiates(op);
    for (Operation *user : op->getUsers()) {
      Operation *above = first->getBlock()->findAncestorOpInBlock(*user);
      if (!above || above->hasTrait<OpTrait::IsTerminator>() ||
          found.size() >= kMost)
        return {};
      found.insert(above);
    }
  }
  if (!second || !reduces || !softens)
    return {};
  SmallVector<Operation *> path = found.takeVector();
  llvm::sort(path,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return path;
}
