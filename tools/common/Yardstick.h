// The time of a program from what was counted and assembled while it ran,
// without any cost model: a yardstick for plans where there is no GPU
// (docs/Performance.md has the formula). It ranks plans and is no promise of
// microseconds.
#ifndef FUSE_TOOLS_YARDSTICK_H
#define FUSE_TOOLS_YARDSTICK_H

#include "fuse-mlir/CostModel/Device.h"

#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// One launch: a kernel, a memset or a copy.
struct LaunchTime {
  std::string name;
  double nanoseconds = 0;
};

/// The launches of `runtime`, what libfuse_runtime reports of a run that
/// simulated the caches of `device`, in order. Launches without counters (a run
/// on a GPU) take the time that was measured.
std::vector<LaunchTime> getLaunchTimes(const llvm::json::Object &runtime,
                                       const DeviceInfo &device);

/// Sum of the times.
double getTotal(const std::vector<LaunchTime> &launches);

} // namespace mlir::fuse

#endif // FUSE_TOOLS_YARDSTICK_H
