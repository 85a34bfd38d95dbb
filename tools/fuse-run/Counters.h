// What the runtime counts while the kernels run.
#ifndef FUSE_RUN_COUNTERS_H
#define FUSE_RUN_COUNTERS_H

#include "Compile.h"

#include "fuse-mlir/CostModel/Profile.h"

#include <string>

namespace mlir::fuse::run {

/// Watches the runtime from construction to destruction: shows launches as
/// progress and keeps the first error that the runtime reports.
class Counters {
public:
  /// `expected`: the number of launches, for progress.
  explicit Counters(int64_t expected);
  ~Counters();
  Counters(const Counters &) = delete;
  Counters &operator=(const Counters &) = delete;

  /// Simulates the caches of `device` from now on. How many blocks an SM holds
  /// follows from the registers in the rows of `report`.
  static void simulateCaches(const DeviceInfo &device,
                             const PlanReport &report);

  /// Runs about so many blocks of each kernel from now on.
  static void sampleBlocks(uint64_t blocks, uint64_t seed);

  /// Adds what was counted to the rows of `report`. Call while the modules are
  /// loaded.
  void collect(PlanReport &report);

  /// Adds the kernels that ran to `table`, with what `report` says of them and
  /// the time that was measured, or that follows from what was counted. Call
  /// while the modules are loaded.
  static void addTimes(const PlanReport &report, const DeviceInfo &device,
                       ProfileTable &table);

  /// The first error; empty if there was none.
  const std::string &getError() const { return error; }
  /// "emulator" or "cuda".
  static std::string getBackend();
  /// Device allocations that the program has not freed.
  int64_t getLeaks() const { return leaks; }

private:
  std::string error;
  int64_t expected, started = 0, leaks = 0;
};

} // namespace mlir::fuse::run

#endif // FUSE_RUN_COUNTERS_H
