// Attention by its structure: a contraction makes scores, a cascade of row
// reductions and element-wise operators turns them into weights, a second
// contraction sums up values by them. A kernel that keeps the scores on chip
// passes over the keys once per tile of queries, whatever the form of the
// cascade.
//
// Legal, because a block owns whole rows of scores: a score is made of a query
// and a key by the first contraction alone; the cascade is a row kernel that
// reads a score at its own place only; the weight at that place and the results
// of the cascade's reductions at a row are all that the second contraction and
// what follows it need, at that row only; and each output's element is made of
// one element of the second contraction.
#include "fuse-mlir/Analysis/Attention.h"
#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "LaunchChoice.h"
#include "SharedKeys.h"
#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <queue>
#include <set>

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

/// The number of an element in the space of `rows`; of a single row, its
/// column.
static AffineExpr getRowMajor(const GroupShape &rows) {
  MLIRContext *context = rows.rowExtent.getContext();
  AffineExpr column = getAffineDimExpr(1, context);
  if (rows.rowExtent == getAffineConstantExpr(1, context))
    return column;
  return getAffineDimExpr(0, context) * rows.columnExtent + column;
}

namespace {
class AttentionAnalyzer {
public:
  AttentionAnalyzer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                    AnalysisCache &cache)
      : cache(cache), ops(ops), outputs(outputs),
        members(ops.begin(), ops.end()), sizes(cache.getSizes(ops)) {}

  FailureOr<GroupShape> run(RuleViolation &why);

private:
  using OpSet = llvm::SmallPtrSet<Operation *, 16>;

  LogicalResult refuse(const Twine &message);
  LogicalResult findRoots();
  LogicalResult findResults();
  LogicalResult findWeights();
  LogicalResult checkScores();
  LogicalResult checkCascade();
  LogicalResult findScorePlace();
  bool hasScoresInOrder() const {
    return scorePlace == simplifyIndex(getRowMajor(rows), ranges);
  }
  void findQueryExtent();
  LogicalResult checkValues();
  LogicalResult placeScores(GroupShape &stage);
  void placeProducts(linalg::LinalgOp op, SmallVectorImpl<AffineExpr> &loops);
  void findQueries(Operation *root, const GroupShape &stage);
  LogicalResult placeSums(GroupShape &stage, SmallVector<AffineExpr> &result,
                          AffineExpr &columns);
  void setQueries(AffineExpr queries, AffineExpr heads);
  void shareKeys();
  IndexRanges getPlaces(AffineExpr rows, AffineExpr columns) const;
  AffineExpr getProductSymbol() const {
    return getAffineSymbolExpr(sizes.getNumSymbols(), sums->getContext());
  }
  AffineExpr multiply(ArrayRef<AffineExpr> extents) const;
  LogicalResult checkRows(const GroupShape &stage, ArrayRef<AffineExpr> index,
                          const OpSet &given);
  SmallVector<Operation *> slice(ArrayRef<Value> values,
                                 const OpSet &stops) const;
  FailureOr<GroupShape> analyze(ArrayRef<Operation *> stage,
                                ArrayRef<Value> results);

  AnalysisCache &cache;
  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  /// Those of the last stage.
  SmallVector<Value> results;
  OpSet members;
  const TensorSizes sizes;
  RuleViolation violation;
  /// The contractions that make the scores and that sum up the values.
  Operation *scores = nullptr, *sums = nullptr;
  /// The operand of `sums` that is made of the scores.
  OpOperand *weights = nullptr;
  /// Reductions in between.
  SmallVector<Operation *> cascade;
  /// From scores to weights.
  SmallVector<Operation *> cascadeOps;
  GroupShape rows;
  IndexRanges ranges;
  /// The number of the score at a row and a column.
  AffineExpr scorePlace;
  GroupShape shape;
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
  return analyzeSpace(stage, results, sizes, &violation, cache);
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

/// Outputs of the last stage, and of the cascade.
LogicalResult AttentionAnalyzer::findResults() {
  for (Value output : outputs) {
    if (output.getDefiningOp() == scores)
      return refuse("scores that attention keeps on chip are used outside");
    bool isLast = llvm::is_contained(slice({output}, {}), sums);
    (isLast ? results : shape.stored).push_back(output);
  }
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

/// The first contraction with its prologue; its loops at a row and a column of
/// the scores.
LogicalResult AttentionAnalyzer::checkScores() {
  Value result = scores->getResult(0);
  KernelPart stage;
  stage.ops = slice({result}, {});
  stage.outputs = {result};
  FailureOr<GroupShape> found = analyze(stage.ops, stage.outputs);
  if (failed(found))
    return failure();
  if (failed(placeScores(stage.shape)))
    return failure();
  shape.stages.push_back(std::move(stage));
  return success();
}

AffineExpr AttentionAnalyzer::multiply(ArrayRef<AffineExpr> extents) const {
  AffineExpr product = getAffineConstantExpr(1, sums->getContext());
  for (AffineExpr extent : extents)
    product = sizes.multiply(product, extent);
  return product;
}

IndexRanges AttentionAnalyzer::getPlaces(AffineExpr rows,
                                         AffineExpr columns) const {
  IndexRanges places;
  places.dims = {IndexRange::ofSize(rows), IndexRange::ofSize(columns)};
  places.symbols.assign(sizes.getNumSymbols(), IndexRange::ofSizeSymbol());
  return places;
}

void AttentionAnalyzer::setQueries(AffineExpr queries, AffineExpr heads) {
  shape.queryExtent = queries;
  shape.headExtent = heads;
  shape.queries = sizes.assume(queries);
}

/// Fills in the reduction loops of `op` from the number of the product.
void AttentionAnalyzer::placeProducts(linalg::LinalgOp op,
                                      SmallVectorImpl<AffineExpr> &loops) {
  SmallVector<unsigned> reduced;
  op.getReductionDims(reduced);
  SmallVector<AffineExpr> all = sizes.getLoops(op), extents;
  for (unsigned i : reduced)
    extents.push_back(all[i]);
  IndexRanges products = ranges;
  products.symbols.push_back(IndexRange::ofSize(multiply(extents)));
  SmallVector<AffineExpr> places =
      delinearize(getProductSymbol(), extents, products);
  for (auto [i, place] : llvm::zip(reduced, places))
    loops[i] = place;
}

/// Rows whose factors at keys differ (heads lie between queries and keys) are
/// no queries of one head.
void AttentionAnalyzer::findQueries(Operation *root, const GroupShape &stage) {
  std::optional<ContractionShape> contraction =
      matchContraction(root, sizes, /*mayBeVector=*/true);
  if (!contraction)
    return;
  MLIRContext *context = root->getContext();
  ArrayRef<AffineExpr> loops = stage.rootLoops.find(root)->second;
  IndexRanges places = getPlaces(shape.headExtent, stage.columnExtent);
  places.symbols.push_back(IndexRange::ofSize(shape.queryExtent));
  // The number of the query in place of that of the product.
  AffineExpr query = getProductSymbol();
  AffineExpr row = getAffineDimExpr(0, context) * shape.queryExtent + query;
  auto isOfQuery = [&](unsigned loop) {
    AffineExpr place = loops[loop].replace(getAffineDimExpr(0, context), row);
    return simplifyIndex(place, places)
        .isFunctionOfSymbol(sizes.getNumSymbols());
  };
  if (llvm::any_of(contraction->batchLoops, isOfQuery))
    setQueries(getAffineConstantExpr(1, context), rows.rowExtent);
}

LogicalResult AttentionAnalyzer::placeScores(GroupShape &stage) {
  auto linalgOp = cast<linalg::LinalgOp>(scores);
  SmallVector<AffineExpr> index =
      delinearize(scorePlace, sizes.getShape(scores->getResult(0)), ranges);
  SmallVector<AffineExpr> loops = getLoopsOfResult(scores, 0, index);
  placeProducts(linalgOp, loops);
  stage.path = KernelPath::Row;
  stage.rows = rows.rows;
  stage.columns = rows.columns;
  stage.rowExtent = rows.rowExtent;
  stage.columnExtent = rows.columnExtent;
  stage.roots = {scores};
  stage.rootLoops[scores] = loops;
  stage.outputs = {{scores->getResult(0), index}};
  findQueries(scores, stage);
  return success();
}

/// From the scores to the weights: one row kernel, in which a score is needed
/// at its own place only.
LogicalResult AttentionAnalyzer::checkCascade() {
  SmallVector<Value> results = {weights->get()};
  for (Operation *reduction : cascade)
    for (Value result : reduction->getResults())
      if (result != weights->get())
        results.push_back(result);
  for (Value stored : shape.stored)
    if (!llvm::is_contained(results, stored))
      results.push_back(stored);
  cascadeOps = slice(results, {scores});
  FailureOr<GroupShape> found =
      analyzeRows(cascadeOps, results, sizes, &violation, cache);
  if (failed(found))
    return failure();
  rows = std::move(*found);
  ranges = getPlaces(rows.rowExtent, rows.columnExtent);
  ranges.memo = &cache.simplified;
  if (failed(findScorePlace()))
    return failure();
  findQueryExtent();
  return success();
}

/// Where the cascade needs a score. Its own place, if that is one for each of
/// them.
LogicalResult AttentionAnalyzer::findScorePlace() {
  AffineExpr elements = sizes.getElements(scores->getResult(0));
  for (const LeafAccess &access : rows.accesses) {
    if (access.value != scores->getResult(0))
      continue;
    if (scorePlace && access.linear != scorePlace)
      return refuse("a score is needed at a place that is not its own");
    scorePlace = access.linear;
  }
  if (!scorePlace ||
      elements != sizes.multiply(rows.rowExtent, rows.columnExtent) ||
      !(hasScoresInOrder() || isBijective(scorePlace, elements, ranges)))
    return refuse("the contractions do not share the rows of a softmax");
  return success();
}

/// Queries of a head: the dimension before the keys, of the scores where they
/// lie in the order of the rows, otherwise of what numbers the rows.
void AttentionAnalyzer::findQueryExtent() {
  SmallVector<AffineExpr> extents;
  if (hasScoresInOrder()) {
    extents = sizes.getShape(scores->getResult(0));
    AffineExpr keys = getAffineConstantExpr(1, scores->getContext());
    while (!extents.empty() && keys != rows.columnExtent)
      keys = sizes.multiply(keys, extents.pop_back_val());
    if (keys != rows.columnExtent)
      extents.clear();
  } else {
    extents = sizes.getShape(rows.roots.back()->getResult(0));
  }
  if (extents.empty())
    return setQueries(getAffineConstantExpr(1, scores->getContext()),
                      rows.rowExtent);
  setQueries(extents.back(), multiply(ArrayRef(extents).drop_back()));
}

/// The loops of the second contraction at a row and a column of its result,
/// and the index of that element.
LogicalResult AttentionAnalyzer::placeSums(GroupShape &stage,
                                           SmallVector<AffineExpr> &result,
                                           AffineExpr &columns) {
  auto linalgOp = cast<linalg::LinalgOp>(sums);
  MLIRContext *context = sums->getContext();
  SmallVector<AffineExpr> loops(linalgOp.getNumLoops());
  SmallVector<AffineExpr> extents = sizes.getLoops(linalgOp);
  AffineMap map = linalgOp.getMatchingIndexingMap(weights);
  SmallVector<utils::IteratorType> kinds = linalgOp.getIteratorTypesArray();
  SmallVector<AffineExpr> products;
  for (auto [loop, index] :
       llvm::zip(map.getResults(), rows.outputs.front().index)) {
    auto dim = dyn_cast<AffineDimExpr>(loop);
    if (!dim)
      return refuse("weights are read at several places at once");
    bool reduced = kinds[dim.getPosition()] == utils::IteratorType::reduction;
    if (index.isFunctionOfDim(reduced ? 0 : 1))
      return refuse("the contractions do not share the rows of a softmax");
    // Along a row, the number of the column is that of the product.
    loops[dim.getPosition()] =
        reduced
            ? index.replace(getAffineDimExpr(1, context), getProductSymbol())
            : index;
    if (reduced)
      products.push_back(extents[dim.getPosition()]);
  }
  if (multiply(products) != rows.columnExtent)
    return refuse("the contractions do not share the rows of a softmax");
  SmallVector<AffineExpr> own;
  SmallVector<unsigned> positions;
  for (unsigned i = 0; i < loops.size(); ++i) {
    if (loops[i])
      continue;
    if (kinds[i] == utils::IteratorType::reduction)
      return refuse("values are summed up over more than the keys");
    own.push_back(extents[i]);
    positions.push_back(i);
  }
  columns = multiply(own);
  IndexRanges places = getPlaces(rows.rowExtent, columns);
  for (auto [i, place] : llvm::zip(
           positions, delinearize(getAffineDimExpr(1, context), own, places)))
    loops[i] = place;
  AffineMap out =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  for (AffineExpr expr : out.getResults())
    result.push_back(simplifyIndex(expr.replaceDims(loops), places));
  stage.rootLoops[sums] = loops;
  stage.columnExtent = columns;
  findQueries(sums, stage);
  return success();
}

/// What earlier stages leave to the last one is read at its row only, and the
/// sums at their own place, `index`.
LogicalResult AttentionAnalyzer::checkRows(const GroupShape &stage,
                                           ArrayRef<AffineExpr> index,
                                           const OpSet &given) {
  MLIRContext *context = sums->getContext();
  AffineExpr own = linearize(context, index, sizes.getShape(sums->getResult(0)),
                             getPlaces(stage.rowExtent, stage.columnExtent));
  for (const LeafAccess &access : stage.accesses) {
    Operation *def = access.value.getDefiningOp();
    if (!given.contains(def))
      continue;
    bool isRow = llvm::is_contained(cascade, def) &&
                 access.linear == getAffineDimExpr(0, context);
    if (def == sums ? access.linear != own : !isRow)
      return refuse("what a block keeps is needed at the place of another one");
  }
  return success();
}

/// The second contraction with its epilogue.
LogicalResult AttentionAnalyzer::checkValues() {
  OpSet given(cascade.begin(), cascade.end());
  given.insert(scores);
  if (Operation *def = weights->get().getDefiningOp())
    given.insert(def);
  KernelPart stage;
  stage.ops = slice(results, given);
  stage.outputs = results;
  SmallVector<AffineExpr> index;
  AffineExpr columns;
  GroupShape loops;
  if (failed(placeSums(loops, index, columns)))
    return failure();
  given.insert(sums);
  FailureOr<GroupShape> found =
      analyzeEpilogue(stage.ops, results, sizes, sums->getResult(0), index,
                      rows.rowExtent, columns, given, &violation, cache);
  if (failed(found) || failed(checkRows(*found, index, given)))
    return failure();
  stage.shape = std::move(*found);
  stage.shape.roots = {sums};
  stage.shape.rootLoops = std::move(loops.rootLoops);
  shape.stages.push_back({cascadeOps, {}, rows});
  for (const OutputSeed &seed : rows.outputs)
    shape.stages.back().outputs.push_back(seed.value);
  shape.stages.push_back(std::move(stage));
  return success();
}

/// Takes the queries of heads that have the same keys for those of one, where that
/// is faster.
void AttentionAnalyzer::shareKeys() {
  std::optional<StreamedAttention> streamed = matchStreamed(shape);
  int64_t queries = shape.queries, best = queries;
  auto group = [&](int64_t together) {
    MLIRContext *context = sums->getContext();
    setQueries(getAffineConstantExpr(together, context),
               getAffineConstantExpr(shape.rows / together, context));
  };
  SmallVector<int64_t> heads = findHeadsOfKeys(shape, *streamed, cache);
  std::optional<double> least;
  if (!heads.empty())
    least = getStreamedClocks(shape);
  for (int64_t number : heads) {
    group(number * queries);
    std::optional<double> clocks = getStreamedClocks(shape);
    if (!clocks || (least && *clocks >= *least))
      continue;
    least = clocks;
    best = number * queries;
  }
  if (!heads.empty())
    group(best);
}

FailureOr<GroupShape> AttentionAnalyzer::run(RuleViolation &why) {
  shape.roots = llvm::filter_to_vector(ops, isRootOp);
  if (failed(findRoots()) || failed(findResults()) || failed(findWeights()) ||
      failed(checkCascade()) || failed(checkScores()) ||
      failed(checkValues())) {
    why = violation;
    return failure();
  }
  shape.path = KernelPath::Attention;
  shape.sizes = sizes;
  shape.rows = rows.rows;
  shape.columns = rows.columns;
  shape.rowExtent = rows.rowExtent;
  shape.columnExtent = rows.columnExtent;
  if (chooseStreamed(shape, /*mayUseMatrixUnits=*/false)) {
    shareKeys();
    return shape;
  }
  if (!sizes.isStatic()) {
    why = {"nested-reduction",
           "the scores of a query have a size that is known at run time only"};
    return failure();
  }
  // Whole rows are kept as they are numbered.
  if (!hasScoresInOrder()) {
    why = {"nested-reduction",
           "scores that a block keeps are not in the order of the rows"};
    return failure();
  }
  int64_t bytes = getBytesPerQuery(shape);
  if (bytes > kRowSharedBytes) {
    why = {"nested-reduction", "the scores of a query take " +
                                   std::to_string(bytes) +
                                   " bytes of shared memory"};
    return failure();
  }
  return shape;
}

FailureOr<GroupShape> fuse::analyzeAttention(ArrayRef<Operation *> ops,
                                             ArrayRef<Value> outputs,
                                             RuleViolation *why,
                                             AnalysisCache &cache) {
  RuleViolation violation;
  FailureOr<GroupShape> shape =
      AttentionAnalyzer(ops, outputs, cache).run(violation);
  if (failed(shape) && why)
    *why = violation;
  return shape;
}

/// What depends on `op` in its block, at most `most` operators.
static llvm::SmallPtrSet<Operation *, 16> findDependents(Operation *op,
                                                         size_t most) {
  llvm::SmallPtrSet<Operation *, 16> found;
  SmallVector<Operation *> work = {op};
  while (!work.empty() && found.size() < most)
    for (Operation *user : work.pop_back_val()->getUsers())
      if (Operation *above = op->getBlock()->findAncestorOpInBlock(*user);
          above && found.insert(above).second)
        work.push_back(above);
  return found;
}

SmallVector<Operation *> fuse::findAttention(Operation *first) {
  constexpr size_t kMost = 96;
  if (!isContraction(first))
    return {};
  // In program order, so that the second contraction is known before what
  // needs both it and the cascade (sums that are divided afterwards).
  auto comesLater = [](Operation *a, Operation *b) {
    return b->isBeforeInBlock(a);
  };
  std::set<Operation *, decltype(comesLater)> seen(comesLater);
  std::priority_queue<Operation *, std::vector<Operation *>,
                      decltype(comesLater)>
      work(comesLater);
  SmallVector<Operation *> path;
  Operation *second = nullptr;
  llvm::SmallPtrSet<Operation *, 16> epilogue;
  bool reduces = false, softens = false;
  work.push(first);
  while (!work.empty()) {
    Operation *op = work.top();
    work.pop();
    path.push_back(op);
    if (epilogue.contains(op))
      continue;
    if (op != first && isContraction(op)) {
      if (second)
        return {};
      second = op;
      epilogue = findDependents(op, kMost);
      continue;
    }
    reduces |= op != first && isRootOp(op);
    softens |= exponentiates(op);
    for (Operation *user : op->getUsers()) {
      Operation *above = first->getBlock()->findAncestorOpInBlock(*user);
      if (!above || seen.size() >= kMost)
        return {};
      if (!above->hasTrait<OpTrait::IsTerminator>() &&
          seen.insert(above).second)
        work.push(above);
    }
  }
  if (!second || !reduces || !softens)
    return {};
  return path;
}
