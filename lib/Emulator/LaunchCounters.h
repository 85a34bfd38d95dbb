//===- LaunchCounters.h - From workers to the counters of a launch -*- C++ -*-//
//
// Everything that is counted is a sum over host threads, blocks and, with
// sampled blocks, over parts of the grid that stand for more than themselves.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_LAUNCHCOUNTERS_H
#define FUSE_LIB_EMULATOR_LAUNCHCOUNTERS_H

#include "Machine.h"

namespace mlir::fuse::emu {

struct LaunchTotals {
  std::vector<InstCounters> insts;
  std::vector<AllocationCounters> allocations;
  Traffic localLoad, localStore;
  SharedTraffic sharedLoad, sharedStore, sharedAtomic;
  uint64_t divergent = 0, warps = 0, blocks = 0;
  WaveTraffic caches;
};

/// Moves what the workers counted into `totals`; they start again at zero.
/// `unique` keeps the number of sectors marked so far, by allocation.
void collect(Launch &launch, std::vector<Worker> &workers,
             std::vector<uint64_t> &unique, LaunchTotals &totals);

/// Adds `from` times `weight` over `parts`, each number rounded to nearest.
void addScaled(LaunchTotals &to, const LaunchTotals &from, uint64_t weight,
               uint64_t parts);

/// The public form of `totals`.
void finish(const Launch &launch, const LaunchTotals &totals,
            LaunchStats &stats);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_LAUNCHCOUNTERS_H
