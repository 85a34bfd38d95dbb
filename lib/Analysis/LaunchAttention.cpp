// Launch of an attention: how many queries a block owns, and how many threads
// share one.
#include "LaunchChoice.h"

#include "fuse-mlir/Analysis/Attention.h"

#include "llvm/Support/MathExtras.h"

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

LaunchShape fuse::chooseAttention(const GroupShape &shape) {
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

/// Row `positions * team + p` of the tile is visited by each team of threads.
AffineMap fuse::getAttentionLayout(MLIRContext *context,
                                   const GroupShape &shape,
                                   const LaunchShape &launch) {
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
