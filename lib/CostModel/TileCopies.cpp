// Sectors of what the blocks of path `tile` copy to shared memory: the pieces
// of a tile are looked at lane by lane, as code generation gives them to
// threads (lib/Codegen/TileMemory.cpp).
#include "CountScratch.h"
#include "WarpAccess.h"

#include "fuse-mlir/Analysis/ElementAccess.h"
#include "fuse-mlir/CostModel/TiledContraction.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

/// Tiles, steps of the sum, and pieces of a tile that are looked at.
static constexpr int64_t kTiles = 3, kSteps = 4, kPieces = 8;
static constexpr int64_t kAccessBytes = 16;

namespace {
/// A tile of a factor: `outers` places of `outer`, `depths` steps of `depth`.
struct FactorTile {
  int64_t outer, depth, outers, depths;
  bool isLeft;
};

/// How threads take a tile: neighbours of a piece, along the depth or along the
/// outer places.
struct PieceOrder {
  int64_t piece = 1;
  bool alongDepth = true, async = false;
  /// Neighbouring threads take pieces of different lines.
  bool acrossLines = false;
};

/// The elements that a warp takes at once, one for each neighbour of a piece.
struct WarpPiece {
  SmallVector<Lanes, 8> numbers;
  SmallVector<std::array<bool, kWarp>, 8> active;
};

/// Counts the reads of one tensor on the way to the tiles of a factor.
class CopyCounter {
public:
  CopyCounter(const ContractionShape &contraction, const LaunchShape &launch,
              const PlacedRead &read, int64_t elementBytes);

  /// Whether neighbours of the tensor are neighbours along the depth.
  bool hasNeighbours(bool alongDepth) const;
  /// Elements of the largest pieces that lie side by side and aligned in
  /// memory; 0 if these are of fewer than four bytes.
  int64_t findWidth(bool alongDepth) const;
  double count(const PieceOrder &order) const;
  /// The part of the sectors of a tile that is asked for the first time.
  double findDistinct(const PieceOrder &order) const;
  double getTileBytes() const {
    return double((dependsOnOuter ? tile.outer : 1) * tile.depth *
                  elementBytes);
  }

private:
  WarpPiece evaluate(const PieceOrder &order, int64_t tile, int64_t step,
                     int64_t firstPiece) const;
  double countPiece(const WarpPiece &piece,
                    std::vector<int64_t> *seen = nullptr) const;
  template <typename Use>
  void forEachSample(const PieceOrder &order, Use use) const;
  int64_t countPieces(const PieceOrder &order) const;
  int64_t getSteps() const { return llvm::divideCeil(tile.depths, tile.depth); }

  FactorTile tile;
  int64_t elementBytes, threads, batches;
  /// Whether it is another place for another row (or column).
  bool dependsOnOuter;
  /// Over the row, the column and the step of the sum.
  std::optional<LaneProgram> linear;
  SmallVector<std::pair<LaneProgram, int64_t>, 2> guards;
  SmallVector<int64_t> indices;
};
} // namespace

/// `expr` with the loops along the sums of `contraction` computed from the
/// number of the step, the third dimension.
static AffineExpr overDepth(AffineExpr expr,
                            const ContractionShape &contraction,
                            ArrayRef<RunTimeIndex> kinds) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> symbols;
  int64_t inner = contraction.depth;
  for (auto [i, index] : llvm::enumerate(kinds)) {
    symbols.push_back(getAffineSymbolExpr(i, context));
    if (index.loopOf != contraction.op)
      continue;
    AffineExpr depth = getAffineDimExpr(2, context);
    AffineExpr rest = depth % inner;
    inner = std::max<int64_t>(inner / std::max<int64_t>(index.size, 1), 1);
    symbols.back() = rest.floorDiv(inner);
  }
  return expr.replaceSymbols(symbols);
}

CopyCounter::CopyCounter(const ContractionShape &contraction,
                         const LaunchShape &launch, const PlacedRead &read,
                         int64_t elementBytes)
    : elementBytes(elementBytes), threads(launch.threads),
      batches(contraction.batches) {
  bool isLeft = !read.access->linear.isFunctionOfDim(1);
  tile = {isLeft ? launch.tile->rows : launch.tile->columns, launch.tile->depth,
          isLeft ? contraction.rows : contraction.columns, contraction.depth,
          isLeft};
  dependsOnOuter = read.access->linear.isFunctionOfDim(isLeft ? 0 : 1);
  linear.emplace(overDepth(read.access->linear, contraction, read.indices));
  for (auto &[expr, size] : read.access->guards)
    guards.push_back(
        {LaneProgram(overDepth(expr, contraction, read.indices)), size});
  for (const RunTimeIndex &index : read.indices)
    indices.push_back(std::max<int64_t>(index.size / 2, 0));
}

/// What a warp has of the pieces from `firstPiece` on of a tile.
WarpPiece CopyCounter::evaluate(const PieceOrder &order, int64_t number,
                                int64_t step, int64_t firstPiece) const {
  Lanes outer, depth, zero{};
  std::array<bool, kWarp> exists;
  int64_t inLine = (order.alongDepth ? tile.depth : tile.outer) / order.piece;
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    int64_t id = firstPiece + lane;
    exists[lane] = id < tile.outer * tile.depth / order.piece;
    int64_t line = order.acrossLines ? id % tile.outer : id / inLine;
    int64_t place = order.acrossLines ? id / tile.outer : id % inLine;
    outer[lane] =
        number * tile.outer + (order.alongDepth ? line : place * order.piece);
    depth[lane] =
        step * tile.depth + (order.alongDepth ? place * order.piece : line);
  }
  WarpPiece piece;
  // Whole pieces exist or do not; else each neighbour is asked.
  auto move = [&](int64_t at, int64_t neighbour, int64_t size, bool along) {
    if (!along)
      return std::min(at, size - 1);
    return size % order.piece == 0
               ? std::min(at, size - order.piece) + neighbour
               : std::min(at + neighbour, size - 1);
  };
  for (int64_t next = 0; next < order.piece; ++next) {
    Lanes outers, depths;
    std::array<bool, kWarp> active = exists;
    for (int64_t lane = 0; lane < kWarp; ++lane) {
      outers[lane] = move(outer[lane], next, tile.outers, !order.alongDepth);
      depths[lane] = move(depth[lane], next, tile.depths, order.alongDepth);
      // Copies fill with zeros what is beyond the sum; loads read the last.
      if (order.async)
        active[lane] &=
            depth[lane] + (order.alongDepth ? next : 0) < tile.depths;
    }
    std::array<Lanes, 3> at = {tile.isLeft ? outers : zero,
                               tile.isLeft ? zero : outers, depths};
    piece.numbers.push_back(linear->run(at, indices));
    for (auto &[guard, size] : guards) {
      Lanes values = guard.run(at, indices);
      for (int64_t lane = 0; lane < kWarp; ++lane)
        active[lane] &= values[lane] >= 0 && values[lane] < size;
    }
    piece.active.push_back(active);
  }
  return piece;
}

/// Pieces of 32 threads in a tile. What is the same for all lines, a thread
/// reads once if it has the same place in all of its lines.
int64_t CopyCounter::countPieces(const PieceOrder &order) const {
  int64_t pieces = tile.outer * tile.depth / order.piece;
  if (order.alongDepth && !order.acrossLines && !dependsOnOuter &&
      threads % (tile.depth / order.piece) == 0)
    pieces = std::min(pieces, threads);
  return llvm::divideCeil(pieces, kWarp);
}

/// Calls `use` with warps' pieces and how many each stands for.
template <typename Use>
void CopyCounter::forEachSample(const PieceOrder &order, Use use) const {
  int64_t tiles = llvm::divideCeil(tile.outers, tile.outer);
  int64_t pieces = countPieces(order);
  for (auto [number, tileWeight] : sampleNumbers(tiles, kTiles))
    for (auto [step, stepWeight] : sampleNumbers(getSteps(), kSteps))
      for (auto [piece, weight] : sampleNeighbours(pieces, kPieces))
        if (!use(evaluate(order, number, step, piece * kWarp),
                 tileWeight * stepWeight * weight))
          return;
}

int64_t CopyCounter::findWidth(bool alongDepth) const {
  for (int64_t width = kAccessBytes / elementBytes;
       width * elementBytes >= 4 && width > 0; width /= 2) {
    bool fits = true;
    if ((alongDepth ? tile.depth : tile.outer) % width == 0)
      forEachSample({width, alongDepth}, [&](const WarpPiece &piece, double) {
        for (int64_t lane = 0; lane < kWarp; ++lane) {
          fits &= piece.numbers[0][lane] % width == 0;
          for (int64_t i = 1; i < width; ++i)
            fits &= piece.numbers[i][lane] == piece.numbers[0][lane] + i &&
                    piece.active[i][lane] == piece.active[0][lane];
        }
        return fits;
      });
    else
      fits = false;
    if (fits)
      return width;
  }
  return 0;
}

bool CopyCounter::hasNeighbours(bool alongDepth) const {
  int64_t size = alongDepth ? tile.depths : tile.outers;
  int64_t others = alongDepth ? tile.outers : tile.depths;
  if (size < 2)
    return false;
  for (int64_t start : {int64_t(0), size / 2})
    for (int64_t other : {int64_t(0), others / 2}) {
      Lanes first, second, across, zero{};
      across.fill(other);
      for (int64_t lane = 0; lane < kWarp; ++lane) {
        first[lane] = std::min(start + lane, size - 2);
        second[lane] = first[lane] + 1;
      }
      auto run = [&](const Lanes &along) {
        const Lanes &outers = alongDepth ? across : along;
        std::array<Lanes, 3> at = {tile.isLeft ? outers : zero,
                                   tile.isLeft ? zero : outers,
                                   alongDepth ? along : across};
        return linear->run(at, indices);
      };
      Lanes a = run(first), b = run(second);
      for (int64_t lane = 0; lane < kWarp; ++lane)
        if (b[lane] != a[lane] + 1)
          return false;
    }
  return true;
}

/// Sectors of the accesses of a warp: an asynchronous copy, or loads of which
/// those of aligned neighbours are joined. They are added to `seen`, if there
/// is one.
double CopyCounter::countPiece(const WarpPiece &piece,
                               std::vector<int64_t> *seen) const {
  double count = 0;
  int64_t size = piece.numbers.size();
  auto joins = [&](int64_t first, int64_t width) {
    for (int64_t i = 0; i < width; ++i)
      for (int64_t lane = 0; lane < kWarp; ++lane)
        if (piece.active[first + i] != piece.active[first] ||
            piece.numbers[first][lane] % width != 0 ||
            piece.numbers[first + i][lane] != piece.numbers[first][lane] + i)
          return false;
    return true;
  };
  for (int64_t i = 0, width; i < size; i += width) {
    width = size;
    while (width > 1 && (i + width > size || !joins(i, width)))
      width /= 2;
    // The same for all neighbours: read once.
    if (i > 0 && width == 1 && piece.numbers[i] == piece.numbers[i - 1])
      continue;
    SmallVector<int64_t, kWarp> sectors;
    for (int64_t lane = 0; lane < kWarp; ++lane)
      if (piece.active[i][lane])
        sectors.push_back(piece.numbers[i][lane] * elementBytes / kSectorBytes);
    llvm::sort(sectors);
    sectors.erase(llvm::unique(sectors), sectors.end());
    count += double(sectors.size());
    if (seen)
      llvm::append_range(*seen, sectors);
  }
  return count;
}

double CopyCounter::count(const PieceOrder &order) const {
  double sum = 0;
  forEachSample(order, [&](const WarpPiece &piece, double weight) {
    sum += weight * countPiece(piece);
    return true;
  });
  return sum * double(batches);
}

double CopyCounter::findDistinct(const PieceOrder &order) const {
  int64_t tiles = llvm::divideCeil(tile.outers, tile.outer);
  std::vector<int64_t> seen;
  for (int64_t piece = 0; piece < countPieces(order); ++piece)
    countPiece(evaluate(order, tiles / 2, getSteps() / 2, piece * kWarp),
               &seen);
  double all = double(seen.size());
  llvm::sort(seen);
  seen.erase(llvm::unique(seen), seen.end());
  return all == 0 ? 1 : double(seen.size()) / all;
}

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
                      cache.getValue(largest.base).elementBytes);
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
  return order;
}

/// What the count depends on.
static std::vector<int64_t> makeKey(const FactorReads &factor,
                                    const PlacedRead &read,
                                    OpFactsCache &cache) {
  auto getNumber = [](AffineExpr expr) {
    return int64_t(reinterpret_cast<intptr_t>(expr.getAsOpaquePointer()));
  };
  const TileShape &tile = *factor.launch.tile;
  const ContractionShape &contraction = factor.contraction;
  std::vector<int64_t> key = {-1,
                              tile.rows,
                              tile.columns,
                              tile.depth,
                              int64_t(tile.async),
                              factor.launch.threads,
                              contraction.rows,
                              contraction.columns,
                              contraction.depth,
                              contraction.batches,
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

static AccessTraffic countFactor(const FactorReads &factor,
                                 const PlacedRead &read, int64_t bytes,
                                 OpFactsCache &cache) {
  const TileShape &tile = *factor.launch.tile;
  const ContractionShape &contraction = factor.contraction;
  // Each tile once for each tile of the other factor.
  double repeats =
      double(factor.isLeft ? llvm::divideCeil(contraction.columns, tile.columns)
                           : llvm::divideCeil(contraction.rows, tile.rows));
  CopyCounter counter(contraction, factor.launch, read, bytes);
  PieceOrder order = chooseOrder(factor, cache);
  AccessTraffic traffic;
  traffic.requested = std::ceil(repeats * counter.count(order));
  traffic.inBlock = traffic.requested;
  // Copies of 16 bytes pass L1 by; it keeps what a tile of others touches.
  if (order.async && order.piece * bytes == kAccessBytes)
    return traffic;
  traffic.inBlock = std::ceil(traffic.requested * counter.findDistinct(order));
  traffic.blockBytes = counter.getTileBytes();
  return traffic;
}

AccessTraffic cost::countOperand(const GroupShape &shape,
                                 const LaunchShape &launch,
                                 ArrayRef<PlacedRead> reads, size_t number,
                                 OpFactsCache &cache) {
  const PlacedRead &read = reads[number];
  FactorReads factor = findBeside(shape, launch, reads, read);
  auto [known, isNew] =
      cache.traffic.known.try_emplace(makeKey(factor, read, cache));
  if (isNew)
    known->second = countFactor(factor, read,
                                cache.getValue(read.base).elementBytes, cache);
  return known->second;
}
