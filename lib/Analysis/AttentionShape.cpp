// Attention by its structure: a contraction makes scores, a cascade of row
// reductions and element-wise operators turns them into weights, a second
// contraction sums up values by them. A kernel that keeps the scores on chip
// passes over the keys once per tile of queries, whatever the form of the
// cascade. Without reductions in between, rows of the first contraction are
// what the second one sums up.
//
// Legal, because a block owns whole rows of scores: a score is made of a query
// and a key by the first contraction alone; the cascade is a row kernel that
// reads a score at its own place only; the weight at that place and the results
// of the cascade's reductions at a row are all that the second contraction and
// what follows it need, at that row only; and each output's element is made of
// one element of the second contraction.
#include "fuse-mlir/Analysis/Attention.h"
#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "AttentionAnalyzer.h"
#include "LaunchChoice.h"
#include "SharedKeys.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

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
  if (!sums)
    return refuse("there are no two contractions");
  if (!cascade.empty() && !llvm::any_of(ops, exponentiates))
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

/// Takes the queries of heads that have the same keys for those of one, where
/// that is faster.
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
    if (!cascade.empty())
      shareKeys();
    return shape;
  }
  if (cascade.empty()) {
    why = {"nested-reduction", "no block holds the rows of both contractions"};
    return failure();
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
