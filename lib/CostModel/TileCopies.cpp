// Sectors of what the blocks of path `tile` copy to shared memory: the pieces
// of a tile are looked at lane by lane, as code generation gives them to
// threads (lib/Codegen/TileMemory.cpp).
#include "CopyCounter.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/CostModel/TiledContraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

static constexpr int64_t kAccessBytes = 16;

/// Whether elements of `factor` are elements of `tensor`, or zeros.
static bool isMoved(Value factor, Value tensor) {
  for (Value at = lookThroughViews(factor); at;) {
    if (at == lookThroughViews(tensor))
      return true;
    Operation *op = at.getDefiningOp();
    tensor::PadOp pad = dyn_cast_or_null<tensor::PadOp>(op);
    if (pad ? !padsWithZeros(pad)
            : !isa_and_nonnull<linalg::TransposeOp, linalg::BroadcastOp,
                               tensor::ExtractSliceOp>(op))
      return false;
    at = lookThroughViews(op->getOperand(0));
  }
  return false;
}

namespace {
/// The reads that lead to a factor, one of which is counted.
struct FactorReads {
  const ContractionShape &contraction;
  const LaunchShape &launch;
  bool isLeft;
  /// Bytes of an element of the factor; its elements are those of the only
  /// tensor that is read, or zeros.
  int64_t bytes;
  bool isMoved;
  SmallVector<const PlacedRead *, 4> reads;
};
} // namespace

static FactorReads findBeside(const GroupShape &shape,
                              const LaunchShape &launch,
                              ArrayRef<PlacedRead> reads,
                              const PlacedRead &read) {
  auto isLeft = [](const PlacedRead &own) {
    return !own.access->linear.isFunctionOfDim(1);
  };
  Operation *op = getTileOperandOf(read);
  const ContractionShape &contraction =
      *llvm::find_if(shape.contractions,
                     [&](const ContractionShape &own) { return own.op == op; });
  bool left = isLeft(read);
  Value kept = getKeptFactor(left ? contraction.left : contraction.right);
  FactorReads factor{contraction, launch, left, getElementBytes(kept.getType()),
                     false,       {}};
  for (const PlacedRead &other : reads)
    if (getTileOperandOf(other) == op && isLeft(other) == left)
      factor.reads.push_back(&other);
  Value tensor = getFactor(contraction, left);
  factor.isMoved =
      factor.reads.size() == 1 && tensor && isMoved(tensor, read.access->value);
  return factor;
}

/// The order in which the pieces of a factor are taken.
static PieceOrder chooseOrder(const FactorReads &factor, OpFactsCache &cache) {
  auto getSize = [&](const PlacedRead *read) {
    return cache.getValue(read->base).elements.value_or(0);
  };
  const PlacedRead &largest = **llvm::max_element(
      factor.reads, [&](const PlacedRead *a, const PlacedRead *b) {
        return getSize(a) < getSize(b);
      });
  CopyCounter counter(factor.contraction, factor.launch, largest,
                      cache.getValue(largest.base).elementBytes,
                      getSize(&largest));
  PieceOrder order;
  int64_t along = 0, across = 0;
  if (factor.launch.tile->async && factor.isMoved) {
    along = counter.findWidth(true);
    bool isWhole = along * factor.bytes == kAccessBytes;
    across = isWhole || factor.bytes == 1 ? 0 : counter.findWidth(false);
  }
  order.async = std::max(along, across) > 0;
  order.piece = order.async ? std::max(along, across)
                            : std::max<int64_t>(kAccessBytes / factor.bytes, 1);
  bool hasDepthRuns = along != across ? along > across
                                      : counter.hasNeighbours(true) ||
                                            !counter.hasNeighbours(false);
  order.alongDepth = hasDepthRuns || factor.bytes == 1;
  order.acrossLines = order.alongDepth && !hasDepthRuns;
  const TileShape &tile = *factor.launch.tile;
  int64_t outer = factor.isLeft ? tile.rows : tile.columns;
  int64_t window = getWindow(factor.contraction, tile.depth);
  if (!order.alongDepth &&
      tile.depth / window * outer / order.piece >= factor.launch.threads)
    order.window = window;
  if (!order.async && factor.isMoved && factor.bytes < 4 && !order.acrossLines)
    counter.findRun(order);
  return order;
}

/// What the count depends on: of the tile and of the contraction only the side
/// of the factor.
static std::vector<int64_t> makeKey(const FactorReads &factor,
                                    const PlacedRead &read,
                                    OpFactsCache &cache) {
  auto getNumber = [](AffineExpr expr) {
    return int64_t(reinterpret_cast<intptr_t>(expr.getAsOpaquePointer()));
  };
  const TileShape &tile = *factor.launch.tile;
  const ContractionShape &contraction = factor.contraction;
  std::vector<int64_t> key = {factor.isLeft ? tile.rows : tile.columns,
                              tile.depth,
                              int64_t(tile.async),
                              factor.launch.threads,
                              factor.isLeft ? contraction.rows
                                            : contraction.columns,
                              contraction.depth,
                              contraction.batches,
                              getWindow(contraction, tile.depth),
                              factor.bytes,
                              int64_t(factor.isMoved),
                              int64_t(factor.isLeft),
                              getNumber(read.access->linear)};
  for (const PlacedRead *other : factor.reads) {
    const ValueFacts &base = cache.getValue(other->base);
    key.insert(key.end(), {getNumber(other->access->linear), base.elementBytes,
                           int64_t(base.elements.value_or(0))});
    for (auto &[expr, size] : other->access->guards)
      key.insert(key.end(), {getNumber(expr), size});
  }
  for (const RunTimeIndex &index : read.indices)
    key.insert(key.end(),
               {index.size, int64_t(index.loopOf == contraction.op)});
  return key;
}

/// Loads of a thread for each element of a piece: all of its window, of which
/// neighbours along the last loop share what they both cover.
static double countWindowLoads(const FactorReads &factor,
                               const PlacedRead &read,
                               const PieceOrder &order) {
  AffineExpr linear = read.access->linear;
  MLIRContext *context = linear.getContext();
  // The element next to one, and by how much it lies further on.
  auto measure = [&](AffineExpr variable) {
    AffineExpr next =
        linear.replace(variable, variable + getAffineConstantExpr(1, context));
    return simplifyAffineExpr(next - linear, 2, read.indices.size());
  };
  AffineExpr along =
      order.alongDepth
          ? AffineExpr()
          : measure(getAffineDimExpr(factor.isLeft ? 0 : 1, context));
  double loads = 1;
  for (auto [i, index] : llvm::enumerate(read.indices)) {
    if (!index.isWindow || !linear.isFunctionOfSymbol(i))
      continue;
    double size = double(std::max<int64_t>(index.size, 1));
    double piece = double(order.piece);
    bool overlaps = along && measure(getAffineSymbolExpr(i, context)) == along;
    loads *= overlaps ? (piece + size - 1) / piece : size;
  }
  return loads;
}

static TileTraffic countSide(const FactorReads &factor, const PlacedRead &read,
                             OpFactsCache &cache) {
  const ValueFacts &base = cache.getValue(read.base);
  CopyCounter counter(factor.contraction, factor.launch, read,
                      base.elementBytes, base.elements.value_or(0));
  PieceOrder order = chooseOrder(factor, cache);
  TileTraffic traffic;
  double loads = countWindowLoads(factor, read, order);
  traffic.sectors = loads * counter.count(order);
  // Copies of 16 bytes pass L1 by; it keeps what a tile of others touches.
  if (order.async && order.piece * base.elementBytes == kAccessBytes)
    return traffic;
  traffic.distinct = counter.findDistinct(order) / loads;
  traffic.tileBytes = counter.getTileBytes();
  return traffic;
}

AccessTraffic cost::countOperand(const GroupShape &shape,
                                 const LaunchShape &launch,
                                 ArrayRef<PlacedRead> reads, size_t number,
                                 OpFactsCache &cache) {
  const PlacedRead &read = reads[number];
  FactorReads factor = findBeside(shape, launch, reads, read);
  auto [known, isNew] =
      cache.traffic.knownTiles.try_emplace(makeKey(factor, read, cache));
  TileTraffic &tiles = known->second;
  if (isNew)
    tiles = countSide(factor, read, cache);
  // Each tile once for each tile of the other factor.
  const ContractionShape &contraction = factor.contraction;
  double repeats =
      double(factor.isLeft
                 ? llvm::divideCeil(contraction.columns, launch.tile->columns)
                 : llvm::divideCeil(contraction.rows, launch.tile->rows));
  AccessTraffic traffic;
  traffic.requested = std::ceil(repeats * tiles.sectors);
  traffic.inBlock = std::ceil(traffic.requested * tiles.distinct);
  traffic.blockBytes = tiles.tileBytes;
  return traffic;
}
