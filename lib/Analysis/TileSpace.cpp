// The space of contractions that run as one tiled kernel: rows are the rows of
// all batches one after another, columns are columns. Outputs are stored where
// their elements of the products are, whatever views and transposes lie
// between. Reductions of whole rows may follow where a warp holds these.
#include "GroupAnalyzer.h"
#include "LaunchChoice.h"
#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

/// Words of a row's sums, those of all contractions together, that a warp holds
/// at most where reductions of the rows follow (`kHeldMmaTiles`).
static constexpr int64_t kHeldWords = 256;

bool fuse::reducesRows(const GroupShape &shape) {
  return shape.path == KernelPath::Tile &&
         shape.roots.size() > shape.contractions.size();
}

bool fuse::holdsRows(const GroupShape &shape) {
  if (!reducesRows(shape) || !isa<AffineConstantExpr>(shape.columnExtent))
    return false;
  int64_t words = 0;
  for (const ContractionShape &contraction : shape.contractions)
    words += ceilDiv(bytesOf(contraction.op->getResult(0).getType()), 4);
  return shape.columns * words <= kHeldWords;
}

bool fuse::sharesRows(const GroupShape &shape) {
  return reducesRows(shape) && !holdsRows(shape) && !shape.joinsRows;
}

int64_t fuse::countRowShares(const GroupShape &shape, int64_t tileColumns,
                             int64_t columnWarps) {
  return ceilDiv(shape.columns, tileColumns) * columnWarps;
}

static SmallVector<AffineExpr> select(ArrayRef<AffineExpr> sizes,
                                      ArrayRef<unsigned> loops) {
  return llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
}

SmallVector<AffineExpr> fuse::placeLoops(const ContractionShape &contraction,
                                         const IndexRanges &ranges,
                                         MLIRContext *context) {
  SmallVector<AffineExpr> loops(contraction.loopExtents.size());
  auto place = [&](ArrayRef<unsigned> kind, AffineExpr at) {
    SmallVector<AffineExpr> own = select(contraction.loopExtents, kind);
    for (auto [loop, expr] : llvm::zip(kind, delinearize(at, own, ranges)))
      loops[loop] = expr;
  };
  AffineExpr row = getAffineDimExpr(0, context);
  AffineExpr column = getAffineDimExpr(1, context);
  AffineExpr batch = row.floorDiv(contraction.rowExtent);
  AffineExpr section = simplifyIndex(batch % contraction.sections, ranges);
  place(contraction.batchLoops,
        simplifyIndex(batch.floorDiv(contraction.sections), ranges));
  place(contraction.rowLoops,
        simplifyIndex(row % contraction.rowExtent, ranges));
  place(contraction.columnLoops,
        simplifyIndex(section * contraction.columnExtent + column, ranges));
  return loops;
}

/// The place, row after row, at which `loops` of `contraction` are.
static AffineExpr numberLoops(const ContractionShape &contraction,
                              ArrayRef<AffineExpr> loops,
                              const IndexRanges &ranges, MLIRContext *context) {
  auto number = [&](ArrayRef<unsigned> kind) {
    SmallVector<AffineExpr> index =
        llvm::map_to_vector(kind, [&](unsigned loop) { return loops[loop]; });
    return linearize(context, index, select(contraction.loopExtents, kind),
                     ranges);
  };
  AffineExpr column = number(contraction.columnLoops);
  AffineExpr batch = number(contraction.batchLoops) * contraction.sections +
                     column.floorDiv(contraction.columnExtent);
  AffineExpr row = batch * contraction.rowExtent + number(contraction.rowLoops);
  return simplifyIndex(row * contraction.columnExtent +
                           column % contraction.columnExtent,
                       ranges);
}

LogicalResult
GroupAnalyzer::placeContraction(const ContractionShape &contraction) {
  SmallVector<AffineExpr> loops = placeLoops(contraction, ranges, context());
  shape.rootLoops[contraction.op] = loops;
  for (unsigned i : contraction.depthLoops)
    loops[i] = unknownIndex(contraction.op, ~i, contraction.loopExtents[i]);
  return demandOperands(contraction.op, loops);
}

/// The number, of `elements`, for which the contraction that `other` needs is
/// asked for at (row, column); null if it needs none, or not each element of it
/// once.
AffineExpr GroupAnalyzer::findTilePlace(const GroupAnalyzer &other,
                                        AffineExpr elements) {
  IndexRanges places;
  places.dims = {IndexRange::ofSize(elements)};
  places.symbols = ranges.symbols;
  places.symbols.truncate(sizes.getNumSymbols());
  AffineExpr number = getAffineDimExpr(0, context()) * shape.columnExtent +
                      getAffineDimExpr(1, context());
  for (const ContractionShape &contraction : shape.contractions) {
    SmallVector<AffineExpr> loops =
        other.shape.rootLoops.lookup(contraction.op);
    if (loops.empty())
      continue;
    AffineExpr made = numberLoops(contraction, loops, other.ranges, context());
    std::optional<SmallVector<AffineExpr>> place =
        invertIndex(made, elements, places, number);
    return place ? simplifyIndex(place->front(), ranges) : AffineExpr();
  }
  return {};
}

/// The index of `value` at (row, column); nothing if that is not known.
std::optional<SmallVector<AffineExpr>>
GroupAnalyzer::findTilePlace(Value value) {
  AffineExpr elements = sizes.getElements(value);
  SmallVector<AffineExpr> extents = sizes.getShape(value);
  GroupAnalyzer other(this);
  other.start(KernelPath::General, elements, constant(1));
  // What is refused here will be refused again where it matters.
  (void)other.demand(value, delinearize(getAffineDimExpr(0, context()), extents,
                                        other.ranges));
  AffineExpr place = findTilePlace(other, elements);
  if (!place)
    return std::nullopt;
  return delinearize(place, extents, ranges);
}

/// Reductions of the rows are where the contraction is that they need, whatever
/// the order of their results.
LogicalResult GroupAnalyzer::placeReducedRoot(Operation *op) {
  const RootSizes &root = roots[op];
  AffineExpr elements = sizes.multiply(root.rows, root.columns);
  GroupAnalyzer other(this);
  other.start(KernelPath::General, elements, constant(1));
  auto loopsAt = [&](AffineExpr number, const IndexRanges &ranges) {
    SmallVector<AffineExpr> loops(root.loops.size());
    auto place = [&](ArrayRef<unsigned> kind, AffineExpr at) {
      SmallVector<AffineExpr> own = select(root.loops, kind);
      for (auto [loop, expr] :
           llvm::zip(kind, delinearize(simplifyIndex(at, ranges), own, ranges)))
        loops[loop] = expr;
    };
    place(root.parallel, number.floorDiv(root.columns));
    place(root.reduction, number % root.columns);
    return loops;
  };
  (void)other.demandOperands(
      op, loopsAt(getAffineDimExpr(0, context()), other.ranges));
  AffineExpr place = findTilePlace(other, elements);
  if (!place)
    return placeRoot(op, /*keptDim=*/0);
  SmallVector<AffineExpr> loops = loopsAt(place, ranges);
  if (llvm::any_of(root.parallel, [&](unsigned loop) {
        return loops[loop].isFunctionOfDim(1);
      }))
    return refuse("row-mismatch", Twine("'") + op->getName().getStringRef() +
                                      "' does not reduce the rows of the "
                                      "contractions");
  shape.rootLoops[op] = loops;
  return demandOperands(op, loops);
}

LogicalResult GroupAnalyzer::seedTileOutput(Value value) {
  AffineExpr elements = sizes.getElements(value);
  SmallVector<AffineExpr> extents = sizes.getShape(value);
  bool perRow = shape.roots.size() > shape.contractions.size() &&
                elements == shape.rowExtent;
  auto known = firstDemand.find(value);
  bool isKnown =
      known != firstDemand.end() &&
      storesEachOnce(linearize(context(), known->second, extents, ranges),
                     elements, perRow ? 1 : 2);
  if (perRow && isKnown)
    return placeOutput({value, known->second, /*perRow=*/true});
  if (perRow) {
    AffineExpr place = findRow(value);
    if (!place)
      place = getAffineDimExpr(0, context());
    return placeOutput(
        {value, delinearize(place, extents, ranges), /*perRow=*/true});
  }
  if (elements != sizes.multiply(shape.rowExtent, shape.columnExtent))
    return refuse("output-domain", Twine("an output has ") + print(elements) +
                                       " elements in a space of " +
                                       print(shape.rowExtent) + " x " +
                                       print(shape.columnExtent));
  OutputSeed seed{value, {}};
  if (isKnown)
    seed.index = known->second;
  else if (std::optional<SmallVector<AffineExpr>> place = findTilePlace(value))
    seed.index = *place;
  return seed.index.empty() && !extents.empty() ? seedFullOutput(seed)
                                                : placeOutput(seed);
}

LogicalResult GroupAnalyzer::seedTileOutputs() {
  SmallVector<OutputSeed> seeds(outputs.size());
  // Consumers before producers, as on the other paths.
  SmallVector<unsigned> order;
  for (Operation *op : llvm::reverse(ops))
    for (auto [i, value] : llvm::enumerate(outputs))
      if (value.getDefiningOp() == op)
        order.push_back(i);
  for (unsigned i : order) {
    shape.outputs.assign(1, OutputSeed());
    if (failed(seedTileOutput(outputs[i])))
      return failure();
    seeds[i] = shape.outputs.front();
  }
  shape.outputs = std::move(seeds);
  return success();
}

/// Whether what `op` combines at a row's end depends on the order of the
/// elements: then all products of the row may be needed once more.
static bool mayNeedOrder(Operation *op) {
  auto parts = matchReduction(cast<linalg::LinalgOp>(op));
  return !parts || llvm::any_of(*parts, [](const ReductionPart &part) {
    return part.nanNeedsOrder || part.kind == ReductionPart::Moments;
  });
}

/// Whether rows can be reduced after their contractions, and what is reduced
/// needs the contractions, not the other way round. Tiles that share a row have
/// left when it is complete: what follows from it has an element for each row,
/// or they are a cluster.
LogicalResult
GroupAnalyzer::checkReducedRows(ArrayRef<Operation *> reductions) {
  bool shares = sharesRows(shape);
  if (shares && !sizes.isStatic())
    return refuse("row-mismatch", Twine("rows of ") +
                                      print(shape.columnExtent) +
                                      " elements are longer than a warp holds "
                                      "beside contractions");
  for (Operation *op : reductions) {
    const RootSizes &root = roots[op];
    if (!cache.hasCombinablePartials(op) || root.rows != shape.rowExtent ||
        root.columns != shape.columnExtent || (shares && mayNeedOrder(op)))
      return refuse("row-mismatch",
                    Twine("'") + op->getName().getStringRef() +
                        "' does not reduce the rows of the contractions");
  }
  llvm::DenseSet<Value> products, totals;
  bool needsTotals = false;
  for (Operation *op : ops) {
    auto uses = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op->getOperands(), [&](Value operand) {
        return values.contains(operand);
      });
    };
    bool reduces = llvm::is_contained(reductions, op);
    bool contracts = !reduces && roots.contains(op);
    bool fromProducts = uses(products), fromTotals = uses(totals);
    if (reduces ? !fromProducts : contracts && fromTotals)
      return refuse("row-mismatch", Twine("'") + op->getName().getStringRef() +
                                        "' comes before a contraction");
    needsTotals |= fromProducts && fromTotals;
    if (contracts || (fromProducts && !(shares && reduces)))
      products.insert_range(op->getResults());
    if (reduces || fromTotals)
      totals.insert_range(op->getResults());
  }
  needsTotals |= llvm::any_of(outputs, [&](Value output) {
    return totals.contains(output) &&
           sizes.getElements(output) != shape.rowExtent;
  });
  if (!shares || !needsTotals)
    return success();
  if (!mayJoinTiles(shape))
    return refuse("row-mismatch", "totals are needed at the elements of rows "
                                  "that are longer than a warp holds");
  shape.joinsRows = true;
  return success();
}

/// Reductions of a part of each row, the same for all, make that a row: the
/// heads of a row, the images of a filter's pixels.
void GroupAnalyzer::cutColumns(MutableArrayRef<ContractionShape> contractions,
                               ArrayRef<Operation *> reductions) {
  if (reductions.empty())
    return;
  const RootSizes &root = roots[reductions.front()];
  const ContractionShape &first = contractions.front();
  auto section = dyn_cast<AffineConstantExpr>(root.columns);
  if (!section || section.getValue() < 2 || section == first.columnExtent ||
      !first.columnExtent.isMultipleOf(section.getValue()))
    return;
  if (llvm::all_of(contractions, [&](const ContractionShape &contraction) {
        return contraction.hasSpaceOf(first);
      }))
    for (ContractionShape &contraction : contractions)
      contraction.cutColumns(section.getValue(), sizes);
}

/// Reductions that no contraction nor other reduction comes before, over
/// windows short enough to be evaluated wherever an element of a factor is
/// needed. None is stored.
SmallVector<Operation *> GroupAnalyzer::findFactorWindows() {
  constexpr int64_t kLongest = 25;
  SmallVector<Operation *> found;
  llvm::DenseSet<Value> after;
  for (Operation *op : ops) {
    bool isFirst = llvm::none_of(op->getOperands(), [&](Value operand) {
      return after.contains(operand);
    });
    bool isRoot = roots.contains(op);
    if (!isFirst || isRoot)
      after.insert_range(op->getResults());
    bool isStored = llvm::any_of(op->getResults(), [&](Value result) {
      return llvm::is_contained(outputs, result);
    });
    if (!isFirst || !isRoot || isStored)
      continue;
    auto length = dyn_cast<AffineConstantExpr>(roots[op].columns);
    if (length && length.getValue() <= kLongest &&
        slidesWindow(cast<linalg::LinalgOp>(op)) &&
        !cache.matchContraction(op, sizes))
      found.push_back(op);
  }
  return found;
}

LogicalResult GroupAnalyzer::analyzeTile() {
  llvm::SmallMapVector<Operation *, RootSizes, 4> all = roots;
  SmallVector<Operation *> inner = findFactorWindows();
  if (inner.size() == all.size())
    inner.clear();
  windows.insert_range(inner);
  for (Operation *op : inner)
    roots.erase(op);
  LogicalResult result = analyzeContractions();
  if (succeeded(result)) {
    shape.windows = std::move(inner);
    return success();
  }
  roots = std::move(all);
  windows.clear();
  return failure();
}

/// `shape` holds the contractions then if nothing else is reduced, whether or
/// not they have one space.
LogicalResult GroupAnalyzer::analyzeContractions() {
  shape.contractions.clear();
  SmallVector<ContractionShape> contractions;
  SmallVector<Operation *> reductions;
  for (auto &[op, root] : roots) {
    const std::optional<ContractionShape> &contraction =
        cache.matchContraction(op, sizes);
    // A single product is no sum, and its factors have no run along it.
    if (contraction && contraction->depth >= 2)
      contractions.push_back(*contraction);
    else
      reductions.push_back(op);
  }
  if (contractions.empty())
    return refuse("row-mismatch", "no contraction");
  LogicalResult result = placeTile(contractions, reductions);
  if (succeeded(result) || reductions.empty())
    return result;
  // What is reduced may be columns: those of the transposed product are its
  // rows.
  RuleViolation inRows = violation;
  for (ContractionShape &contraction : contractions)
    contraction.transpose();
  if (succeeded(placeTile(contractions, reductions)))
    return success();
  violation = inRows;
  shape.contractions.clear();
  return failure();
}

LogicalResult
GroupAnalyzer::placeTile(SmallVector<ContractionShape> contractions,
                         ArrayRef<Operation *> reductions) {
  cutColumns(contractions, reductions);
  const ContractionShape &first = contractions.front();
  start(KernelPath::Tile, sizes.multiply(first.batchExtent, first.rowExtent),
        first.columnExtent);
  shape.contractions = std::move(contractions);
  for (const ContractionShape &contraction : shape.contractions)
    if (!contraction.hasSpaceOf(shape.contractions.front()))
      return refuse("row-mismatch", "contractions of different sizes");
  if (!reductions.empty() && failed(checkReducedRows(reductions)))
    return failure();
  for (const ContractionShape &contraction : shape.contractions)
    if (failed(placeContraction(contraction)))
      return failure();
  for (Operation *op : reductions)
    if (failed(placeReducedRoot(op)))
      return failure();
  return seedTileOutputs();
}
