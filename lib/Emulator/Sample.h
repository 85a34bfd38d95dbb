//===- Sample.h - Which blocks stand for the others ----------------*- C++ -*-//
//
// A sample consists of whole waves of resident blocks, because blocks that run
// together share caches: the first wave, the last, which may be partial, and
// successive waves in between drawn by a seed. Waves with blocks on the upper
// edge of the grid's y or z stand only for such waves.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_SAMPLE_H
#define FUSE_LIB_EMULATOR_SAMPLE_H

#include "fuse-mlir/Emulator/Emulator.h"

namespace mlir::fuse::emu {

/// Waves that stand for `represented` clusters, themselves included. A cluster
/// is mostly one block.
struct Stratum {
  struct Run {
    uint64_t first, count; ///< Linear numbers of clusters.
  };
  std::vector<Run> runs; ///< Ascending.
  uint64_t represented = 0;
  Run warmUp = {0, 0}; ///< Runs before them, and is not counted.
  uint64_t emulated() const {
    uint64_t total = 0;
    for (const Run &run : runs)
      total += run.count;
    return total;
  }
};

/// `grid`, `resident`, those of a wave, and `bounds` (ascending; they count for
/// grids of one axis) count clusters. Without a `wanted`
/// number (0), or when it is no less than the grid, all waves are one stratum.
std::vector<Stratum> chooseClusters(Dim3 grid, uint64_t resident,
                                    uint64_t wanted, uint64_t seed,
                                    const std::vector<uint64_t> &bounds);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_SAMPLE_H
