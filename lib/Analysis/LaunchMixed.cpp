// Launches of kernels that reduce over rows and over columns of one space.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// At most `most` blocks, and the rows of each.
static void chooseSteps(const GroupShape &shape, int64_t most,
                        LaunchShape &launch) {
  int64_t visits =
      ceilDiv(std::max<int64_t>(shape.rows, 1), launch.rowsPerBlock);
  launch.steps = ceilDiv(visits, std::clamp<int64_t>(most, 1, visits));
  launch.grid = ceilDiv(visits, launch.steps);
  launch.parts = launch.grid;
  int64_t chunks = ceilDiv(shape.columns, launch.vector);
  launch.positions = launch.steps * ceilDiv(chunks, launch.threadsPerRow);
  launch.scratchBytes =
      launch.parts > 1
          ? launch.parts * shape.columns * getPartialBytes(shape.columnRoots)
          : 0;
}

LaunchShape fuse::chooseMixed(const GroupShape &shape,
                              const Footprint &footprint) {
  // Blocks that a device holds at once.
  constexpr int64_t kBlocks = kFullDevice / 2;
  // The exchange, written and read, may add a twelfth to the bytes.
  constexpr int64_t kTraffic = 2 * 12;
  LaunchShape launch;
  launch.residency = Residency::Registers;
  launch.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  while (shape.columns % launch.vector != 0)
    launch.vector /= 2;
  int64_t chunks = shape.columns / launch.vector;
  int64_t resultBytes = getPartialBytes(shape.columnRoots);
  // Of a thread: the row, and a partial result for each of its columns.
  int64_t words =
      launch.vector * (ceilDiv(footprint.largest, 4) *
                           std::max<int64_t>(footprint.fullInputs, 1) +
                       ceilDiv(resultBytes, 4));
  int64_t most = std::max<int64_t>(3 * kRowWords / 2 / words, 1);
  // A row for each warp if its registers suffice, else for the block.
  constexpr int64_t kWarps = 8;
  int64_t exchanged = kWarps * shape.columns * resultBytes;
  if (chunks <= kWarp * most && exchanged <= kStaticShared) {
    launch.threadsPerRow = std::min<int64_t>(kWarp, llvm::PowerOf2Ceil(chunks));
    launch.rowsPerBlock = kWarps * kWarp / launch.threadsPerRow;
    while (launch.rowsPerBlock > 1 &&
           launch.rowsPerBlock * shape.columns * resultBytes > kStaticShared)
      launch.rowsPerBlock /= 2;
  } else {
    int64_t positions = std::max<int64_t>(most / 2, 1);
    positions = std::max(positions, ceilDiv(chunks, kMaxThreads));
    launch.threadsPerRow = llvm::alignTo(ceilDiv(chunks, positions), kWarp);
  }
  launch.threads = launch.threadsPerRow * launch.rowsPerBlock;
  int64_t traffic = footprint.inputBytes + footprint.outputBytes;
  chooseSteps(shape,
              std::min(kBlocks, traffic / (kTraffic * shape.columns *
                                           std::max<int64_t>(resultBytes, 1))),
              launch);
  return launch;
}

void fuse::widenMixed(const GroupShape &shape, int64_t threads,
                      LaunchShape &launch) {
  launch.threads = threads;
  if (launch.threadsPerRow > kWarp)
    launch.threadsPerRow = threads;
  launch.rowsPerBlock = threads / launch.threadsPerRow;
  chooseSteps(shape, launch.grid, launch);
}

AffineMap fuse::getMixedLayout(MLIRContext *context,
                               const LaunchShape &launch) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  int64_t each = launch.positions / launch.steps;
  AffineExpr row =
      (block * launch.steps + position.floorDiv(each)) * launch.rowsPerBlock +
      thread.floorDiv(launch.threadsPerRow);
  AffineExpr column = ((position % each) * launch.threadsPerRow +
                       thread % launch.threadsPerRow) *
                          launch.vector +
                      lane;
  return AffineMap::get(4, 0, {row, column}, context);
}
