// What lies between two contractions of a kernel, and the second one: rows,
// columns and places of their elements.
#include "AttentionAnalyzer.h"

#include "fuse-mlir/Analysis/Attention.h"

using namespace mlir;
using namespace mlir::fuse;

/// The number of an element in the space of `rows`; of a single row, its
/// column.
static AffineExpr getRowMajor(const GroupShape &rows) {
  MLIRContext *context = rows.rowExtent.getContext();
  AffineExpr column = getAffineDimExpr(1, context);
  if (rows.rowExtent == getAffineConstantExpr(1, context))
    return column;
  return getAffineDimExpr(0, context) * rows.columnExtent + column;
}

bool AttentionAnalyzer::hasScoresInOrder() const {
  return scorePlace == simplifyIndex(getRowMajor(rows), ranges);
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
  if (cascade.empty())
    return checkElementwise(results);
  FailureOr<GroupShape> found =
      analyzeRows(cascadeOps, results, sizes, &violation, cache);
  if (failed(found))
    return failure();
  setRows(std::move(*found));
  if (failed(findScorePlace()))
    return failure();
  findQueryExtent();
  return success();
}

void AttentionAnalyzer::setRows(GroupShape found) {
  rows = std::move(found);
  ranges = getPlaces(rows.rowExtent, rows.columnExtent);
  ranges.memo = &cache.simplified;
}

/// Without reductions in between, rows and columns are those of the first
/// contraction, or the other way round: the second one sums up along a row.
LogicalResult AttentionAnalyzer::checkElementwise(ArrayRef<Value> results) {
  std::optional<ContractionShape> product =
      matchContraction(scores, sizes, /*mayBeVector=*/true);
  if (!product)
    return refuse("the first contraction is no product of matrices");
  auto linalgOp = cast<linalg::LinalgOp>(scores);
  AffineMap map =
      linalgOp.getMatchingIndexingMap(linalgOp.getDpsInitOperand(0));
  SmallVector<Operation *> all = {scores};
  llvm::append_range(all, cascadeOps);
  for (bool isTransposed : {false, true}) {
    if (isTransposed)
      product->transpose();
    AffineExpr down = sizes.multiply(product->batchExtent, product->rowExtent);
    SmallVector<AffineExpr> loops = placeLoops(
        *product, getPlaces(down, product->columnExtent), sums->getContext());
    SmallVector<AffineExpr> index =
        llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
          return expr.replaceDims(loops);
        });
    OpSet given = {scores};
    FailureOr<GroupShape> found =
        analyzeEpilogue(all, results, sizes, scores->getResult(0), index, down,
                        product->columnExtent, given, &violation, cache);
    if (failed(found) || !sumsAlongRows(found->outputs.front()))
      continue;
    setRows(std::move(*found));
    // Of what is read, the score at its own place is known from the beginning.
    if (failed(findScorePlace()))
      return failure();
    setQueries(product->rowExtent, product->batchExtent);
    return success();
  }
  return refuse("the contractions do not share rows");
}

/// Whether the second contraction sums up the columns of `weightsSeed`, and
/// nothing else.
bool AttentionAnalyzer::sumsAlongRows(const OutputSeed &weightsSeed) const {
  auto linalgOp = cast<linalg::LinalgOp>(sums);
  AffineMap map = linalgOp.getMatchingIndexingMap(weights);
  SmallVector<utils::IteratorType> kinds = linalgOp.getIteratorTypesArray();
  return llvm::all_of(
      llvm::zip(map.getResults(), weightsSeed.index), [&](auto both) {
        auto [loop, index] = both;
        auto dim = dyn_cast<AffineDimExpr>(loop);
        bool reduced =
            dim && kinds[dim.getPosition()] == utils::IteratorType::reduction;
        return dim && !index.isFunctionOfDim(reduced ? 0 : 1);
      });
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
