// Launches of kernels with sizes that are known at run time only. Grids are
// those at the assumed sizes; host code computes the real ones.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Chunks that a thread of a looped row loads before it combines them.
static constexpr int64_t kUnroll = 4;

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
/// over any other one, for each reduction again.
static LaunchShape chooseRow(const GroupShape &shape,
                             const Footprint &footprint) {
  constexpr int64_t kThreads = 256;
  LaunchShape launch;
  AffineConstantExpr known = dyn_cast<AffineConstantExpr>(shape.columnExtent);
  int64_t columns = known ? std::max<int64_t>(known.getValue(), 1) : 0;
  if (known) {
    launch.vector =
        std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
    while (columns % launch.vector != 0)
      launch.vector /= 2;
  }
  int64_t words = std::max<int64_t>(footprint.largest / 4, 1) *
                  std::max<int64_t>(footprint.fullInputs, 1);
  int64_t most = std::max<int64_t>(kRowWords / words / launch.vector, 1);
  int64_t chunks = ceilDiv(columns, launch.vector);
  launch.threadsPerRow = kThreads;
  launch.residency = Residency::Reread;
  launch.positions = kUnroll;
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

LaunchShape fuse::chooseDynamic(const GroupShape &shape,
                                const Footprint &footprint) {
  return shape.path == KernelPath::Row ? chooseRow(shape, footprint)
                                       : chooseFlat(shape, footprint);
}
