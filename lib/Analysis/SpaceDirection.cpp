// Which dimension of the space is neighbours in memory, and whether a single
// pass over it is enough.
#include "GroupAnalyzer.h"
#include "LaunchChoice.h"
#include "SpaceAnalysis.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

/// Neighbours that are counted at most.
static constexpr int64_t kMostNeighbours = 1024;

/// Steps of dimension `dim` from the origin, up to `limit`, of which each goes
/// to the next element in memory.
static int64_t countNeighbours(AffineExpr access, unsigned dim, int64_t limit,
                               const IndexRanges &ranges,
                               const TensorSizes &sizes) {
  MLIRContext *context = access.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> symbols(ranges.symbols.size(), zero);
  for (unsigned i = 0; i < sizes.getNumSymbols(); ++i)
    symbols[i] = getAffineConstantExpr(TensorSizes::getAssumedSize(i), context);
  auto at = [&](int64_t step) {
    SmallVector<AffineExpr> dims(2, zero);
    dims[dim] = getAffineConstantExpr(step, context);
    AffineConstantExpr place = dyn_cast<AffineConstantExpr>(
        access.replaceDimsAndSymbols(dims, symbols));
    return place ? place.getValue() : INT64_MIN / 2;
  };
  int64_t count = 1;
  while (count < limit && at(count) == at(count - 1) + 1)
    ++count;
  return count;
}

/// The number of an element that a reduction reads and the group computes, at a
/// place, if there is one for each place: how it would lie in memory.
AffineExpr GroupAnalyzer::getComputedAccess() const {
  AffineExpr elements = sizes.multiply(shape.rowExtent, shape.columnExtent);
  for (auto &[op, root] : roots)
    for (Value operand : cast<linalg::LinalgOp>(op).getDpsInputs()) {
      auto known = firstDemand.find(operand);
      if (known != firstDemand.end() && sizes.getElements(operand) == elements)
        return linearize(context(), known->second, sizes.getShape(operand),
                         ranges);
    }
  return {};
}

/// The number of the element of the largest operand at a place, if it has one
/// for each place. Where that is found by an index from the data, or there is
/// no such operand, that of what is computed of the operands.
AffineExpr GroupAnalyzer::getLargestAccess() const {
  int64_t largest = 0;
  AffineExpr access;
  for (auto &[value, linear] : leafAccess) {
    int64_t elements = countElements(value);
    if (elements <= largest)
      continue;
    largest = elements;
    access = linear;
  }
  if (shape.rows * shape.columns > largest)
    return getComputedAccess();
  if (!usesUnknown(access) || getStride(access, 1) == 1)
    return access;
  AffineExpr computed = getComputedAccess();
  return computed ? computed : access;
}

/// How many rows are neighbours in `access` from the first one on, as a size:
/// all of them, or those that one value of another index has.
AffineExpr GroupAnalyzer::getNeighbourExtent(AffineExpr access) const {
  if (getStride(access, 0) == 1)
    return shape.rowExtent;
  AffineExpr row = getAffineDimExpr(0, context()), extent;
  access.walk([&](AffineExpr part) {
    AffineBinaryOpExpr digit = dyn_cast<AffineBinaryOpExpr>(part);
    if (digit && digit.getKind() == AffineExprKind::Mod &&
        digit.getLHS() == row)
      extent = digit.getRHS();
  });
  return extent;
}

/// Decides by the largest operand whether threads lie along the columns or
/// along the rows. No, if elements of it serve several places of the space.
bool GroupAnalyzer::chooseDirection() {
  shape.singlePass = isSinglePass();
  AffineExpr access = getLargestAccess();
  if (!access)
    return false;
  constexpr int64_t kEnough = 8;
  if (getStride(access, 1) == 1)
    return true;
  int64_t columns = countNeighbours(
      access, 1, std::min(shape.columns, kMostNeighbours), ranges, sizes);
  int64_t rows = countNeighbours(
      access, 0, std::min(shape.rows, kMostNeighbours), ranges, sizes);
  if (columns >= std::min(shape.columns, kEnough) || columns > rows)
    return true;
  AffineExpr extent = getNeighbourExtent(access);
  if (rows == 1 || (!extent && !sizes.isStatic()))
    return false;
  shape.path = KernelPath::Column;
  shape.neighbours = rows;
  shape.neighbourExtent = extent;
  return true;
}

/// Sectors that the lanes of a warp along dimension `dim` ask for, on average,
/// of all operands. What the data say where to find is nowhere near its
/// neighbours along the columns.
double GroupAnalyzer::countSectors(unsigned dim) const {
  constexpr int64_t kWarp = 32;
  int64_t extent = dim == 0 ? shape.rows : shape.columns;
  int64_t lanes = std::min(extent, kWarp), sectors = 0;
  SmallVector<AffineExpr> symbols(ranges.symbols.size(), constant(0));
  for (unsigned i = 0; i < sizes.getNumSymbols(); ++i)
    symbols[i] = constant(TensorSizes::getAssumedSize(i));
  for (auto &[value, linear] : leafAccess) {
    if (dim == 1 && usesUnknown(linear) && getStride(linear, 1) != 1) {
      sectors += lanes;
      continue;
    }
    llvm::SmallDenseSet<int64_t, kWarp> asked;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      SmallVector<AffineExpr> dims(2, constant(0));
      dims[dim] = constant(lane);
      if (auto place = dyn_cast<AffineConstantExpr>(
              linear.replaceDimsAndSymbols(dims, symbols)))
        asked.insert(place.getValue() * bytesOf(value.getType()) /
                     kSectorBytes);
    }
    sectors += int64_t(asked.size());
  }
  return double(sectors) / double(lanes);
}

/// The direction where no operand says it: each serves several places, or has
/// no neighbours anywhere (the distances of all pairs of two sets of vectors;
/// the diagonals of matrices; rows of a table that the data choose). Along the
/// columns, if these are enough and ask for fewer sectors.
void GroupAnalyzer::chooseNearest() {
  constexpr int64_t kEnough = 8;
  if (shape.columns == 0 || shape.rows == 0)
    return;
  if (shape.columns >= kEnough && countSectors(1) <= countSectors(0))
    return;
  int64_t most = 0;
  AffineExpr extent;
  for (auto &[value, linear] : leafAccess) {
    int64_t rows = countNeighbours(
        linear, 0, std::min(shape.rows, kMostNeighbours), ranges, sizes);
    if (rows <= most)
      continue;
    most = rows;
    extent = rows > 1 ? getNeighbourExtent(linear) : AffineExpr();
  }
  // Vectors of how many rows only the running program knows.
  if (!extent && !sizes.isStatic())
    return;
  shape.path = KernelPath::Column;
  shape.neighbours = std::max<int64_t>(most, 1);
  shape.neighbourExtent = extent;
}

/// Whether each reduction's loop needs operands only, and the outputs no more
/// than an element of each row.
bool GroupAnalyzer::isSinglePass() const {
  if (!llvm::all_of(shape.outputs,
                    [](const OutputSeed &seed) { return seed.perRow; }))
    return false;
  // Operators that need a reduction, in program order.
  llvm::SmallPtrSet<Operation *, 16> after;
  for (Operation *op : ops) {
    bool isAfter = llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return producer && members.contains(producer) &&
             (roots.contains(producer) || after.contains(producer));
    });
    if (isAfter && roots.contains(op))
      return false;
    if (isAfter)
      after.insert(op);
  }
  return true;
}

bool fuse::slidesWindow(linalg::LinalgOp op) {
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  auto moves = [&](AffineExpr expr) {
    bool parallel = false, reduction = false;
    for (auto [i, kind] : llvm::enumerate(kinds))
      if (expr.isFunctionOfDim(i))
        (kind == utils::IteratorType::parallel ? parallel : reduction) = true;
    return parallel && reduction;
  };
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    return op.payloadUsesValueFromOperand(operand) &&
           llvm::any_of(op.getMatchingIndexingMap(operand).getResults(), moves);
  });
}

/// Whether the reductions of a group on the general path are windows that are
/// worth unrolling, or no longer than these (where in its window is the
/// maximum?).
bool GroupAnalyzer::isWindow() {
  int64_t longestWindow = 0, longestOther = 0;
  for (Operation *op : shape.roots) {
    // Only what is known can be unrolled.
    auto known = dyn_cast<AffineConstantExpr>(roots[op].columns);
    if (!known)
      return false;
    int64_t length = known.getValue();
    int64_t &longest =
        slidesWindow(cast<linalg::LinalgOp>(op)) ? longestWindow : longestOther;
    longest = std::max(longest, length);
  }
  if (longestWindow == 0 || longestOther > longestWindow)
    return false;
  int64_t largest = 0;
  for (const LeafAccess &access : shape.accesses) {
    int64_t elements = countElements(access.value);
    if (elements <= largest)
      continue;
    largest = elements;
    shape.neighbours = countNeighbours(
        access.linear, 0, std::min(shape.rows, kMostNeighbours), ranges, sizes);
  }
  return true;
}
