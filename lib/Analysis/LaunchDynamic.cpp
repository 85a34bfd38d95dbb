// Launches of kernels with sizes that are known at run time only. Grids are
// those at the assumed sizes; host code computes the real ones.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Chunks that a thread keeps of a row of unknown length.
static constexpr int64_t kMostPositions = 4;

static LaunchShape chooseFlat(const GroupShape &shape,
                              const Footprint &footprint) {
  LaunchShape launch;
  if (shape.path == KernelPath::Pointwise)
    launch.vector =
        std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  launch.threads = shape.path == KernelPath::Pointwise ? 256 : 128;
  launch.grid = ceilDiv(shape.rows, launch.threads * launch.vector);
  return launch;
}

/// A row of known length stays in registers if it fits there; a block loops
/// over a longer one, for each reduction again. Of a row of unknown length this
/// is what is best if it is a multiple of the vector and fits the positions;
/// code generation adds versions for others (SizeVariants.h).
static LaunchShape chooseDynamicRow(const GroupShape &shape,
                                    const Footprint &footprint) {
  constexpr int64_t kThreads = 256;
  LaunchShape launch;
  AffineConstantExpr known = dyn_cast<AffineConstantExpr>(shape.columnExtent);
  int64_t columns = known ? std::max<int64_t>(known.getValue(), 1) : 0;
  launch.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  while (columns % launch.vector != 0)
    launch.vector /= 2;
  int64_t words = countHeldWords(shape);
  int64_t most = std::max<int64_t>(kRowWords / words / launch.vector, 1);
  int64_t chunks = ceilDiv(columns, launch.vector);
  launch.threadsPerRow = kThreads;
  launch.residency = known ? Residency::Reread : Residency::Registers;
  launch.positions = llvm::bit_floor(uint64_t(std::min(most, kMostPositions)));
  if (known && chunks <= most * kMaxThreads) {
    launch.residency = Residency::Registers;
    int64_t wanted = ceilDiv(chunks, most);
    launch.threadsPerRow = wanted <= kWarp ? llvm::PowerOf2Ceil(wanted)
                                           : llvm::alignTo(wanted, kWarp);
    if (chunks > kWarp)
      launch.threadsPerRow = std::max(launch.threadsPerRow, kWarp);
    else
      launch.threadsPerRow = llvm::PowerOf2Ceil(chunks);
    launch.positions = ceilDiv(chunks, launch.threadsPerRow);
  } else if (known) {
    launch.positions = ceilDiv(chunks, kThreads);
  }
  if (launch.threadsPerRow <= kWarp)
    launch.rowsPerBlock = 128 / launch.threadsPerRow;
  launch.threads = launch.threadsPerRow * launch.rowsPerBlock;
  launch.grid = ceilDiv(shape.rows, launch.rowsPerBlock);
  return launch;
}

/// A strip of rows for each block, a warp and its threads' vectors wide. The
/// positions are those that a thread keeps of a short strip, or of one step of
/// a loop; code generation has versions for others (SizeVariants.h).
static LaunchShape chooseStrips(const GroupShape &shape,
                                const Footprint &footprint) {
  // Columns that are needed again stay in the registers of a larger block.
  int64_t threads = shape.singlePass ? 256 : 512;
  LaunchShape launch;
  launch.vector = std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  int64_t words = launch.vector * ceilDiv(footprint.largest, 4) *
                  std::max<int64_t>(footprint.fullInputs, 1);
  int64_t most = std::clamp<int64_t>(kRowWords / words, 1, kMostPositions);
  launch.positions = shape.singlePass
                         ? getUnroll(shape, launch.vector, kMostPositions)
                         : int64_t(llvm::bit_floor(uint64_t(most)));
  launch.residency = shape.singlePass ? Residency::None : Residency::Reread;
  launch.threads = threads;
  launch.threadsPerRow = threads / kWarp;
  launch.rowsPerBlock = kWarp * launch.vector;
  launch.grid = ceilDiv(shape.rows, launch.rowsPerBlock);
  return launch;
}

LaunchShape fuse::chooseDynamic(const GroupShape &shape,
                                const Footprint &footprint) {
  if (shape.path == KernelPath::Row)
    return chooseDynamicRow(shape, footprint);
  if (shape.path == KernelPath::Column)
    return chooseStrips(shape, footprint);
  // A block has the schedule's steps at least.
  if (shape.path == KernelPath::Mixed)
    return chooseMixed(shape, footprint);
  if (shape.path == KernelPath::Box)
    return chooseBoxLaunch(shape);
  return chooseFlat(shape, footprint);
}
