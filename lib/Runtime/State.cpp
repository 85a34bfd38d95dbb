//===- State.cpp - The state of the runtime library -----------------------===//
//
// Chooses the backend, keeps the books (launches, copies, live memory), and
// writes the report.
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace fuse::runtime;
using namespace mlir::fuse::emu;

static void writeReportAtExit() {
  if (const char *path = getenv("FUSE_RUNTIME_REPORT"); path && *path)
    if (!State::get().writeReport(path))
      fprintf(stderr, "fuse runtime: error: cannot write '%s'\n", path);
}

State &State::get() {
  static State *state = new State();
  return *state;
}

[[noreturn]] static void endProcess() {
  fflush(nullptr);
  _exit(1);
}

State::State() {
  const char *wanted = getenv("FUSE_RUNTIME");
  std::string choice = wanted && *wanted ? wanted : "auto";
  trace = getenv("FUSE_RUNTIME_TRACE") &&
          strcmp(getenv("FUSE_RUNTIME_TRACE"), "0") != 0;
  if (const char *path = getenv("FUSE_RUNTIME_REPORT"); path && *path)
    atexit(writeReportAtExit);
  if (choice != "auto" && choice != "emulator" && choice != "cuda") {
    fprintf(stderr,
            "fuse runtime: error: FUSE_RUNTIME is '%s', expected auto, "
            "emulator or cuda\n",
            choice.c_str());
    endProcess();
  }
  Error error;
  if (choice != "emulator")
    impl = createCudaBackend(error);
  if (!impl && choice == "cuda") {
    fprintf(stderr, "fuse runtime: error: FUSE_RUNTIME=cuda: %s\n",
            error.c_str());
    endProcess();
  }
  if (!impl)
    impl = createEmulatorBackend(error);
  if (!impl) {
    fprintf(stderr, "fuse runtime: error: %s\n", error.c_str());
    endProcess();
  }
}

void State::report(const char *call, const Error &error) {
  std::string message = std::string(call) + ": " + error;
  FuseRuntimeErrorHandler handler;
  void *user;
  {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    handler = errorHandler;
    user = errorUser;
  }
  if (handler)
    return handler(message.c_str(), user);
  fflush(stdout);
  fprintf(stderr, "fuse runtime: error: %s\n", message.c_str());
  endProcess();
}

void State::traceCall(const std::string &text) {
  fprintf(stderr, "fuse runtime: %s\n", text.c_str());
}

void State::setErrorHandler(FuseRuntimeErrorHandler handler, void *user) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  errorHandler = handler;
  errorUser = user;
}

void State::setLaunchCallback(FuseRuntimeLaunchCallback callback, void *user) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  launchCallback = callback;
  launchUser = user;
}

//===-- Memory -------------------------------------------------------------=//

void State::recordAllocation(void *pointer, uint64_t size) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  allocations[reinterpret_cast<uint64_t>(pointer)] = size;
  ++counts.liveAllocations;
  ++counts.totalAllocations;
  counts.liveBytes += size;
  if (counts.liveBytes > counts.peakBytes)
    counts.peakBytes = counts.liveBytes;
}

void State::recordRelease(void *pointer) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto it = allocations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == allocations.end())
    return;
  --counts.liveAllocations;
  counts.liveBytes -= it->second;
  allocations.erase(it);
}

bool State::isDevice(const void *pointer) const {
  uint64_t address = reinterpret_cast<uint64_t>(pointer);
  auto it = allocations.upper_bound(address);
  if (it == allocations.begin())
    return false;
  --it;
  return address == it->first || address - it->first < it->second;
}

void State::recordCopy(const void *to, const void *from, uint64_t size) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  bool toDevice = isDevice(to), fromDevice = isDevice(from);
  if (toDevice && fromDevice) {
    LaunchRecord &record = launches.emplace_back();
    record.name = "memcpy";
    record.data.kind = FUSE_RUNTIME_COPY;
    record.data.bytes = size;
  } else if (toDevice) {
    ++counts.hostToDeviceCopies;
    counts.hostToDeviceBytes += size;
  } else if (fromDevice) {
    ++counts.deviceToHostCopies;
    counts.deviceToHostBytes += size;
  }
}

void State::recordSet(uint64_t bytes) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  LaunchRecord &record = launches.emplace_back();
  record.name = "memset";
  record.data.kind = FUSE_RUNTIME_MEMSET;
  record.data.bytes = bytes;
}

FuseRuntimeMemory State::memory() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return counts;
}

//===-- Launches -----------------------------------------------------------=//

void State::runLaunch(const char *call, const LaunchRequest &request) {
  FuseRuntimeLaunch start = {};
  std::string name = impl->functionName(request.function);
  start.name = name.c_str();
  for (unsigned i = 0; i < 3; ++i) {
    start.grid[i] = uint32_t(request.grid[i]);
    start.block[i] = uint32_t(request.block[i]);
  }
  start.dynamicSharedBytes = request.dynamicSharedBytes;
  FuseRuntimeLaunchCallback callback;
  void *user;
  {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    callback = launchCallback;
    user = launchUser;
  }
  if (callback)
    callback(&start, 0, user);
  LaunchResult result;
  Error error = impl->launch(request, result);
  if (!error.empty())
    return report(call, "kernel '" + name + "': " + error);
  FuseRuntimeLaunch finished;
  {
    std::lock_guard<std::recursive_mutex> lock(mutex);
    LaunchRecord &record = launches.emplace_back();
    record.name = name;
    record.data = start;
    record.data.staticSharedBytes = result.staticSharedBytes;
    record.data.milliseconds = result.milliseconds;
    record.timer = result.timer;
    record.data.hasCounters = result.hasCounters;
    if (result.hasCounters)
      fillCounters(record, std::move(result.stats));
    record.data.name = record.name.c_str();
    record.data.allocations = record.allocations.data();
    record.data.numAllocations = record.allocations.size();
    finished = record.data;
  }
  if (callback)
    callback(&finished, 1, user);
}

void State::resolveTimer(LaunchRecord &record) {
  if (!record.timer)
    return;
  record.data.milliseconds = impl->elapsed(record.timer);
  record.timer = nullptr;
}

void State::reset() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  for (LaunchRecord &record : launches)
    resolveTimer(record); // Also releases it.
  launches.clear();
  counts.peakBytes = counts.liveBytes;
  counts.totalAllocations = counts.liveAllocations;
  counts.hostToDeviceBytes = counts.deviceToHostBytes = 0;
  counts.hostToDeviceCopies = counts.deviceToHostCopies = 0;
}

size_t State::numLaunches() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  return launches.size();
}

bool State::getLaunch(size_t index, FuseRuntimeLaunch &launch) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (index >= launches.size())
    return false;
  LaunchRecord &record = launches[index];
  resolveTimer(record);
  record.data.name = record.name.c_str();
  launch = record.data;
  return true;
}
