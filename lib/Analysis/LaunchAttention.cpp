// Launch of an attention: how many queries a block owns, how many threads share
// one, and whether the keys are visited a tile at a time.
#include "LaunchChoice.h"

#include "fuse-mlir/Analysis/Attention.h"
#include "fuse-mlir/Analysis/StreamedAttention.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

int64_t fuse::getBytesPerQuery(const GroupShape &shape) {
  Type scores = shape.stages[0].outputs.front().getType();
  Type weights = shape.stages[1].outputs.front().getType();
  int64_t bytes = bytesOf(scores);
  if (getElementTypeOrSelf(scores) != getElementTypeOrSelf(weights))
    bytes += bytesOf(weights);
  // And a result of each reduction.
  return shape.columns * bytes + 16 * int64_t(shape.roots.size());
}

namespace {
/// Queries of a block, keys of a step, and warps, which share the queries.
struct Candidate {
  int64_t queries, keys, warps;
  /// The part of the arithmetic's peak that it can reach: what a warp reads
  /// from shared memory for a product falls with its queries.
  double efficiency;
};
} // namespace

/// Ordered from large to small: of about equal prices the first one is taken,
/// which reads less.
static constexpr Candidate kMmaCandidates[] = {
    {128, 64, 4, 1.0}, {128, 64, 8, 0.9}, {64, 64, 4, 0.8}, {32, 64, 2, 0.6},
    {16, 64, 1, 0.4},  {64, 32, 4, 0.7},  {32, 32, 2, 0.5}, {16, 32, 1, 0.35},
    {64, 16, 4, 0.5},  {16, 16, 1, 0.3},
};
static constexpr Candidate kFmaCandidates[] = {
    {128, 64, 4, 1.0}, {128, 32, 4, 0.95}, {64, 64, 4, 0.8}, {64, 32, 4, 0.75},
    {64, 32, 2, 0.7},  {32, 32, 2, 0.6},   {16, 32, 1, 0.4},
};

/// Shared memory of a block: an sm_86 has room for one, an sm_90 for two.
static constexpr int64_t kMostShared = 96 * 1024;

static int64_t getKeptBytes(Value factor) {
  return bytesOf(getKeptFactor(factor).getType());
}

/// Steps of each of the blocks that share the keys of a tile of queries.
static constexpr int64_t kSharedSteps[] = {64, 32, 24, 16, 12, 8, 6, 4, 3, 2};

/// The launch of a candidate; nothing if a block has not enough registers or
/// shared memory.
static std::optional<LaunchShape>
launchStreamed(const GroupShape &shape, const StreamedAttention &attention,
               const Candidate &candidate, TileUnit unit, int64_t parts,
               const ResultLayout &results) {
  constexpr int64_t kMostWords = 176;
  const ContractionShape &scores = attention.scores, &sums = attention.sums;
  bool onMatrixUnits = unit == TileUnit::Mma;
  TileShape tile;
  tile.unit = unit;
  tile.rows = candidate.queries;
  tile.columns = candidate.keys;
  tile.depth = llvm::PowerOf2Ceil(std::max<int64_t>(scores.depth, 16));
  tile.rowWarps = candidate.warps;
  tile.parts = parts;
  int64_t width = llvm::alignTo(sums.columns, onMatrixUnits ? 16 : 32);
  // The scores and sums of a thread. On matrix units, queries may be loaded
  // again for each step.
  int64_t perThread = tile.rows / tile.rowWarps / (onMatrixUnits ? 8 : 4);
  int64_t team = onMatrixUnits ? 4 : 8;
  if (perThread * (tile.columns + width) / team > kMostWords)
    return std::nullopt;
  int64_t once = tile.rows * tile.depth * getKeptBytes(scores.left);
  if (!onMatrixUnits)
    once += 4 * tile.rows * tile.columns;
  int64_t perStage = tile.columns * (tile.depth * getKeptBytes(scores.right) +
                                     int64_t(llvm::PowerOf2Ceil(width)) *
                                         getKeptBytes(sums.right));
  tile.stages = once + 2 * perStage <= kMostShared ? 2 : 1;
  LaunchShape launch;
  launch.stagedBytes = once + tile.stages * perStage;
  if (!results.isFragment())
    launch.stagedBytes =
        std::max(launch.stagedBytes,
                 4 * ResultLayout::kSlabRows * width * tile.rowWarps);
  if (launch.stagedBytes > kMostShared)
    return std::nullopt;
  launch.threads = kWarp * tile.rowWarps;
  launch.vector = onMatrixUnits ? 2 : 4;
  launch.positions = tile.rows * tile.columns / launch.threads / launch.vector;
  launch.residency = Residency::Shared;
  launch.grid =
      shape.rows / shape.queries * ceilDiv(shape.queries, tile.rows) * parts;
  if (parts > 1)
    launch.scratchBytes = 4 * launch.grid * std::min(tile.rows, shape.queries) *
                          attention.countSharedWords(unit);
  launch.rowsPerBlock = tile.rows;
  launch.threadsPerRow = team;
  launch.tile = tile;
  return launch;
}

/// The time in clocks: the longest of a multiprocessor's products, of the
/// softmax of their scores, and of its keys and values from L2; or the steps of
/// one block, which wait for memory.
static double getPrice(const GroupShape &shape,
                       const StreamedAttention &attention,
                       const LaunchShape &launch, double efficiency) {
  // Instructions of a thread for a score.
  constexpr double kScoreSlots = 24;
  const TileShape &tile = *launch.tile;
  bool onMatrixUnits = tile.unit == TileUnit::Mma;
  double passes = double(attention.countPasses());
  double places = double(tile.rows * tile.columns);
  double products =
      places * (passes * double(attention.scores.depth) +
                double(llvm::alignTo(attention.sums.columns, 16)));
  double rate = onMatrixUnits ? Rates::kTensorProducts : Rates::kFmaProducts;
  double slots = passes * places * kScoreSlots;
  double bytes =
      double(tile.columns) *
      double(attention.scores.depth * getKeptBytes(attention.scores.right) +
             attention.sums.columns * getKeptBytes(attention.sums.right));
  // A warp has a quarter of a multiprocessor's units at most.
  double part = std::min(double(tile.rowWarps) / 4, 1.0);
  double latency = Rates::kLatency / (tile.stages > 1 ? 1.0 : 0.5);
  double work = products / rate + slots / 128;
  double alone = std::max(work / part, latency);
  double each = std::max(work / efficiency, bytes / Rates::kOperandBytes);
  // On average; masks end most tiles early.
  double steps = double(attention.countAllSteps(shape, tile)) /
                 double(ceilDiv(shape.queries, tile.rows));
  steps = std::max(1.0, std::ceil(steps / double(tile.parts)));
  double waves = double(launch.grid) / double(Rates::kMultiprocessors);
  waves = waves <= 4 ? std::ceil(waves) : waves;
  // Of two that wait, the one with less to do.
  double busy = waves * steps * each, waiting = steps * alone;
  double time = std::max(busy, waiting) + 0.05 * std::min(busy, waiting);
  // The last block reads what the others have left one after another.
  constexpr double kMergeClocks = 300;
  if (tile.parts > 1)
    time += Rates::kExchange + kMergeClocks * double(tile.parts) +
            2 * double(launch.scratchBytes) / double(Rates::kMultiprocessors) /
                Rates::kOperandBytes;
  return time;
}

/// Bytes of keys and values, each element once.
static double getKeyBytes(const GroupShape &shape,
                          const StreamedAttention &attention) {
  const ContractionShape &scores = attention.scores, &sums = attention.sums;
  return double(shape.rows / shape.queries * shape.columns) *
         double(scores.depth * getKeptBytes(scores.right) +
                sums.columns * getKeptBytes(sums.right));
}

/// Into how many parts the keys may be split: what blocks find can be put
/// together, and the exchange, written and read, adds a twentieth to the bytes,
/// or little.
static SmallVector<int64_t> getParts(const GroupShape &shape,
                                     const StreamedAttention &attention,
                                     const Candidate &candidate,
                                     TileUnit unit) {
  SmallVector<int64_t> all = {1};
  // Scratch memory and the counters of teams have constant sizes.
  if (!attention.maySplit() || !shape.sizes.isStatic())
    return all;
  double tiles = double(shape.rows / shape.queries *
                        ceilDiv(shape.queries, candidate.queries));
  double exchanged = 2 * 4 * tiles *
                     double(std::min(candidate.queries, shape.queries)) *
                     double(attention.countSharedWords(unit));
  int64_t steps = ceilDiv(shape.columns, candidate.keys);
  for (int64_t each : kSharedSteps) {
    int64_t parts = ceilDiv(steps, each);
    if (parts > all.back() &&
        exchanged * double(parts) <=
            std::max(getKeyBytes(shape, attention) / 20, kSmallExchange))
      all.push_back(parts);
  }
  return all;
}

namespace {
struct StreamedChoice {
  LaunchShape launch;
  double price = 0;
};
} // namespace

static std::optional<StreamedChoice> findBest(const GroupShape &shape,
                                              bool mayUseMatrixUnits) {
  std::optional<StreamedAttention> attention = matchStreamed(shape);
  if (!attention)
    return std::nullopt;
  bool onMatrixUnits = mayUseMatrixUnits &&
                       suitsMatrixUnits(attention->scores) &&
                       suitsMatrixUnits(attention->sums);
  ArrayRef<Candidate> candidates = kFmaCandidates;
  if (onMatrixUnits)
    candidates = kMmaCandidates;
  std::optional<StreamedChoice> best;
  TileUnit unit = onMatrixUnits ? TileUnit::Mma : TileUnit::Fma;
  ResultLayout results = attention->getResults(shape, unit);
  for (const Candidate &candidate : candidates)
    for (int64_t parts : getParts(shape, *attention, candidate, unit)) {
      std::optional<LaunchShape> launch =
          launchStreamed(shape, *attention, candidate, unit, parts, results);
      if (!launch)
        continue;
      double price = getPrice(shape, *attention, *launch, candidate.efficiency);
      // To share is to write and read more: not for a little.
      if (parts > 1)
        price = std::max(price / kWorthSharing, Rates::kShortest);
      if (best && price >= 0.98 * best->price)
        continue;
      best = {std::move(*launch), price};
    }
  return best;
}

std::optional<LaunchShape> fuse::chooseStreamed(const GroupShape &shape,
                                                bool mayUseMatrixUnits) {
  std::optional<StreamedChoice> best = findBest(shape, mayUseMatrixUnits);
  return best ? std::optional(std::move(best->launch)) : std::nullopt;
}

std::optional<double> fuse::getStreamedClocks(const GroupShape &shape) {
  std::optional<StreamedChoice> best =
      findBest(shape, /*mayUseMatrixUnits=*/true);
  return best ? std::optional(best->price) : std::nullopt;
}

/// Whole rows of scores in shared memory.
static LaunchShape chooseStaged(const GroupShape &shape) {
  constexpr int64_t kThreads = 128, kPreferredShared = 96 * 1024;
  int64_t perQuery = getBytesPerQuery(shape);
  int64_t queries = std::max<int64_t>(shape.queries, 1);
  LaunchShape launch;
  launch.threads = kThreads;
  launch.residency = Residency::Shared;
  // A warp for each query, each with several that share what it reads of the
  // keys; all threads for one query where there are few or where they are long.
  bool wide = queries < 4 || 4 * perQuery > kRowSharedBytes;
  launch.threadsPerRow = wide ? kThreads : kWarp;
  int64_t teams = kThreads / launch.threadsPerRow;
  int64_t batches = ceilDiv(std::max<int64_t>(shape.rows, 1), queries);
  launch.positions =
      std::min<int64_t>(8, llvm::PowerOf2Ceil(ceilDiv(queries, teams)));
  auto blocks = [&] {
    return batches * ceilDiv(queries, teams * launch.positions);
  };
  while (launch.positions > 1 &&
         (teams * launch.positions * perQuery > kPreferredShared ||
          blocks() < 2 * 132))
    launch.positions /= 2;
  launch.rowsPerBlock = teams * launch.positions;
  launch.vector = 4;
  while (shape.columns % launch.vector != 0)
    launch.vector /= 2;
  launch.grid = blocks();
  launch.stagedBytes = launch.rowsPerBlock * perQuery;
  return launch;
}

LaunchShape fuse::chooseAttention(const GroupShape &shape,
                                  bool mayUseMatrixUnits) {
  if (std::optional<LaunchShape> streamed =
          chooseStreamed(shape, mayUseMatrixUnits))
    return *streamed;
  return chooseStaged(shape);
}

/// The scores of the first step that a thread has. It goes on to those of the
/// next ones.
static AffineMap getStreamedLayout(MLIRContext *context,
                                   const GroupShape &shape,
                                   const TileShape &tile) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  int64_t tiles = ceilDiv(shape.queries, tile.rows);
  bool onMatrixUnits = tile.unit == TileUnit::Mma;
  int64_t team = onMatrixUnits ? 4 : 8, width = onMatrixUnits ? 2 : 4;
  int64_t across = tile.columns / (team * width);
  AffineExpr inRow = position.floorDiv(across);
  AffineExpr down = (thread % kWarp).floorDiv(team);
  // Blocks that share keys have the same queries.
  block = block.floorDiv(tile.parts);
  AffineExpr row = block.floorDiv(tiles) * shape.queries +
                   (block % tiles) * tile.rows +
                   thread.floorDiv(kWarp) * (tile.rows / tile.rowWarps);
  row = onMatrixUnits ? row + inRow * 8 + down
                      : row + inRow.floorDiv(4) * 16 + down * 4 + inRow % 4;
  AffineExpr column =
      (position % across) * (team * width) + (thread % team) * width + lane;
  return AffineMap::get(4, 0, {row, column}, context);
}

/// Row `positions * team + p` of the tile is visited by each team of threads.
AffineMap fuse::getAttentionLayout(MLIRContext *context,
                                   const GroupShape &shape,
                                   const LaunchShape &launch) {
  if (launch.tile)
    return getStreamedLayout(context, shape, *launch.tile);
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  int64_t tiles = ceilDiv(shape.queries, launch.rowsPerBlock);
  AffineExpr row = block.floorDiv(tiles) * shape.queries +
                   (block % tiles) * launch.rowsPerBlock +
                   thread.floorDiv(launch.threadsPerRow) * launch.positions +
                   position;
  AffineExpr column = (thread % launch.threadsPerRow) * launch.vector + lane;
  return AffineMap::get(4, 0, {row, column}, context);
}
