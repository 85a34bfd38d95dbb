// Chooses the tile of a contraction.
#include "TileChoice.h"

#include "fuse-mlir/Analysis/MatrixUnits.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <numeric>

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A tile that may be chosen, and which part of the peak of matrix units it can
/// reach: what a warp reads from shared memory per product falls with its size.
struct Candidate {
  int64_t rows, columns, rowWarps, columnWarps;
  double efficiency = 1;
};
} // namespace

/// Ordered from large to small: of equal prices the last one is taken, which
/// has the most blocks.
static constexpr Candidate kMmaTiles[] = {
    {128, 128, 2, 2, 1.0}, {64, 128, 2, 2, 0.9}, {128, 64, 2, 2, 0.9},
    {64, 64, 2, 2, 0.75},  {32, 64, 1, 2, 0.6},  {16, 64, 1, 2, 0.4},
    {32, 32, 1, 1, 0.45},  {16, 32, 1, 1, 0.3},
};
static constexpr Candidate kFmaTiles[] = {
    {128, 128, 4, 2}, {64, 128, 2, 2}, {128, 64, 4, 1},
    {64, 64, 2, 1},   {64, 64, 2, 2},  {32, 64, 2, 2},
    {16, 64, 1, 2},   {32, 32, 2, 1},  {16, 32, 1, 1},
};
/// The same where the lanes of a warp reduce whole rows afterwards.
static constexpr Candidate kHeldMmaTiles[] = {
    {128, 128, 4, 1, 1.0}, {64, 256, 4, 1, 0.85}, {64, 128, 4, 1, 0.85},
    {128, 64, 4, 1, 0.85}, {32, 256, 2, 1, 0.6},  {32, 128, 2, 1, 0.6},
    {64, 64, 4, 1, 0.7},   {32, 64, 2, 1, 0.55},  {16, 256, 1, 1, 0.35},
    {16, 128, 1, 1, 0.35}, {32, 32, 2, 1, 0.45},  {16, 64, 1, 1, 0.3},
    {16, 32, 1, 1, 0.3},
};
static constexpr Candidate kHeldFmaTiles[] = {
    {128, 128, 4, 1}, {64, 256, 4, 1}, {64, 128, 4, 1}, {128, 64, 4, 1},
    {32, 256, 2, 1},  {32, 128, 2, 1}, {64, 64, 4, 1},  {32, 64, 2, 1},
    {16, 256, 1, 1},  {16, 128, 1, 1}, {32, 32, 2, 1},  {16, 64, 1, 1},
    {16, 32, 1, 1},
};
/// Further ones where tiles beside each other are a cluster.
static constexpr Candidate kJoinedMmaTiles[] = {
    {64, 256, 2, 4, 1.0},
    {32, 256, 1, 4, 0.8},
    {32, 128, 1, 4, 0.65},
    {16, 128, 1, 4, 0.4},
};
static constexpr Candidate kJoinedFmaTiles[] = {
    {64, 256, 2, 4},
    {32, 256, 1, 4},
    {32, 128, 2, 2},
    {16, 128, 1, 4},
};
/// Blocks that share the sums of a tile, and clocks of the exchange for each.
static constexpr int64_t kParts[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
static constexpr double kShare = 100;

/// Shared memory of a block, so that an sm_86 has room for one and an sm_90 for
/// two.
static constexpr int64_t kMostShared = 96 * 1024;

namespace {
/// What the tiles of a group have in common on one unit.
struct Factors {
  TileUnit unit = TileUnit::Fma;
  /// Bytes of the widest element that is kept in shared memory.
  int64_t elementBytes = 1;
  /// Bytes and words of the sums of all contractions at one place.
  int64_t sumBytes = 0, sumWords = 0;
  /// Left and right factors that are walked along together, at most, and of all
  /// of them: those that several contractions have in common count once.
  std::array<int64_t, 2> together = {1, 1}, distinct = {0, 0};
  /// Steps of a product of fragments, at most.
  int64_t fragment = 1;
  /// Bytes of all factors, each element once.
  double operandBytes = 0;
  /// Products in a clock of a multiprocessor: those of the slowest contraction.
  double rate = 0;
  /// How results are stored.
  ResultLayout results;

  /// Steps of the sum in a tile: a line of eight accesses of 16 bytes for each
  /// row or column. Elements that pass through registers take one each, so of
  /// bytes there are half as many.
  int64_t getDepth() const { return std::min<int64_t>(128 / elementBytes, 64); }
  /// Bytes of the factors of one stage.
  int64_t getStageBytes(const TileShape &tile) const {
    return elementBytes * tile.depth *
           (together[0] * tile.rows + together[1] * tile.columns);
  }
};
} // namespace

/// How results are stored: as the widest of them lie in memory. Sums of 64 bits
/// are where two neighbours are 16 bytes.
static ResultLayout chooseResults(const GroupShape &shape) {
  auto isWide = [](const ContractionShape &contraction) {
    return bytesOf(contraction.op->getResult(0).getType()) != 4;
  };
  if (llvm::any_of(shape.contractions, isWide))
    return ResultLayout();
  AffineExpr rows = shape.contractions.front().rowExtent;
  return chooseResultLayout(shape, reducesRows(shape) ? AffineExpr() : rows);
}

/// Those for multiply-adds (without `forms`), or for matrix units.
static Factors getFactors(const GroupShape &shape, ArrayRef<MatrixForm> forms) {
  Factors factors;
  factors.unit = forms.empty() ? TileUnit::Fma : TileUnit::Mma;
  double elements = 0;
  llvm::SmallDenseMap<AffineExpr, std::array<int64_t, 2>, 4> walks;
  for (auto [i, contraction] : llvm::enumerate(shape.contractions)) {
    Type left = getKeptFactor(contraction.left).getType();
    Type right = getKeptFactor(contraction.right).getType();
    if (!forms.empty()) {
      left = forms[i].left.getType();
      right = forms[i].right.getType();
      factors.fragment = std::max(factors.fragment, forms[i].depth);
      double rate = Rates::kTensorProducts * forms[i].rate;
      factors.rate = i == 0 ? rate : std::min(factors.rate, rate);
    }
    factors.elementBytes =
        std::max({factors.elementBytes, bytesOf(left), bytesOf(right)});
    int64_t sum = bytesOf(contraction.op->getResult(0).getType());
    factors.sumBytes += sum;
    factors.sumWords += ceilDiv(sum, 4);
    std::array<int64_t, 2> &walk = walks[contraction.depthExtent];
    for (bool isRight : {false, true}) {
      if (keepsFactorOfEarlier(shape.contractions, i, !isRight))
        continue;
      ++factors.distinct[isRight];
      factors.together[isRight] =
          std::max(factors.together[isRight], ++walk[isRight]);
    }
    elements += double(contraction.batches * contraction.depth) *
                double(contraction.rows + contraction.columns);
  }
  factors.operandBytes = elements * double(factors.elementBytes);
  if (forms.empty())
    factors.rate = factors.elementBytes == 8 ? Rates::kDoubleProducts
                                             : Rates::kFmaProducts;
  else
    factors.results = chooseResults(shape);
  return factors;
}

/// The forms of all contractions; none if the matrix units cannot multiply one
/// of them in tiles of `depth` steps or, without it, of those that would be
/// chosen.
static SmallVector<MatrixForm> getMatrixForms(const GroupShape &shape,
                                              int64_t depth = 0) {
  SmallVector<MatrixForm> forms;
  for (const ContractionShape &contraction : shape.contractions) {
    std::optional<MatrixForm> form = matchMatrixForm(contraction);
    if (!form)
      return {};
    forms.push_back(*form);
  }
  if (depth == 0)
    depth = getFactors(shape, forms).getDepth();
  if (llvm::any_of(forms, [&](const MatrixForm &form) {
        return depth % form.depth != 0;
      }))
    return {};
  return forms;
}

/// As many tiles as divide the tiles down a column, up to eight; where their
/// number is not known, blocks make do with what is left at the end.
static int64_t chooseGroup(const ContractionShape &contraction, int64_t rows) {
  if (!isa<AffineConstantExpr>(contraction.rowExtent))
    return 8;
  int64_t tiles = std::max<int64_t>(ceilDiv(contraction.rows, rows), 1);
  int64_t group = std::min<int64_t>(tiles, 8);
  while (tiles % group != 0)
    --group;
  return group;
}

/// Steps that all sums together take in tiles of `depth`, those that fill up
/// the last ones included.
static int64_t countSteps(const GroupShape &shape, int64_t depth) {
  int64_t steps = 0;
  for (const ContractionShape &contraction : shape.contractions)
    steps += ceilDiv(contraction.depth, depth) * depth;
  return steps;
}

/// Whole windows of a convolution, or rows of these, if there is room for them
/// and they do not fill up the last tile with much more: then threads know
/// which place of the window an element is for.
static int64_t chooseDepth(const GroupShape &shape, const Factors &factors,
                           TileShape tile) {
  int64_t usual = factors.getDepth();
  for (int64_t window : getWindows(shape.contractions.front())) {
    if (usual % window == 0)
      break;
    tile.depth = std::lcm(std::max<int64_t>(factors.fragment, 16), window);
    if (2 * factors.getStageBytes(tile) <= kMostShared &&
        8 * countSteps(shape, tile.depth) <= 9 * countSteps(shape, usual))
      return tile.depth;
  }
  return usual;
}

/// Depth, stages and order for the other sizes of `tile`.
static TileShape completeTile(const GroupShape &shape, const Factors &factors,
                              TileShape tile) {
  tile.unit = factors.unit;
  tile.depth = chooseDepth(shape, factors, tile);
  bool threeFit = 3 * factors.getStageBytes(tile) <= kMostShared;
  tile.stages = tile.unit == TileUnit::Mma && threeFit ? 3 : 2;
  // Blocks of a cluster follow each other along the rows.
  tile.group =
      shape.joinsRows ? 1 : chooseGroup(shape.contractions.front(), tile.rows);
  return tile;
}

/// Bytes of one partial result of each reduction of a row.
static int64_t getRowResultBytes(const GroupShape &shape) {
  int64_t bytes = 0;
  for (Operation *root : shape.roots)
    if (llvm::none_of(shape.contractions, [&](const ContractionShape &own) {
          return own.op == root;
        }))
      for (Type type : getPartialTypes(root))
        bytes += bytesOf(type);
  return bytes;
}

/// The launch for `tile`.
static LaunchShape launchTile(const GroupShape &shape, const Factors &factors,
                              const TileShape &tile) {
  const ContractionShape &first = shape.contractions.front();
  LaunchShape launch;
  launch.threads = kWarp * tile.rowWarps * tile.columnWarps;
  launch.vector = tile.unit == TileUnit::Mma ? factors.results.vector : 4;
  launch.downRows = factors.results.downRows;
  launch.positions = tile.rows * tile.columns / launch.threads / launch.vector;
  int64_t tiles = countTiles(first, tile);
  launch.grid = tiles * tile.parts;
  launch.stagedBytes = tile.stages * factors.getStageBytes(tile);
  if (!factors.results.isFragment())
    launch.stagedBytes =
        std::max(launch.stagedBytes,
                 4 * ResultLayout::kSlabRows * tile.columns * tile.rowWarps);
  if (tile.parts > 1)
    launch.scratchBytes =
        launch.grid * tile.rows * tile.columns * factors.sumBytes;
  if (sharesRows(shape))
    launch.scratchBytes +=
        shape.rows * countRowShares(shape, tile.columns, tile.columnWarps) *
        getRowResultBytes(shape);
  launch.tile = tile;
  return launch;
}

/// Whether as many blocks may share a tile's sums: the sizes are known, each
/// has a few steps, and the exchange, written and read, adds a twentieth to the
/// bytes, or little.
static bool mayShare(const GroupShape &shape, const Factors &factors,
                     const LaunchShape &launch) {
  constexpr int64_t kFewestSteps = 4;
  if (launch.tile->parts == 1)
    return true;
  if (!shape.sizes.isStatic() || sharesRows(shape) || shape.joinsRows ||
      2 * double(launch.scratchBytes) >
          std::max(factors.operandBytes / 20, kSmallExchange))
    return false;
  return llvm::all_of(shape.contractions, [&](const ContractionShape &c) {
    int64_t steps = ceilDiv(c.depth, launch.tile->depth);
    int64_t each = ceilDiv(steps, launch.tile->parts);
    return each >= kFewestSteps && each * (launch.tile->parts - 1) < steps;
  });
}

/// Of one block: the longest of a multiprocessor's arithmetic, its operands
/// from L2, and its steps, which wait for memory.
static BlockClocks getBlockClocks(const GroupShape &shape,
                                  const Factors &factors,
                                  const LaunchShape &launch,
                                  double efficiency) {
  const TileShape &tile = *launch.tile;
  double rate = factors.rate;
  double steps = 0;
  for (const ContractionShape &contraction : shape.contractions)
    steps +=
        double(ceilDiv(ceilDiv(contraction.depth, tile.depth), tile.parts));
  double depth = double(tile.depth), count = double(shape.contractions.size());
  double products = double(tile.rows * tile.columns) * depth;
  // Rows and columns of the factors, on average over the contractions.
  double rows = double(tile.rows * factors.distinct[0]) / count;
  double columns = double(tile.columns * factors.distinct[1]) / count;
  double bytes = (rows + columns) * double(factors.elementBytes) * depth;
  double arithmetic = products / rate, each = arithmetic / efficiency;
  if (tile.unit == TileUnit::Fma) {
    // Clocks that shared memory is read and written. The four rows (eight
    // columns) of threads of a warp read 16 bytes each in four clocks, by one
    // instruction, of which a clock has four.
    double reads = depth * (rows * double(tile.columnWarps) / 4 +
                            columns * double(tile.rowWarps) / 8);
    arithmetic += reads / 16;
    each = std::max(arithmetic, reads + bytes / 128);
  }
  // A warp has a quarter of a multiprocessor's units at most.
  double warps = double(tile.rowWarps * tile.columnWarps);
  double alone = std::max(arithmetic / std::min(warps / 4, 1.0),
                          Rates::kLatency / double(tile.stages - 1));
  each = std::max(each, bytes / Rates::kOperandBytes);
  BlockClocks clocks{steps * each, steps * alone, 0};
  if (tile.parts > 1)
    clocks.exchange = Rates::kExchange + kShare * double(tile.parts) +
                      2 * double(launch.scratchBytes) /
                          double(Rates::kMultiprocessors) /
                          Rates::kOperandBytes;
  return clocks;
}

/// The time of a kernel in clocks.
static double getTime(const LaunchShape &launch, const BlockClocks &block) {
  return std::max(getWaves(launch.grid, launch.threads) * block.work,
                  block.latency) +
         block.exchange;
}

/// Whether tiles of so many columns make up rows of `shape` in a cluster.
static bool joins(const GroupShape &shape, int64_t columns) {
  return ceilDiv(shape.columns, columns) <= kMostClustered;
}

bool fuse::mayJoinTiles(const GroupShape &shape) {
  return shape.sizes.isStatic() && joins(shape, /*columns=*/256) &&
         hasClusters(shape.contractions.front().op);
}

std::optional<TileShape> fuse::getGivenTile(const GroupShape &shape) {
  for (const ContractionShape &contraction : shape.contractions) {
    TileAttr given =
        contraction.op->getAttrOfType<TileAttr>(FuseDialect::kTileAttrName);
    if (!given)
      continue;
    if (holdsRows(shape) &&
        (given.getColumns() < shape.columns || given.getColumnWarps() > 1))
      continue;
    if (shape.joinsRows && !joins(shape, given.getColumns()))
      continue;
    TileShape tile;
    tile.rows = given.getRows();
    tile.columns = given.getColumns();
    tile.depth = given.getDepth();
    tile.rowWarps = given.getRowWarps();
    tile.columnWarps = given.getColumnWarps();
    tile.stages = given.getStages();
    // Groups and parts are whole ones.
    int64_t down = ceilDiv(contraction.rows, tile.rows);
    bool isWhole = (down % given.getGroup() == 0 || !shape.sizes.isStatic()) &&
                   !shape.joinsRows;
    tile.group = isWhole ? given.getGroup() : 1;
    bool mayHaveParts =
        shape.sizes.isStatic() && !sharesRows(shape) && !shape.joinsRows;
    tile.parts = mayHaveParts ? given.getParts() : 1;
    tile.unit = getMatrixForms(shape, tile.depth).empty() ? TileUnit::Fma
                                                          : given.getUnit();
    tile.async = given.getAsync();
    return tile;
  }
  return std::nullopt;
}

/// The tiles whose sums a thread can hold beside what it multiplies and, where
/// rows are held, that are wide enough for these; if there are none, the
/// smallest. Threads of clusters keep all their elements until rows are
/// complete.
static SmallVector<Candidate> getCandidates(const GroupShape &shape,
                                            const Factors &factors) {
  constexpr int64_t kMostWords = 128, kMostJoined = 64;
  bool holds = holdsRows(shape);
  bool onMatrixUnits = factors.unit == TileUnit::Mma;
  SmallVector<Candidate> all(onMatrixUnits ? ArrayRef(kMmaTiles) : kFmaTiles);
  if (holds)
    all.assign(onMatrixUnits ? ArrayRef(kHeldMmaTiles) : kHeldFmaTiles);
  else if (shape.joinsRows)
    llvm::append_range(all, onMatrixUnits ? ArrayRef(kJoinedMmaTiles)
                                          : kJoinedFmaTiles);
  int64_t mostWords = shape.joinsRows ? kMostJoined : kMostWords;
  SmallVector<Candidate> candidates;
  std::optional<Candidate> smallest;
  for (const Candidate &candidate : all) {
    if ((holds && candidate.columns < shape.columns) ||
        (shape.joinsRows && !joins(shape, candidate.columns)))
      continue;
    smallest = candidate;
    int64_t threads = kWarp * candidate.rowWarps * candidate.columnWarps;
    if (factors.sumWords * candidate.rows * candidate.columns / threads <=
        mostWords)
      candidates.push_back(candidate);
  }
  if (candidates.empty())
    candidates.push_back(*smallest);
  return candidates;
}

SmallVector<TileChoice> fuse::rankTiles(const GroupShape &shape) {
  Factors factors = getFactors(shape, getMatrixForms(shape));
  SmallVector<TileChoice> choices;
  for (const Candidate &candidate : getCandidates(shape, factors)) {
    std::optional<TileChoice> best;
    TileShape tile;
    tile.rows = candidate.rows;
    tile.columns = candidate.columns;
    tile.rowWarps = candidate.rowWarps;
    tile.columnWarps = candidate.columnWarps;
    tile = completeTile(shape, factors, tile);
    for (int64_t parts : kParts) {
      tile.parts = parts;
      TileChoice choice;
      choice.launch = launchTile(shape, factors, tile);
      if (!mayShare(shape, factors, choice.launch))
        continue;
      choice.block =
          getBlockClocks(shape, factors, choice.launch, candidate.efficiency);
      choice.time = choice.price = getTime(choice.launch, choice.block);
      // To share is to write and read more: not for a little.
      if (parts > 1)
        choice.price = std::max(choice.time / kWorthSharing, Rates::kShortest);
      if (!best || choice.replaces(*best))
        best = std::move(choice);
    }
    choices.push_back(std::move(*best));
  }
  return choices;
}

LaunchShape fuse::chooseTile(const GroupShape &shape) {
  if (std::optional<TileShape> given = getGivenTile(shape)) {
    SmallVector<MatrixForm> forms;
    if (given->unit == TileUnit::Mma)
      forms = getMatrixForms(shape, given->depth);
    return launchTile(shape, getFactors(shape, forms), *given);
  }
  return takeBest(rankTiles(shape)).launch;
}

LaunchShape fuse::avoidMatrixUnits(const GroupShape &shape,
                                   const LaunchShape &launch) {
  if (shape.path == KernelPath::Attention)
    return chooseAttention(shape, /*mayUseMatrixUnits=*/false);
  Factors factors = getFactors(shape, /*forms=*/{});
  return launchTile(shape, factors, completeTile(shape, factors, *launch.tile));
}

void fuse::widenTile(const GroupShape &shape, int64_t threads,
                     LaunchShape &launch) {
  TileShape tile = *launch.tile;
  while (kWarp * tile.rowWarps * tile.columnWarps < threads) {
    // Each warp less, down to the least that it can work on.
    if (tile.columns / tile.columnWarps > 32 && !holdsRows(shape)) {
      tile.columnWarps *= 2;
      continue;
    }
    if (tile.rows / tile.rowWarps <= 16)
      tile.rows *= 2;
    tile.rowWarps *= 2;
  }
  SmallVector<MatrixForm> forms;
  if (tile.unit == TileUnit::Mma)
    forms = getMatrixForms(shape);
  Factors factors = getFactors(shape, forms);
  launch = launchTile(shape, factors, completeTile(shape, factors, tile));
}
