// Launches of reductions whose rows are neighbours in memory, and the sharing
// of rows by blocks.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// As many positions as do not fill the registers with elements and, on path
/// `column`, accumulators.
static int64_t getMostUnroll(const GroupShape &shape, int64_t vector) {
  constexpr int64_t kMost = 8, kWords = 32;
  int64_t words = vector;
  if (shape.path == KernelPath::Column) {
    int64_t results = 0;
    for (Operation *root : shape.roots)
      results += root->getNumResults();
    words *= std::max<int64_t>(results, 1);
  }
  return std::clamp<int64_t>(kWords / words, 1, kMost);
}

int64_t fuse::getUnroll(const GroupShape &shape, int64_t vector,
                        int64_t positions) {
  int64_t unroll = getMostUnroll(shape, vector);
  while (positions % unroll != 0)
    --unroll;
  return unroll;
}

void fuse::splitColumns(LaunchShape &launch, const GroupShape &shape,
                        const Footprint &footprint, int64_t blocks,
                        int64_t chunks, int64_t positions) {
  // Bytes that a thread reads before the partial results are exchanged.
  constexpr int64_t kFewest = 8 * kAccessBytes;
  // The exchange, written and read, may add a twentieth to the bytes.
  constexpr int64_t kTraffic = 2 * 20;
  // Blocks of 256 threads: what the device holds at once, or half.
  // Blocks of 256 threads: two on each multiprocessor have more than enough
  // bytes under way, and more of them only exchange more.
  constexpr int64_t kBlocks = kFullDevice / 4;
  int64_t parts = 1;
  int64_t bytes = positions * launch.vector * footprint.smallest;
  int64_t result = std::max<int64_t>(shape.rows * footprint.resultBytes, 1);
  if (shape.singlePass)
    parts = std::max<int64_t>(
        std::min({bytes / kFewest, kBlocks / blocks,
                  footprint.inputBytes / (kTraffic * result)}),
        1);
  // Of about as many parts, those that read the least in vain.
  int64_t unroll = getMostUnroll(shape, launch.vector);
  int64_t least = INT64_MAX;
  for (int64_t wanted = parts; 4 * wanted >= 3 * parts; --wanted) {
    int64_t each = ceilDiv(positions, wanted);
    // A few positions more if they can be unrolled.
    if (each > unroll)
      while (getUnroll(shape, launch.vector, each) * 4 < unroll * 3)
        ++each;
    int64_t real = ceilDiv(chunks, each * launch.threadsPerRow);
    if (each * real >= least)
      continue;
    least = each * real;
    launch.positions = each;
    launch.parts = real;
  }
  if (launch.parts > 1)
    launch.scratchBytes = launch.parts * shape.rows * footprint.resultBytes;
}

int64_t fuse::getFewestSharedSteps(const GroupShape &shape, int64_t columns) {
  // What is exchanged, written and read, may add a twentieth to the bytes.
  constexpr int64_t kFewest = 2, kTraffic = 2 * 20;
  int64_t space = shape.rows * shape.columns, bytes = 0;
  for (const LeafAccess &access : shape.accesses)
    if (shape.sizes.assume(shape.sizes.getElements(access.value)) >= space)
      bytes += bytesOf(access.value.getType());
  return std::max(kFewest, ceilDiv(kTraffic * getPartialBytes(shape.roots),
                                   std::max<int64_t>(bytes * columns, 1)));
}

/// Threads along the columns, for `across` threads along the rows.
static int64_t chooseThreadsPerRow(const GroupShape &shape, int64_t across,
                                   int64_t threads, int64_t fewest) {
  int64_t most = std::max<int64_t>(threads / across, 1);
  int64_t wanted = std::clamp<int64_t>(shape.columns / fewest, 1, most);
  // The exchange adds up eight at a time.
  return wanted > 8 ? wanted / 8 * 8 : llvm::bit_floor(uint64_t(wanted));
}

/// Keeps a strip that is `across` threads wide in shared memory if it fits
/// there. `most` threads can exchange partial results.
static bool keepStrip(const GroupShape &shape, const Footprint &footprint,
                      int64_t across, int64_t most, LaunchShape &launch) {
  constexpr int64_t kThreads = kMaxThreads / 2, kTogether = 2;
  int64_t space = std::max<int64_t>(shape.rows * shape.columns, 1);
  int64_t threads = chooseThreadsPerRow(shape, across, std::min(kThreads, most),
                                        /*fewest=*/1);
  int64_t positions = llvm::alignTo(ceilDiv(shape.columns, threads), kTogether);
  int64_t lanes = threads * across * launch.vector;
  int64_t bytes = lanes * positions * (footprint.inputBytes / space);
  if (bytes == 0 || bytes + lanes * footprint.resultBytes > kRowSharedBytes)
    return false;
  launch.residency = Residency::Shared;
  launch.threadsPerRow = threads;
  launch.positions = positions;
  launch.stagedBytes = bytes;
  return true;
}

/// A thread for each row, whose columns it takes in order.
static LaunchShape chooseOrdered(const GroupShape &shape) {
  LaunchShape launch;
  int64_t rows = std::max<int64_t>(shape.rows, 1);
  launch.threads = rows >= Rates::kMultiprocessors * 128 ? 128 : kWarp;
  launch.rowsPerBlock = launch.threads;
  launch.positions = std::max<int64_t>(shape.columns, 1);
  launch.grid = ceilDiv(rows, launch.threads);
  return launch;
}

LaunchShape fuse::chooseColumn(const GroupShape &shape,
                               const Footprint &footprint) {
  if (shape.singlePass && needOrder(shape.roots))
    return chooseOrdered(shape);
  constexpr int64_t kThreads = 256;
  LaunchShape launch;
  int64_t rows = std::max<int64_t>(shape.rows, 1);
  launch.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  while (shape.neighbours % launch.vector || rows % launch.vector)
    launch.vector /= 2;
  // Threads along the rows: whole runs of neighbours, or a warp of them; a warp
  // of rows that are no neighbours.
  int64_t run = shape.neighbours > 1 ? shape.neighbours / launch.vector : rows;
  int64_t across = run <= 2 * kWarp ? run : kWarp;
  // Partial results are exchanged through shared memory.
  constexpr int64_t kExchange = 96 * 1024;
  int64_t most = kExchange / (launch.vector * footprint.resultBytes);
  launch.residency = shape.singlePass ? Residency::None : Residency::Reread;
  launch.threadsPerRow = chooseThreadsPerRow(
      shape, across, std::min(kThreads, most), /*fewest=*/8);
  if (!shape.singlePass) {
    // Narrow the strip until its columns fit the registers of a block.
    // What is computed in f64 needs more registers beside the elements.
    int64_t words = launch.vector * ceilDiv(footprint.largest, 4) *
                    std::max<int64_t>(footprint.fullInputs, 1);
    int64_t limit = footprint.largest == 8 ? kRowWords / 2 : kRowWords;
    // A strip is a sector wide at least.
    int64_t sector = std::max<int64_t>(
        kSectorBytes / (launch.vector * footprint.smallest), 1);
    for (int64_t width = across;; width /= 2) {
      int64_t threads = chooseThreadsPerRow(
          shape, width, std::min(kMaxThreads, most), /*fewest=*/1);
      // A thread of a large block has 64 registers.
      if (width * threads > kMaxThreads / 2)
        limit = std::min(limit, 3 * kRowWords / 4);
      int64_t keep = std::max<int64_t>(limit / words, 1);
      if (ceilDiv(shape.columns, threads) <= keep) {
        across = width;
        launch.threadsPerRow =
            std::max(std::min(threads, launch.threadsPerRow),
                     std::min(threads, static_cast<int64_t>(llvm::alignTo(
                                           ceilDiv(shape.columns, keep), 8))));
        launch.residency = Residency::Registers;
        break;
      }
      if (width % 2 == 0 && width / 2 >= sector)
        continue;
      if (keepStrip(shape, footprint, sector, most, launch))
        across = sector;
      break;
    }
  }
  // Few columns leave room for more rows, as long as there are enough blocks.
  int64_t room = launch.residency == Residency::Shared
                     ? 0
                     : kThreads / 2 / launch.threadsPerRow;
  across = std::max(across, std::min(room, ceilDiv(rows / launch.vector,
                                                   Rates::kMultiprocessors)));
  launch.rowsPerBlock = across * launch.vector;
  int64_t strips = ceilDiv(rows, launch.rowsPerBlock);
  int64_t positions = ceilDiv(shape.columns, launch.threadsPerRow);
  if (launch.residency != Residency::Shared)
    launch.positions = positions;
  if (launch.residency == Residency::None ||
      launch.residency == Residency::Reread)
    splitColumns(launch, shape, footprint, strips, shape.columns, positions);
  launch.threads = across * launch.threadsPerRow;
  launch.grid = strips * launch.parts;
  return launch;
}

void fuse::widenColumn(const GroupShape &shape, int64_t threads,
                       LaunchShape &launch) {
  int64_t across = llvm::bit_floor(
      static_cast<uint64_t>(launch.threads / launch.threadsPerRow));
  int64_t columns = launch.positions * launch.threadsPerRow;
  int64_t kept = launch.stagedBytes / (launch.positions * launch.threads);
  launch.threads = threads;
  launch.threadsPerRow = threads / across;
  launch.positions = ceilDiv(columns, launch.threadsPerRow);
  launch.stagedBytes = kept * launch.positions * launch.threads;
  launch.rowsPerBlock = across * launch.vector;
  launch.grid = ceilDiv(std::max<int64_t>(shape.rows, 1), launch.rowsPerBlock) *
                launch.parts;
}

AffineMap fuse::getColumnLayout(MLIRContext *context,
                                const LaunchShape &launch) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  int64_t across = launch.threads / launch.threadsPerRow;
  AffineExpr row = block.floorDiv(launch.parts) * launch.rowsPerBlock +
                   (thread % across) * launch.vector + lane;
  AffineExpr first = (block % launch.parts) * launch.positions + position;
  AffineExpr column = first * launch.threadsPerRow + thread.floorDiv(across);
  return AffineMap::get(4, 0, {row, column}, context);
}
