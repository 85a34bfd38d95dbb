// Reads the launch records of libfuse_runtime.
#include "Counters.h"
#include "Progress.h"
#include "Yardstick.h"

#include "fuse-mlir/Runtime/Runtime.h"

#include "llvm/ADT/StringMap.h"

#include <cstdlib>

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

void Counters::simulateCaches(const DeviceInfo &device,
                              const PlanReport &report) {
  FuseRuntimeDevice shape = {};
  shape.smCount = device.smCount;
  shape.l2Bytes = device.l2Bytes;
  shape.sharedBytesPerSM = device.sharedBytesPerSM;
  shape.registersPerSM = device.registersPerSM;
  shape.maxThreadsPerSM = device.maxThreadsPerSM;
  shape.maxBlocksPerSM = device.maxBlocksPerSM;
  fuseRuntimeSetCaches(&shape);
  for (const GroupRow &row : report.groups)
    fuseRuntimeSetRegisters(row.entry.c_str(), row.registers.value_or(0));
}

void Counters::sampleBlocks(uint64_t blocks, uint64_t seed) {
  fuseRuntimeSetSampleBlocks(blocks, seed);
}

void Counters::addTimes(const PlanReport &report, const DeviceInfo &device,
                        ProfileTable &table) {
  std::unique_ptr<char, void (*)(void *)> text(fuseRuntimeReportJson(),
                                               std::free);
  llvm::Expected<llvm::json::Value> runtime =
      llvm::json::parse(text ? text.get() : "");
  if (!runtime) {
    llvm::consumeError(runtime.takeError());
    return;
  }
  llvm::StringMap<std::pair<double, int>> times;
  for (const LaunchTime &launch :
       getLaunchTimes(*runtime->getAsObject(), device)) {
    times[launch.name].first += launch.nanoseconds;
    ++times[launch.name].second;
  }
  for (const GroupRow &row : report.groups) {
    auto it = times.find(row.entry);
    if (it == times.end() || !row.path || !row.bytesRead || !row.bytesWritten ||
        !row.flops)
      continue;
    auto [sum, count] = it->second;
    table.kernels.push_back({row.name, *row.path, *row.bytesRead,
                             *row.bytesWritten, *row.flops, sum / count});
  }
}

/// The rows of each function, which take its launches by turns.
static llvm::StringMap<SmallVector<GroupRow *>>
getRowsOfEntries(PlanReport &report) {
  llvm::StringMap<SmallVector<GroupRow *>> rows;
  for (GroupRow &row : report.groups)
    rows[row.entry].push_back(&row);
  return rows;
}

void Counters::collect(PlanReport &report) {
  llvm::StringMap<SmallVector<GroupRow *>> rows = getRowsOfEntries(report);
  llvm::StringMap<size_t> turns;
  for (size_t i = 0, e = fuseRuntimeNumLaunches(); i < e; ++i) {
    FuseRuntimeLaunch launch;
    if (fuseRuntimeGetLaunch(i, &launch) != 0 ||
        launch.kind != FUSE_RUNTIME_KERNEL)
      continue;
    ArrayRef<GroupRow *> sharing = rows[launch.name];
    if (sharing.empty())
      continue;
    GroupRow *row = sharing[turns[launch.name]++ % sharing.size()];
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
    if (!counters.hasCaches)
      continue;
    auto add = [](std::optional<int64_t> &to, uint64_t sectors) {
      to = to.value_or(0) + static_cast<int64_t>(sectors);
    };
    add(row->countedSectors->l2,
        counters.l2Reads + counters.l2Writes + counters.l2Atomics);
    add(row->countedSectors->dram, counters.dramReads + counters.dramWrites);
  }
  FuseRuntimeMemory memory;
  fuseRuntimeGetMemory(&memory);
  leaks = static_cast<int64_t>(memory.liveAllocations);
}
