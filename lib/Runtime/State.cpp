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
  const char *checks = getenv("FUSE_RUNTIME_CHECK");
  if (!impl)
    impl = createEmulatorBackend(checks ? checks : "", error);
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

static FuseRuntimeTraffic convert(const Traffic &t) {
  return {t.requests, t.sectors, t.uniqueSectors, t.bytes};
}

static void fillCounters(LaunchRecord &record, const LaunchStats &stats) {
  FuseRuntimeCounters &c = record.data.counters;
  c.warpInstructions = stats.warpInstructions;
  c.threadInstructions = stats.threadInstructions;
  c.load = convert(stats.globalLoad);
  c.store = convert(stats.globalStore);
  c.atomic = convert(stats.globalAtomic);
  c.localLoadSectors = stats.local.sectors;
  c.localStoreSectors = stats.localStore.sectors;
  c.sharedLoadWavefronts = stats.sharedLoad.wavefronts;
  c.sharedStoreWavefronts = stats.sharedStore.wavefronts;
  c.sharedBankConflicts = stats.sharedLoad.bankConflicts +
                          stats.sharedStore.bankConflicts +
                          stats.sharedAtomic.bankConflicts;
  c.branches = stats.branches;
  c.divergentBranches = stats.divergentBranches;
  c.barriers = stats.barriers;
  c.flopsFp16 = stats.flops.fp16;
  c.flopsFp32 = stats.flops.fp32;
  c.flopsFp64 = stats.flops.fp64;
  c.flopsSfu = stats.flops.sfu;
  c.flopsTensor = stats.flops.tensor;
  for (const AllocationTraffic &a : stats.allocations)
    record.allocations.push_back({a.base, a.size, a.serial, convert(a.load),
                                  convert(a.store), convert(a.atomic)});
  record.countersJson = statsToJson(stats, 6);
}

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
      fillCounters(record, result.stats);
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

//===-- Report -------------------------------------------------------------=//

static std::string quote(const std::string &text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if ((unsigned char)c < 0x20) {
      char code[8];
      snprintf(code, sizeof code, "\\u%04x", c);
      out += code;
      continue;
    }
    out += c;
  }
  return out + '"';
}

static std::string triple(const uint32_t (&v)[3]) {
  return "[" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", " +
         std::to_string(v[2]) + "]";
}

static std::string launchJson(const LaunchRecord &record) {
  const FuseRuntimeLaunch &d = record.data;
  std::string out = "    {\n      \"name\": " + quote(record.name);
  if (d.kind != FUSE_RUNTIME_KERNEL)
    return out + ",\n      \"kind\": \"" +
           (d.kind == FUSE_RUNTIME_MEMSET ? "memset" : "copy") +
           "\",\n      \"bytes\": " + std::to_string(d.bytes) + "\n    }";
  char time[32];
  snprintf(time, sizeof time, "%.6f", d.milliseconds);
  out += ",\n      \"kind\": \"kernel\",\n      \"grid\": " + triple(d.grid) +
         ",\n      \"block\": " + triple(d.block) +
         ",\n      \"static_shared_bytes\": " +
         std::to_string(d.staticSharedBytes) +
         ",\n      \"dynamic_shared_bytes\": " +
         std::to_string(d.dynamicSharedBytes) +
         ",\n      \"milliseconds\": " + time;
  if (!record.countersJson.empty())
    out += ",\n      \"counters\": " + record.countersJson;
  return out + "\n    }";
}

std::string State::reportJson() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::string out = "{\n  \"backend\": \"" + std::string(impl->name()) +
                    "\",\n  \"launches\": [";
  bool first = true;
  for (LaunchRecord &record : launches) {
    resolveTimer(record);
    out += first ? "\n" : ",\n";
    first = false;
    out += launchJson(record);
  }
  auto number = [&](const char *name, uint64_t value) {
    out += ",\n  \"" + std::string(name) + "\": " + std::to_string(value);
  };
  out += first ? "]" : "\n  ]";
  number("peak_device_bytes", counts.peakBytes);
  number("allocations", counts.totalAllocations);
  number("leaked_allocations", counts.liveAllocations);
  number("leaked_bytes", counts.liveBytes);
  number("host_to_device_bytes", counts.hostToDeviceBytes);
  number("device_to_host_bytes", counts.deviceToHostBytes);
  return out + "\n}\n";
}

bool State::writeReport(const char *path) {
  std::string text = reportJson();
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  bool ok = fwrite(text.data(), 1, text.size(), file) == text.size();
  return fclose(file) == 0 && ok;
}
