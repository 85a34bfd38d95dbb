// How many blocks and threads a group runs on and which elements each thread
// visits: the choice that `fuse-select-schedules` writes down and that the cost
// model prices.
#ifndef FUSE_MLIR_ANALYSIS_LAUNCHSHAPE_H
#define FUSE_MLIR_ANALYSIS_LAUNCHSHAPE_H

#include "fuse-mlir/Analysis/GroupShape.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/TypeRange.h"

namespace mlir::fuse {

/// The tile of a contraction that a block owns (see `#fuse.tile`).
struct TileShape {
  int64_t rows = 1, columns = 1, depth = 1;
  int64_t rowWarps = 1, columnWarps = 1;
  int64_t stages = 1, group = 1, parts = 1;
  TileUnit unit = TileUnit::Fma;
  bool async = true;
};

/// How the lanes of a warp hold its results once the matrix units have summed them
/// up and lanes have exchanged them, a slab of rows at a time.
struct ResultLayout {
  static constexpr int64_t kSlabRows = 16;
  /// Columns of the warp.
  int64_t columns = 16;
  /// Neighbouring results of a lane.
  int64_t vector = 2;
  /// These follow each other down the rows, not along the columns.
  bool downRows = false;

  /// The matrix units leave two neighbours of a row to a lane: that is enough.
  bool isFragment() const { return vector == 2 && !downRows; }
  /// Lanes beside each other: that have chunks of the same rows, or columns.
  int64_t countLanes() const;
  /// Chunks of a lane in a slab.
  int64_t countChunks() const {
    return kSlabRows * columns / vector / 32;
  }
  /// The first result of chunk `number` (of all slabs) of `lane`, in the rows and
  /// columns of the warp.
  std::pair<AffineExpr, AffineExpr> place(AffineExpr number,
                                          AffineExpr lane) const;
};

/// Grid, block and layout of a kernel.
struct LaunchShape {
  int64_t grid = 1;
  /// Threads of a block.
  int64_t threads = 1;
  /// Chunks that a thread visits, and neighbouring elements of each.
  int64_t positions = 1, vector = 1;
  Residency residency = Residency::None;
  /// Paths `row` and `column`: threads that share a row, and rows of a block.
  int64_t threadsPerRow = 1, rowsPerBlock = 1;
  /// Blocks that share the rows of a block, each with its own columns. Beyond
  /// one they write partial results to `scratchBytes` of global memory, and
  /// the last one reads these.
  int64_t parts = 1;
  int64_t scratchBytes = 0;
  /// Path `mixed`: rows that a thread visits one after another. Its positions
  /// are those of all of them.
  int64_t steps = 1;
  /// Elements by which the layout of a row may begin before it, so that chunks
  /// begin at sectors; 0 for layouts without a shift.
  int64_t shift = 0;
  /// Path `pointwise`: elements between the positions of a thread, if these do
  /// not lie side by side with those of other threads; else 0.
  int64_t stride = 0;
  /// Shared memory for rows that are kept or staged, in bytes of a block.
  int64_t stagedBytes = 0;
  /// Path `tile`.
  std::optional<TileShape> tile;
  /// Path `tile`: the `vector` results follow each other down the rows.
  bool downRows = false;

  /// Whether positions are visited by a loop, for each reduction again. Rows
  /// that are kept in shared memory are; several short ones of path `row` that
  /// pass through it are not.
  bool isLooped(KernelPath path) const {
    return (residency == Residency::Shared &&
            (rowsPerBlock == 1 || path == KernelPath::Column)) ||
           residency == Residency::Reread || residency == Residency::None;
  }
};

/// The launch of a group of `shape` that reads tensors of types `inputs` and
/// writes `outputs`, all of static shape. That of a packed one has the blocks
/// of all parts, and positions and vectors of one.
LaunchShape chooseLaunch(const GroupShape &shape, TypeRange inputs,
                         TypeRange outputs);

/// The launches of the parts of a packed `shape`, in order. All have the same
/// number of threads, a power of two, so that a barrier of one part is reached
/// by all threads of its blocks.
SmallVector<LaunchShape> choosePartLaunches(const GroupShape &shape);

/// Path `row`: registers for each element of a row that reductions and outputs
/// need one after another, at least 1.
int64_t countHeldWords(const GroupShape &shape);

/// Tiles of a contraction.
int64_t countTiles(const ContractionShape &contraction,
                      const TileShape &tile);

/// Path `tile`: whether reductions of the rows follow the contractions; whether
/// then a warp holds whole rows, or tiles beside each other leave partial results
/// of a row, which the last of their blocks puts together. (The third way are
/// clusters, `joinsRows`.)
bool reducesRows(const GroupShape &shape);
bool holdsRows(const GroupShape &shape);
bool sharesRows(const GroupShape &shape);

/// Partial results of a row that is shared: those of the warps that follow each
/// other along it.
int64_t countRowShares(const GroupShape &shape, int64_t tileColumns,
                       int64_t columnWarps);

/// The same tile on path `tile`, for chips without matrix units for it.
LaunchShape avoidMatrixUnits(const GroupShape &shape,
                             const LaunchShape &launch);

/// Contractions of a tiled kernel, by their numbers: those whose sums have
/// equally many steps are walked along together, one walk after the other.
SmallVector<SmallVector<unsigned>> getWalks(const GroupShape &shape);

/// Which batch, and which tile down and across in it, a block owns.
struct TilePlace {
  AffineExpr batch, row, column;
};
TilePlace placeTile(const ContractionShape &contraction, const TileShape &tile,
                    AffineExpr block);

/// How many of a looped kernel's positions, of `vector` elements each, a thread
/// handles in one step, so that several loads are under way. Divides
/// `positions`.
int64_t getUnroll(const GroupShape &shape, int64_t vector, int64_t positions);

/// Where sizes are known at run time only: the steps, of `columns` columns each,
/// that are worth a block of their own among those that share rows.
int64_t getFewestSharedSteps(const GroupShape &shape, int64_t columns);

/// The layout of `launch`, as `#fuse.schedule` has it: (block, thread,
/// position, lane) to an element, to (row, column), or to an index for each axis.
AffineMap getLayout(MLIRContext *context, const GroupShape &shape,
                    const LaunchShape &launch);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_LAUNCHSHAPE_H
