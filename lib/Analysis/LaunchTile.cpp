// Chooses the tile of a contraction, and its layout.
#include "LaunchChoice.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A tile that may be chosen, and which part of the arithmetic's peak it can
/// reach: what a warp reads from shared memory per product falls with its size.
struct Candidate {
  int64_t rows, columns, rowWarps, columnWarps;
  double efficiency;
};
} // namespace

/// Ordered from large to small: of equal prices the first one is taken.
static constexpr Candidate kMmaTiles[] = {
    {128, 128, 2, 2, 1.0}, {64, 128, 2, 2, 0.9},  {128, 64, 2, 2, 0.9},
    {64, 64, 2, 2, 0.75},  {32, 64, 1, 2, 0.6},   {16, 64, 1, 2, 0.4},
    {32, 32, 1, 1, 0.45},  {16, 32, 1, 1, 0.3},
};
static constexpr Candidate kFmaTiles[] = {
    {128, 128, 4, 2, 1.0}, {64, 128, 2, 2, 0.95}, {128, 64, 4, 1, 0.95},
    {64, 64, 2, 2, 0.75},  {32, 64, 2, 2, 0.6},   {16, 64, 1, 2, 0.5},
    {32, 32, 2, 1, 0.45},  {16, 32, 1, 1, 0.35},
};

/// Shared memory of a block, so that an sm_86 has room for one and an sm_90 for
/// two.
static constexpr int64_t kMostShared = 96 * 1024;

/// Multiprocessors of the larger of today's devices.
static constexpr int64_t kMultiprocessors = 132;

int64_t fuse::getTileBlocks(const ContractionShape &contraction,
                            const TileShape &tile) {
  return contraction.batches * ceilDiv(contraction.rows, tile.rows) *
         ceilDiv(contraction.columns, tile.columns);
}

/// The time of all waves, in products of a multiprocessor at its peak.
static double getPrice(const ContractionShape &contraction,
                       const Candidate &candidate) {
  TileShape tile;
  tile.rows = candidate.rows;
  tile.columns = candidate.columns;
  int64_t blocks = getTileBlocks(contraction, tile);
  // Small blocks run side by side on one multiprocessor.
  int64_t each = candidate.rows * candidate.columns;
  double waves = double(blocks) / double(kMultiprocessors);
  waves = std::max(waves, waves <= 4 ? double(ceilDiv(blocks, kMultiprocessors))
                                     : waves);
  return waves * double(each) / candidate.efficiency;
}

/// Bytes of the widest element that is kept in shared memory.
static int64_t getElementBytes(const GroupShape &shape) {
  int64_t bytes = 1;
  for (const ContractionShape &contraction : shape.contractions)
    for (Value factor : {contraction.left, contraction.right})
      bytes = std::max(bytes, bytesOf(getKeptFactor(factor).getType()));
  return bytes;
}

/// As many tiles as divide the tiles down a column, up to eight.
static int64_t chooseGroup(int64_t tiles) {
  int64_t group = std::min<int64_t>(tiles, 8);
  while (tiles % group != 0)
    --group;
  return group;
}

/// The launch for `tile`.
static LaunchShape launchTile(const GroupShape &shape, TileShape tile) {
  int64_t bytes = getElementBytes(shape);
  const ContractionShape &first = shape.contractions.front();
  // A line of eight accesses of 16 bytes for each row or column.
  tile.depth = 128 / bytes;
  int64_t stageBytes = int64_t(shape.contractions.size()) * bytes * tile.depth *
                       (tile.rows + tile.columns);
  bool threeFit = 3 * stageBytes <= kMostShared;
  tile.stages = tile.unit == TileUnit::Mma && threeFit ? 3 : 2;
  tile.group = chooseGroup(ceilDiv(first.rows, tile.rows));
  LaunchShape launch;
  launch.threads = kWarp * tile.rowWarps * tile.columnWarps;
  launch.vector = tile.unit == TileUnit::Mma ? 2 : 4;
  launch.positions = tile.rows * tile.columns / launch.threads / launch.vector;
  launch.grid = getTileBlocks(first, tile);
  launch.stagedBytes = tile.stages * stageBytes;
  launch.tile = tile;
  return launch;
}

/// Whether a thread can hold the sums of all contractions beside what it
/// multiplies.
static bool fitsRegisters(const GroupShape &shape, const Candidate &candidate) {
  constexpr int64_t kMostWords = 128;
  int64_t threads = kWarp * candidate.rowWarps * candidate.columnWarps;
  int64_t words = 0;
  for (const ContractionShape &contraction : shape.contractions)
    words += ceilDiv(bytesOf(contraction.op->getResult(0).getType()), 4);
  return words * candidate.rows * candidate.columns / threads <= kMostWords;
}

LaunchShape fuse::chooseTile(const GroupShape &shape) {
  const ContractionShape &first = shape.contractions.front();
  bool onMatrixUnits = llvm::all_of(shape.contractions, suitsMatrixUnits);
  ArrayRef<Candidate> candidates = kFmaTiles;
  if (onMatrixUnits)
    candidates = kMmaTiles;
  const Candidate *best = nullptr;
  for (const Candidate &candidate : candidates)
    if (fitsRegisters(shape, candidate) &&
        (!best || getPrice(first, candidate) < getPrice(first, *best)))
      best = &candidate;
  if (!best)
    best = &candidates.back();
  TileShape tile;
  tile.unit = onMatrixUnits ? TileUnit::Mma : TileUnit::Fma;
  tile.rows = best->rows;
  tile.columns = best->columns;
  tile.rowWarps = best->rowWarps;
  tile.columnWarps = best->columnWarps;
  return launchTile(shape, tile);
}

LaunchShape fuse::avoidMatrixUnits(const GroupShape &shape,
                                   const LaunchShape &launch) {
  if (shape.path == KernelPath::Attention)
    return chooseAttention(shape, /*mayUseMatrixUnits=*/false);
  TileShape tile = *launch.tile;
  tile.unit = TileUnit::Fma;
  return launchTile(shape, tile);
}

void fuse::widenTile(const GroupShape &shape, int64_t threads,
                     LaunchShape &launch) {
  TileShape tile = *launch.tile;
  while (kWarp * tile.rowWarps * tile.columnWarps < threads) {
    // Each warp less, down to the least that it can work on.
    if (tile.columns / tile.columnWarps > 32) {
      tile.columnWarps *= 2;
      continue;
    }
    if (tile.rows / tile.rowWarps <= 16)
      tile.rows *= 2;
    tile.rowWarps *= 2;
  }
  launch = launchTile(shape, tile);
}

TilePlace fuse::placeTile(const ContractionShape &contraction,
                          const TileShape &tile, AffineExpr block) {
  int64_t down = ceilDiv(contraction.rows, tile.rows);
  int64_t across = ceilDiv(contraction.columns, tile.columns);
  AffineExpr inBatch = block % (down * across);
  AffineExpr inGroup = inBatch % (tile.group * across);
  return {block.floorDiv(down * across),
          inBatch.floorDiv(tile.group * across) * tile.group +
              inGroup % tile.group,
          inGroup.floorDiv(tile.group)};
}

AffineMap fuse::getTileLayout(MLIRContext *context, const GroupShape &shape,
                              const LaunchShape &launch) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  const ContractionShape &contraction = shape.contractions.front();
  const TileShape &tile = *launch.tile;
  TilePlace place = placeTile(contraction, tile, block);
  int64_t down = ceilDiv(contraction.rows, tile.rows);
  AffineExpr warp = thread.floorDiv(kWarp);
  int64_t warpRows = tile.rows / tile.rowWarps;
  int64_t warpColumns = tile.columns / tile.columnWarps;
  AffineExpr row = (place.batch * down + place.row) * tile.rows +
                   warp.floorDiv(tile.columnWarps) * warpRows;
  AffineExpr column = place.column * tile.columns +
                      (warp % tile.columnWarps) * warpColumns;
  if (tile.unit == TileUnit::Mma) {
    // Fragments of 16 rows and eight columns: a thread has two neighbours in
    // each half of the rows.
    int64_t across = warpColumns / 8;
    row = row + position.floorDiv(across) * 8 + (thread % kWarp).floorDiv(4);
    column = column + (position % across) * 8 + (thread % 4) * 2 + lane;
    return AffineMap::get(4, 0, {row, column}, context);
  }
  // Four rows and eight columns of threads, each with groups of four.
  int64_t across = warpColumns / 32;
  AffineExpr inRow = position.floorDiv(across);
  row = row + inRow.floorDiv(4) * 16 + (thread % kWarp).floorDiv(8) * 4 +
        inRow % 4;
  column = column + (position % across) * 32 + (thread % 8) * 4 + lane;
  return AffineMap::get(4, 0, {row, column}, context);
}
