// Launches of kernels that reduce over rows and over columns of one space.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// About `most` blocks, and the rows of each.
static void chooseSteps(const GroupShape &shape, int64_t most,
                        LaunchShape &launch) {
  int64_t visits =
      ceilDiv(std::max<int64_t>(shape.rows, 1), launch.rowsPerBlock);
  launch.steps = ceilDiv(visits, std::clamp<int64_t>(most, 1, visits));
  // One step less, if the blocks are not many more and have no row too many:
  // what need not be asked costs nothing.
  int64_t fewer = launch.steps - 1;
  if (visits % launch.steps != 0 && fewer > 0 && visits % fewer == 0 &&
      3 * (visits / fewer) <= 4 * most)
    launch.steps = fewer;
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
  // What blocks leave for others, and read, may add a tenth to the bytes, a
  // third where multiprocessors would be idle otherwise.
  constexpr int64_t kTraffic = 2 * 10, kLeastTraffic = 2 * 3;
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
  // A row for each warp if its registers suffice, so that no row waits at a
  // barrier, else for several warps; always several rows, whose loads are under
  // way together.
  constexpr int64_t kWarpWords = 64, kThreads = 512;
  int64_t most = std::max<int64_t>(kWarpWords / words, 1);
  launch.threadsPerRow =
      chunks <= kWarp * most
          ? std::min<int64_t>(kWarp, llvm::PowerOf2Ceil(chunks))
          : llvm::alignTo(
                ceilDiv(chunks, std::max(std::max<int64_t>(most / 2, 1),
                                         ceilDiv(chunks, kMaxThreads))),
                kWarp);
  // Elements of 16 bits are computed with in registers of their own.
  bool isNarrow = footprint.smallest < 4;
  int64_t threads =
      launch.threadsPerRow <= kWarp || isNarrow ? kThreads / 2 : kThreads;
  launch.rowsPerBlock = std::max<int64_t>(threads / launch.threadsPerRow, 1);
  while (launch.rowsPerBlock > 1 &&
         launch.rowsPerBlock * shape.columns * resultBytes > kStaticShared)
    launch.rowsPerBlock /= 2;
  launch.threads = launch.threadsPerRow * launch.rowsPerBlock;
  int64_t traffic = footprint.inputBytes + footprint.outputBytes;
  int64_t exchange = shape.columns * std::max<int64_t>(resultBytes, 1);
  int64_t filling =
      std::min(Rates::kMultiprocessors, traffic / (kLeastTraffic * exchange));
  chooseSteps(
      shape,
      std::min(kBlocks, std::max(traffic / (kTraffic * exchange), filling)),
      launch);
  return launch;
}

void fuse::widenMixed(const GroupShape &shape, int64_t threads,
                      LaunchShape &launch) {
  launch.threads = threads;
  if (launch.threadsPerRow > kWarp)
    launch.threadsPerRow = threads;
  // Threads that are too many rows for the exchange share them.
  int64_t resultBytes = getPartialBytes(shape.columnRoots);
  auto exchanges = [&] {
    return threads / launch.threadsPerRow * shape.columns * resultBytes;
  };
  while (launch.threadsPerRow < threads && exchanges() > kStaticShared)
    launch.threadsPerRow *= 2;
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
