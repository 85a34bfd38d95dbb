// Reductions over the rows and over the columns of one space.
#include "GroupAnalyzer.h"
#include "LaunchChoice.h"

using namespace mlir;
using namespace mlir::fuse;

/// Places `op` with its parallel loops along dimension `keptDim`. Its operands
/// must be read at the places at which the others read them.
LogicalResult GroupAnalyzer::placeMixedRoot(Operation *op, unsigned keptDim) {
  llvm::MapVector<Value, AffineExpr> known = std::move(leafAccess);
  leafAccess.clear();
  if (keptDim == 1)
    shape.columnRoots.push_back(op);
  bool fits = succeeded(placeRoot(op, keptDim));
  for (auto &[leaf, access] : leafAccess) {
    auto other = known.insert({leaf, access}).first;
    fits &= countElements(leaf) < shape.rows * shape.columns ||
            other->second == access;
  }
  leafAccess = std::move(known);
  return success(fits);
}

/// Finds out whether `op` runs over the columns or over the rows. Only a square
/// space leaves both open.
LogicalResult GroupAnalyzer::placeMixedRoot(Operation *op) {
  if (shape.rows != shape.columns)
    return placeMixedRoot(op, roots[op].rows == shape.rowExtent ? 0 : 1);
  SpaceWalk before = walk();
  if (succeeded(placeMixedRoot(op, 0)))
    return success();
  walk() = std::move(before);
  return placeMixedRoot(op, 1);
}

/// Begins a space with the first root in it. The columns are what is contiguous
/// in memory.
bool GroupAnalyzer::startMixed(AffineExpr rows, AffineExpr columns,
                               unsigned keptDim) {
  start(KernelPath::Mixed, rows, columns);
  if (failed(placeMixedRoot(roots.front().first, keptDim)))
    return false;
  AffineExpr access = getLargestAccess();
  return access && getStride(access, 1) == 1;
}

/// Reductions over the rows and over the columns of one space, as large as the
/// operands that they share.
LogicalResult GroupAnalyzer::analyzeMixed() {
  // Partial results of the columns that a block keeps, in 4-byte words.
  constexpr int64_t kMostWords = 16 * 1024;
  const RootSizes &first = roots.front().second;
  auto mismatch = [&] {
    return refuse("row-mismatch",
                  "the reductions are not over the rows and the columns of one "
                  "space");
  };
  // Most groups that are no rows are not this either.
  for (auto &[op, root] : roots) {
    bool same = root.rows == first.rows && root.columns == first.columns;
    bool swapped = root.rows == first.columns && root.columns == first.rows;
    if (sizes.assume(first.rows) <= 1 || sizes.assume(first.columns) <= 1 ||
        !(same || swapped))
      return mismatch();
    if (!cache.hasCombinablePartials(op))
      return refuse("unsupported-op", "partial results cannot be combined");
  }
  if (!startMixed(first.rows, first.columns, 0) &&
      !startMixed(first.columns, first.rows, 1))
    return mismatch();
  // Code generation keeps as many partial results as there are columns.
  if (!isa<AffineConstantExpr>(shape.columnExtent))
    return mismatch();
  for (auto &[op, root] : llvm::drop_begin(roots))
    if (failed(placeMixedRoot(op)))
      return mismatch();
  int64_t words = 0;
  for (Operation *op : shape.columnRoots)
    for (Type type : getPartialTypes(op))
      words += ceilDiv(bytesOf(type), 4);
  if (shape.columnRoots.empty() || words * shape.columns > kMostWords)
    return mismatch();
  return seedMixedOutputs();
}

/// What needs a reduction over the rows has one element per column.
LogicalResult GroupAnalyzer::seedMixedOutputs() {
  llvm::SmallPtrSet<Operation *, 16> after(shape.columnRoots.begin(),
                                           shape.columnRoots.end());
  for (Operation *op : ops)
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return after.contains(operand.getDefiningOp());
        }))
      after.insert(op);
  shape.outputs.resize(outputs.size());
  // Consumers before producers, as on the other paths.
  SmallVector<unsigned> order;
  for (Operation *op : llvm::reverse(ops))
    for (auto [i, value] : llvm::enumerate(outputs))
      if (value.getDefiningOp() == op)
        order.push_back(i);
  SmallVector<OutputSeed> seeds(outputs.size());
  for (unsigned i : order) {
    shape.outputs.assign(1, OutputSeed());
    inColumns = after.contains(outputs[i].getDefiningOp());
    LogicalResult seeded =
        inColumns ? seedColumnOutput(outputs[i]) : seedOutput(outputs[i], true);
    inColumns = false;
    if (failed(seeded))
      return failure();
    seeds[i] = shape.outputs.front();
  }
  shape.outputs = std::move(seeds);
  return success();
}

LogicalResult GroupAnalyzer::seedColumnOutput(Value value) {
  AffineExpr elements = sizes.getElements(value);
  if (elements != shape.columnExtent)
    return refuse("output-domain", Twine("an output has ") + print(elements) +
                                       " elements, but there are " +
                                       print(shape.columnExtent) + " columns");
  OutputSeed seed{value, {}, false, /*perColumn=*/true};
  auto known = firstDemand.find(value);
  if (known != firstDemand.end()) {
    // As a function of the column alone.
    AffineExpr d0 = getAffineDimExpr(0, context());
    AffineExpr linear =
        linearize(context(), known->second, sizes.getShape(value), ranges)
            .replaceDims({getAffineDimExpr(1, context()), d0});
    IndexRanges places;
    places.dims = {ranges.dims[1]};
    if (isBijective(linear, shape.columnExtent, places)) {
      seed.index = known->second;
      return placeOutput(seed);
    }
  }
  seed.index = delinearize(getAffineDimExpr(1, context()),
                           sizes.getShape(value), ranges);
  return placeOutput(seed);
}
