// Pieces of a tile, lane by lane: what a warp copies or loads at once, and how
// many sectors that is.
#include "CopyCounter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

/// Tiles, steps of the sum, and pieces of a tile that are looked at.
static constexpr int64_t kTiles = 3, kSteps = 4, kPieces = 8;
static constexpr int64_t kAccessBytes = 16;

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
                         int64_t elementBytes, int64_t elements)
    : elementBytes(elementBytes), elements(elements), threads(launch.threads),
      batches(contraction.batches) {
  bool isLeft = !read.access->linear.isFunctionOfDim(1);
  tile = {isLeft ? launch.tile->rows : launch.tile->columns, launch.tile->depth,
          isLeft ? contraction.rows : contraction.columns, contraction.depth,
          isLeft};
  dependsOnOuter = read.access->linear.isFunctionOfDim(isLeft ? 0 : 1);
  for (const RunTimeIndex &index : read.indices)
    indices.push_back(std::max<int64_t>(index.size / 2, 0));
  linear.emplace(overDepth(read.access->linear, contraction, read.indices));
  if (linear->isLinear())
    distances = {measure(tile.isLeft ? 0 : 1), measure(2)};
  for (auto &[expr, size] : read.access->guards)
    guards.push_back(
        {LaneProgram(overDepth(expr, contraction, read.indices)), size});
}

/// By how much the place of an element changes with a dimension.
int64_t CopyCounter::measure(unsigned dim) const {
  std::array<Lanes, 3> at{};
  int64_t first = linear->run(at, indices).front();
  at[dim].fill(1);
  return linear->run(at, indices).front() - first;
}

/// Where the pieces of a warp from `firstPiece` on of a tile begin, and which
/// of them there are.
WarpStart CopyCounter::findStart(const PieceOrder &order, int64_t number,
                                 int64_t step, int64_t firstPiece) const {
  WarpStart start;
  int64_t inLine = (order.alongDepth ? tile.depth : tile.outer) / order.piece;
  int64_t apart = order.run > 0 ? 1 : order.window, warp = firstPiece / kWarp;
  int64_t pieces = tile.outer * tile.depth / order.piece / order.window;
  // Of a piece, the line and its place there, or the reverse.
  int64_t size = order.acrossLines ? tile.outer : inLine;
  int64_t id = warp / apart * kWarp, quotient = id / size, rest = id % size;
  for (int64_t lane = 0; lane < kWarp; ++lane, ++id) {
    start.exists[lane] = id < pieces;
    int64_t line =
        order.acrossLines ? rest : quotient * order.window + warp % apart;
    int64_t place = (order.acrossLines ? quotient : rest) * order.piece;
    start.outer[lane] = number * tile.outer + (order.alongDepth ? line : place);
    start.depth[lane] = step * tile.depth + (order.alongDepth ? place : line);
    if (++rest == size) {
      rest = 0;
      ++quotient;
    }
  }
  return start;
}

/// What a warp has of the pieces from `firstPiece` on of a tile.
WarpPiece CopyCounter::evaluate(const PieceOrder &order, int64_t number,
                                int64_t step, int64_t firstPiece) const {
  WarpStart start = findStart(order, number, step, firstPiece);
  Lanes zero{};
  WarpPiece piece;
  piece.exists = start.exists;
  // Lines of runs are looked at together.
  int64_t together = order.run > 0 ? order.window : 1;
  // Whole pieces exist or do not; else each neighbour is asked. Runs go on.
  auto move = [&](const Lanes &from, int64_t line, int64_t neighbour,
                  int64_t size, bool along) {
    Lanes to;
    bool isWhole = along && order.run == 0 && size % order.piece == 0;
    int64_t before = along && !isWhole ? neighbour : 0;
    int64_t behind = isWhole ? neighbour : 0;
    int64_t last = size - (isWhole ? order.piece : 1);
    bool goesOn = along && order.run > 0;
    for (int64_t lane = 0; lane < kWarp; ++lane) {
      int64_t at = from[lane] + line + before;
      to[lane] = goesOn ? at : std::min(at, last) + behind;
    }
    return to;
  };
  // Neighbours in whole pieces of a matrix are at equal distances.
  bool hasDistance =
      distances && guards.empty() && order.run == 0 &&
      (order.alongDepth ? tile.depths : tile.outers) % order.piece == 0;
  for (int64_t next = 0; next < together * order.piece; ++next) {
    if (hasDistance && next > 0) {
      Lanes numbers = piece.numbers.back();
      for (int64_t &number : numbers)
        number += order.alongDepth ? distances->second : distances->first;
      piece.numbers.push_back(numbers);
      piece.active.push_back(piece.active.back());
      continue;
    }
    int64_t inPiece = next % order.piece, line = next / order.piece;
    Lanes outers =
        move(start.outer, 0, inPiece, tile.outers, !order.alongDepth);
    Lanes depths =
        move(start.depth, line, inPiece, tile.depths, order.alongDepth);
    std::array<bool, kWarp> active = piece.exists;
    // Copies fill with zeros what is beyond the sum; loads read the last.
    int64_t ahead = order.alongDepth ? inPiece : 0;
    for (int64_t lane = 0; order.async && lane < kWarp; ++lane)
      active[lane] &= start.depth[lane] + ahead < tile.depths;
    for (int64_t lane = 0; order.run > 0 && lane < kWarp; ++lane)
      active[lane] &= outers[lane] < tile.outers && depths[lane] < tile.depths;
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
  int64_t apart = order.run > 0 ? 1 : order.window;
  return llvm::divideCeil(pieces / order.window, kWarp) * apart;
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

/// The longest runs of at least four bytes that the pieces are made of, as
/// ShiftedRun::find has them.
bool CopyCounter::findRun(PieceOrder &order) const {
  constexpr int64_t kMostVectors = 4;
  auto fits = [&] {
    bool isFirst = true, holds = true;
    forEachSample(order, [&](const WarpPiece &piece, double) {
      for (int64_t i = 1; i < int64_t(piece.numbers.size()); ++i)
        for (int64_t lane = 0; lane < kWarp; ++lane) {
          if (i % order.run == 0 || !piece.active[i][lane] ||
              !piece.active[i - 1][lane])
            continue;
          int64_t distance =
              piece.numbers[i][lane] - piece.numbers[i - 1][lane];
          if (isFirst)
            order.stride = distance;
          isFirst = false;
          holds &= distance == order.stride && distance > 0;
        }
      return holds;
    });
    int64_t span = (order.run - 1) * order.stride + 1;
    return holds && !isFirst && span + order.run <= kMostVectors * order.run;
  };
  for (order.run = order.piece; order.run * elementBytes >= 4; order.run /= 2)
    if (fits())
      return true;
  order.run = 0;
  return false;
}

namespace {
/// Runs that overlap, loaded together.
struct Bundle {
  Lanes first;
  /// Elements from the first to the last.
  int64_t span;
};
} // namespace

/// What the runs of a warp's pieces are parts of.
static SmallVector<Bundle, 4> joinRuns(const PieceOrder &order,
                                       const WarpPiece &piece) {
  SmallVector<Bundle, 4> bundles;
  int64_t span = (order.run - 1) * order.stride + 1;
  for (int64_t run = 0; run < int64_t(piece.numbers.size()); run += order.run) {
    const Lanes &first = piece.numbers[run];
    Bundle *with = llvm::find_if(bundles, [&](const Bundle &bundle) {
      int64_t offset = first[0] - bundle.first[0];
      for (int64_t lane = 0; lane < kWarp; ++lane)
        if (piece.exists[lane] && first[lane] - bundle.first[lane] != offset)
          return false;
      return order.stride == 1 && offset >= 0 && offset <= bundle.span;
    });
    if (with == bundles.end())
      bundles.push_back({first, span});
    else
      with->span = std::max(with->span, first[0] - with->first[0] + span);
  }
  return bundles;
}

/// The number of different `sectors`, which are added to `seen`, if there is
/// one.
static double addDistinct(SmallVectorImpl<int64_t> &sectors,
                          std::vector<int64_t> *seen) {
  sortSectors(sectors);
  if (seen)
    llvm::append_range(*seen, sectors);
  return double(sectors.size());
}

/// The sectors of the vectors around the runs of a warp's pieces.
double CopyCounter::countRuns(const PieceOrder &order, const WarpPiece &piece,
                              std::vector<int64_t> *seen) const {
  double count = 0;
  int64_t width = order.run, last = elements / width - 1;
  for (const Bundle &bundle : joinRuns(order, piece)) {
    // What threads know of where they begin: vectors may fit.
    bool isAligned =
        llvm::all_of(bundle.first, [&](int64_t at) { return at % width == 0; });
    int64_t vectors =
        llvm::divideCeil(bundle.span + (isAligned ? 0 : width - 1), width);
    for (int64_t next = 0; next < vectors; ++next) {
      SmallVector<int64_t, kWarp> sectors;
      for (int64_t lane = 0; lane < kWarp; ++lane) {
        if (!piece.exists[lane])
          continue;
        int64_t number = llvm::divideFloorSigned(bundle.first[lane], width);
        sectors.push_back(std::clamp<int64_t>(number + next, 0, last) * width *
                          elementBytes / kSectorBytes);
      }
      count += addDistinct(sectors, seen);
    }
  }
  return count;
}

/// Sectors of the accesses of a warp: an asynchronous copy, or loads of which
/// those of aligned neighbours are joined. They are added to `seen`, if there
/// is one.
double CopyCounter::countPiece(const PieceOrder &order, const WarpPiece &piece,
                               std::vector<int64_t> *seen) const {
  if (order.run > 0)
    return countRuns(order, piece, seen);
  double count = 0;
  int64_t size = piece.numbers.size();
  auto joins = [&](int64_t first, int64_t width) {
    const Lanes &start = piece.numbers[first];
    if (llvm::any_of(start, [&](int64_t at) { return at % width != 0; }))
      return false;
    for (int64_t i = 1; i < width; ++i) {
      if (piece.active[first + i] != piece.active[first])
        return false;
      for (int64_t lane = 0; lane < kWarp; ++lane)
        if (piece.numbers[first + i][lane] != start[lane] + i)
          return false;
    }
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
    count += addDistinct(sectors, seen);
  }
  return count;
}

double CopyCounter::count(const PieceOrder &order) const {
  double sum = 0;
  forEachSample(order, [&](const WarpPiece &piece, double weight) {
    sum += weight * countPiece(order, piece);
    return true;
  });
  return sum * double(batches);
}

double CopyCounter::findDistinct(const PieceOrder &order) const {
  int64_t tiles = llvm::divideCeil(tile.outers, tile.outer);
  std::vector<int64_t> seen;
  for (int64_t piece = 0; piece < countPieces(order); ++piece)
    countPiece(order, evaluate(order, tiles / 2, getSteps() / 2, piece * kWarp),
               &seen);
  double all = double(seen.size());
  sortSectors(seen);
  return all == 0 ? 1 : double(seen.size()) / all;
}
