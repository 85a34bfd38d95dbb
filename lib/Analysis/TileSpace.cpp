// The space of contractions that run as one tiled kernel: rows are the rows of
// all batches one after another, columns are columns. Outputs are stored where
// their elements of the products are, whatever views and transposes lie
// between.
#include "GroupAnalyzer.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

static SmallVector<AffineExpr> select(ArrayRef<AffineExpr> sizes,
                                      ArrayRef<unsigned> loops) {
  return llvm::map_to_vector(loops, [&](unsigned loop) { return sizes[loop]; });
}

/// The parallel loops of `contraction` at (row, column).
static SmallVector<AffineExpr> placeLoops(const ContractionShape &contraction,
                                          const IndexRanges &ranges,
                                          MLIRContext *context) {
  SmallVector<AffineExpr> loops(contraction.loopExtents.size());
  auto place = [&](ArrayRef<unsigned> kind, AffineExpr at) {
    SmallVector<AffineExpr> own = select(contraction.loopExtents, kind);
    for (auto [loop, expr] : llvm::zip(kind, delinearize(at, own, ranges)))
      loops[loop] = expr;
  };
  AffineExpr row = getAffineDimExpr(0, context);
  place(contraction.batchLoops,
        simplifyIndex(row.floorDiv(contraction.rowExtent), ranges));
  place(contraction.rowLoops, simplifyIndex(row % contraction.rowExtent, ranges));
  place(contraction.columnLoops, getAffineDimExpr(1, context));
  return loops;
}

/// The place, row after row, at which `loops` of `contraction` are.
static AffineExpr numberLoops(const ContractionShape &contraction,
                              ArrayRef<AffineExpr> loops,
                              const IndexRanges &ranges, MLIRContext *context) {
  SmallVector<unsigned> order = llvm::to_vector(contraction.batchLoops);
  llvm::append_range(order, contraction.rowLoops);
  llvm::append_range(order, contraction.columnLoops);
  SmallVector<AffineExpr> index =
      llvm::map_to_vector(order, [&](unsigned loop) { return loops[loop]; });
  return linearize(context, index, select(contraction.loopExtents, order),
                   ranges);
}

LogicalResult
GroupAnalyzer::placeContraction(const ContractionShape &contraction) {
  SmallVector<AffineExpr> loops =
      placeLoops(contraction, ranges, context());
  shape.rootLoops[contraction.op] = loops;
  for (unsigned i : contraction.depthLoops)
    loops[i] = unknownIndex(contraction.op, ~i, contraction.loopExtents[i]);
  return demandOperands(contraction.op, loops);
}

/// The index of `value` at (row, column) for which the contraction that it
/// needs is asked for there; nothing if it needs none, or not each element of
/// it once.
std::optional<SmallVector<AffineExpr>>
GroupAnalyzer::findTilePlace(Value value) {
  AffineExpr elements = sizes.getElements(value);
  SmallVector<AffineExpr> extents = sizes.getShape(value);
  GroupAnalyzer other(ops, outputs);
  other.roots = roots;
  other.members = members;
  other.start(KernelPath::General, elements, constant(1));
  // What is refused here will be refused again where it matters.
  (void)other.demand(value, delinearize(getAffineDimExpr(0, context()), extents,
                                        other.ranges));
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
    AffineExpr made =
        numberLoops(contraction, loops, other.ranges, context());
    std::optional<SmallVector<AffineExpr>> place =
        invertIndex(made, elements, places, number);
    if (!place)
      return std::nullopt;
    return delinearize(simplifyIndex(place->front(), ranges), extents, ranges);
  }
  return std::nullopt;
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
    Value value = outputs[i];
    AffineExpr elements = sizes.getElements(value);
    SmallVector<AffineExpr> extents = sizes.getShape(value);
    if (elements != sizes.multiply(shape.rowExtent, shape.columnExtent))
      return refuse("output-domain",
                    Twine("an output has ") + print(elements) +
                        " elements in a space of " + print(shape.rowExtent) +
                        " x " + print(shape.columnExtent));
    shape.outputs.assign(1, OutputSeed());
    auto known = firstDemand.find(value);
    OutputSeed seed{value, {}};
    if (known != firstDemand.end() &&
        storesEachOnce(linearize(context(), known->second, extents, ranges),
                       elements, 2))
      seed.index = known->second;
    else if (std::optional<SmallVector<AffineExpr>> place =
                 findTilePlace(value))
      seed.index = *place;
    if (failed(seed.index.empty() && !extents.empty() ? seedFullOutput(seed)
                                                        : placeOutput(seed)))
      return failure();
    seeds[i] = shape.outputs.front();
  }
  shape.outputs = std::move(seeds);
  return success();
}

/// `shape` holds the contractions then if nothing else is reduced, whether or not
/// they have one space.
LogicalResult GroupAnalyzer::analyzeTile() {
  shape.contractions.clear();
  SmallVector<ContractionShape> contractions;
  for (auto &[op, root] : roots) {
    std::optional<ContractionShape> contraction = matchContraction(op, sizes);
    // A single product is no sum, and its factors have no run along it.
    if (!contraction || contraction->depth < 2)
      return refuse("row-mismatch", Twine("'") + op->getName().getStringRef() +
                                        "' beside contractions is none itself");
    contractions.push_back(std::move(*contraction));
  }
  const ContractionShape &first = contractions.front();
  start(KernelPath::Tile, sizes.multiply(first.batchExtent, first.rowExtent),
        first.columnExtent);
  shape.contractions = contractions;
  for (const ContractionShape &contraction : contractions)
    if (!contraction.hasSpaceOf(first))
      return refuse("row-mismatch", "contractions of different sizes");
  for (const ContractionShape &contraction : contractions)
    if (failed(placeContraction(contraction)))
      return failure();
  return seedTileOutputs();
}
