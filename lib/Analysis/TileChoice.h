// The tiles that a contraction may have, by the time of their blocks.
#ifndef FUSE_MLIR_LIB_ANALYSIS_TILECHOICE_H
#define FUSE_MLIR_LIB_ANALYSIS_TILECHOICE_H

#include "LaunchChoice.h"

#include <limits>

namespace mlir::fuse {

/// What a block does, in clocks.
struct BlockClocks {
  /// Of a multiprocessor that has others to run, and from start to end.
  double work = 0, latency = 0;
  /// For sums that several blocks share.
  double exchange = 0;
};

/// A tile, and what its blocks take.
struct TileChoice {
  LaunchShape launch;
  BlockClocks block;
  /// Clocks, and what they count for in a choice.
  double time = 0, price = 0;

  int64_t getElements() const {
    return launch.tile->rows * launch.tile->columns;
  }
  /// Whether it is taken instead of what was the best so far.
  bool replaces(const TileChoice &best) const {
    return price < best.price ||
           (price == best.price && launch.tile->parts == 1);
  }
};

/// The tile that the program asks for (`fuse.tile`), if it does.
std::optional<TileShape> getGivenTile(const GroupShape &shape);
/// Each tile that `shape` may have, with as many blocks to share its sums as
/// are best.
llvm::SmallVector<TileChoice> rankTiles(const GroupShape &shape);
/// The best of `choices` with up to `mostElements` sums; the smallest tile if
/// there is none.
const TileChoice &
takeBest(llvm::ArrayRef<TileChoice> choices,
         int64_t mostElements = std::numeric_limits<int64_t>::max());
/// As many blocks one after another as a multiprocessor has, or as take as long
/// where their warps are not shared evenly by its quarters (the latency of a
/// single block has that). Small ones run side by side.
double getWaves(int64_t blocks, int64_t threads);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_TILECHOICE_H
