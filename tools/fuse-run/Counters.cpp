// Reads the launch records of libfuse_runtime.
#include "Counters.h"
#include "Progress.h"

#include "fuse-mlir/Runtime/Runtime.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::run;

Counters::Counters(int64_t expected) : expected(expected) {
  fuseRuntimeReset();
  fuseRuntimeSetErrorHandler(
      [](const char *message, void *user) {
        Counters *counters = static_cast<Counters *>(user);
        if (counters->error.empty())
          counters->error = message;
      },
      this);
  fuseRuntimeSetLaunchCallback(
      [](const FuseRuntimeLaunch *launch, int finished, void *user) {
        Counters *counters = static_cast<Counters *>(user);
        if (!finished)
          reportProgress(std::string("kernel ") + launch->name,
                         ++counters->started, counters->expected);
      },
      this);
}

Counters::~Counters() {
  fuseRuntimeSetLaunchCallback(nullptr, nullptr);
  fuseRuntimeSetErrorHandler(nullptr, nullptr);
}

std::string Counters::getBackend() { return fuseRuntimeBackend(); }

void Counters::collect(PlanReport &report) {
  for (size_t i = 0, e = fuseRuntimeNumLaunches(); i < e; ++i) {
    FuseRuntimeLaunch launch;
    if (fuseRuntimeGetLaunch(i, &launch) != 0 ||
        launch.kind != FUSE_RUNTIME_KERNEL)
      continue;
    GroupRow *row = report.findGroup(launch.name);
    if (!row)
      continue;
    row->sharedBytes = static_cast<int64_t>(launch.staticSharedBytes) +
                       launch.dynamicSharedBytes;
    if (!launch.hasCounters)
      continue;
    const FuseRuntimeCounters &counters = launch.counters;
    if (!row->countedSectors)
      row->countedSectors.emplace();
    row->countedSectors->requested += counters.load.requestedSectors +
                                      counters.store.requestedSectors +
                                      counters.atomic.requestedSectors;
    row->countedSectors->unique +=
        counters.load.uniqueSectors + counters.store.uniqueSectors;
  }
  FuseRuntimeMemory memory;
  fuseRuntimeGetMemory(&memory);
  leaks = static_cast<int64_t>(memory.liveAllocations);
}
