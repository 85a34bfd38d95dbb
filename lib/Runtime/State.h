//===- State.h - The state of the runtime library -----------------*- C++ -*-=//
//
// One per process, made on the first call and never destroyed, because code
// that was compiled just in time may call until the very end.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_RUNTIME_STATE_H
#define FUSE_LIB_RUNTIME_STATE_H

#include "Backend.h"
#include "fuse-mlir/Runtime/Runtime.h"

#include <deque>
#include <map>
#include <mutex>
#include <vector>

namespace fuse::runtime {

struct LaunchRecord {
  FuseRuntimeLaunch data = {};
  std::string name;
  std::vector<FuseRuntimeAllocationTraffic> allocations;
  mlir::fuse::emu::LaunchStats stats; ///< Where `data.hasCounters`.
  void *timer = nullptr;
};

/// The counters in `record.data` and its allocations, from `stats`.
void fillCounters(LaunchRecord &record, mlir::fuse::emu::LaunchStats stats);

class State {
public:
  static State &get();

  Backend &backend() { return *impl; }
  /// Prints "call: error" and ends the process, or tells the handler.
  void report(const char *call, const Error &error);
  bool tracing() const { return trace; }
  void traceCall(const std::string &text);

  void recordAllocation(void *pointer, uint64_t size);
  void recordRelease(void *pointer);
  void recordCopy(const void *to, const void *from, uint64_t size);
  void recordSet(uint64_t bytes);
  void runLaunch(const char *call, const LaunchRequest &request);

  void reset();
  size_t numLaunches();
  bool getLaunch(size_t index, FuseRuntimeLaunch &launch);
  FuseRuntimeMemory memory();
  std::string reportJson();
  bool writeReport(const char *path);

  void setErrorHandler(FuseRuntimeErrorHandler handler, void *user);
  void setLaunchCallback(FuseRuntimeLaunchCallback callback, void *user);

private:
  State();
  bool isDevice(const void *pointer) const;
  void resolveTimer(LaunchRecord &record);

  std::unique_ptr<Backend> impl;
  mutable std::recursive_mutex mutex;
  std::deque<LaunchRecord> launches; ///< References stay valid.
  std::map<uint64_t, uint64_t> allocations;
  FuseRuntimeMemory counts = {};
  bool trace = false;
  FuseRuntimeErrorHandler errorHandler = nullptr;
  void *errorUser = nullptr;
  FuseRuntimeLaunchCallback launchCallback = nullptr;
  void *launchUser = nullptr;
};

} // namespace fuse::runtime

#endif // FUSE_LIB_RUNTIME_STATE_H
