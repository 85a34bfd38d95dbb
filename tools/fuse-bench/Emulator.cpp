// Suite `emulator`: what the PTX emulator costs on one core, with counters,
// without, with caches and with checkers, beside the same kernels compiled for
// the host; how far samples of blocks are from the whole; and its memory. Times
// are CPU times of processes of their own, the least of a few runs.
#include "Bench.h"
#include "Child.h"
#include "EmulatorKernels.h"

#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::bench;

/// Nanoseconds of a thread instruction, percent of a counter, megabytes beside
/// the buffers, and bytes of shadow for each of theirs.
static constexpr double kGoalNanoseconds = 1, kGoalSampleError = 2,
                        kGoalMegabytes = 256, kGoalShadow = 4;
static constexpr int kRuns = 3;

namespace {
/// A kernel with its buffers on an emulated device.
class Emulation {
public:
  explicit Emulation(const EmulatedKernel &kernel, bool tracks = false)
      : kernel(kernel) {
    memory.trackWrites(tracks);
    module = emu::Module::load(emulatedKernelsPtx, memory, error);
    for (uint64_t floats : kernel.buffers) {
      auto *buffer = static_cast<float *>(memory.allocate(floats * 4));
      for (uint64_t i = 0; i < floats; ++i)
        buffer[i] = float(i % 7) - 3;
      memory.markWritten(buffer, floats * 4);
      bytes += floats * 4;
      params.push_back(reinterpret_cast<uint64_t>(buffer));
    }
    params.push_back(kernel.size);
  }

  /// CPU seconds of a launch; fails with `error`.
  FailureOr<double> launch(const emu::LaunchOptions &options) {
    if (!module)
      return failure();
    double start = getCpuSeconds();
    if (!emu::launch(*module, std::string_view(kernel.name), kernel.grid,
                     kernel.block, 0, params.data(), options, stats, error))
      return failure();
    return getCpuSeconds() - start;
  }

  const EmulatedKernel &kernel;
  emu::LaunchStats stats;
  std::string error;
  uint64_t bytes = 0;

private:
  emu::DeviceMemory memory;
  std::unique_ptr<emu::Module> module;
  std::vector<uint64_t> params;
};

/// What a launch is to count or check.
struct Mode {
  StringRef name;
  bool counters, caches;
  std::optional<double> goal;
  unsigned checks = emu::CheckNone;
};
} // namespace

static constexpr Mode kModes[] = {
    {"counters", true, false, kGoalNanoseconds},
    {"plain", false, false, std::nullopt},
    {"caches", true, true, std::nullopt},
    {"checks", true, false, std::nullopt, emu::CheckAll},
};

/// Seconds of a launch on one host thread, and of the kernel on the host.
static FailureOr<llvm::json::Object> measureSpeed(const EmulatedKernel &kernel,
                                                  const Mode &mode) {
  Emulation emulation(kernel, mode.checks != 0);
  emu::LaunchOptions options;
  options.threads = 1;
  FailureOr<double> counted = emulation.launch(options);
  double instructions = double(emulation.stats.threadInstructions);
  options.counters = mode.counters;
  options.checks = mode.checks;
  emu::Caches caches((emu::DeviceShape()));
  options.caches = mode.caches ? &caches : nullptr;
  FailureOr<double> seconds = emulation.launch(options);
  if (failed(counted) || failed(seconds))
    return failure();
  std::vector<std::vector<float>> buffers;
  for (uint64_t floats : kernel.buffers)
    buffers.emplace_back(floats, 1.0f);
  double start = getCpuSeconds();
  kernel.onHost(buffers, buffers.back(), kernel.size);
  llvm::json::Object found;
  found["host_seconds"] = getCpuSeconds() - start;
  found["seconds"] = *seconds;
  found["thread_instructions"] = instructions;
  return std::move(found);
}

/// Bytes that a launch takes beside the buffers.
static FailureOr<llvm::json::Object> measureMemory(const EmulatedKernel &kernel,
                                                   unsigned checks) {
  Emulation emulation(kernel, checks != 0);
  emu::LaunchOptions options;
  options.checks = checks;
  emu::Caches caches((emu::DeviceShape()));
  options.caches = checks ? nullptr : &caches;
  resetPeakBytes();
  if (failed(emulation.launch(options)))
    return failure();
  llvm::json::Object found;
  found["bytes"] = getPeakBytes() - int64_t(emulation.bytes);
  found["buffers"] = int64_t(emulation.bytes);
  return std::move(found);
}

static void addSpeed(const EmulatedKernel &kernel, const Mode &mode,
                     const Settings &settings, Results &results) {
  std::string name = (kernel.name + "/" + mode.name).str();
  if (!settings.wants(name))
    return;
  Row row;
  row.name = name;
  row.unit = "ns";
  row.goal = mode.goal;
  double best = INFINITY, host = INFINITY, instructions = 0;
  for (int run = 0; run < (mode.checks ? 1 : kRuns); ++run) {
    FailureOr<llvm::json::Object> found = runInChild(
        settings.limit, [&] { return measureSpeed(kernel, mode); }, row.note);
    if (failed(found))
      return results.add(std::move(row));
    best = std::min(best, *found->getNumber("seconds"));
    host = std::min(host, *found->getNumber("host_seconds"));
    instructions = *found->getNumber("thread_instructions");
  }
  row.value = best / instructions * 1e9;
  row.note = llvm::formatv("a thread instruction; {0:F2} G/s, {1:F0} times the "
                           "host's C++",
                           instructions / best / 1e9, best / host);
  row.more["thread_instructions"] = instructions;
  row.more["seconds"] = best;
  row.more["host_seconds"] = host;
  results.add(std::move(row));
}

/// The largest error of a sample among the counters that the cost model needs.
static FailureOr<llvm::json::Object>
measureSample(const EmulatedKernel &kernel) {
  emu::LaunchStats stats[2];
  for (bool isSample : {false, true}) {
    Emulation emulation(kernel);
    emu::DeviceShape shape; // So small that the grid has many waves.
    shape.smCount = 8;
    shape.l2Bytes = 4 << 20;
    emu::Caches caches(shape);
    emu::LaunchOptions options;
    options.caches = &caches;
    options.sampleBlocks = isSample ? kernel.grid.count() / 4 : 0;
    if (failed(emulation.launch(options)))
      return failure();
    stats[isSample] = emulation.stats;
  }
  auto error = [](uint64_t sample, uint64_t full) {
    return full ? std::abs(double(sample) / double(full) - 1) : double(sample);
  };
  const emu::LaunchStats &full = stats[0], &sample = stats[1];
  double worst = error(sample.warpInstructions, full.warpInstructions);
  worst = std::max(worst,
                   error(sample.globalLoad.sectors, full.globalLoad.sectors));
  worst = std::max(worst, error(sample.globalLoad.uniqueSectors,
                                full.globalLoad.uniqueSectors));
  worst = std::max(worst,
                   error(sample.caches.l2Sectors(), full.caches.l2Sectors()));
  worst = std::max(
      worst, error(sample.caches.dramSectors(), full.caches.dramSectors()));
  llvm::json::Object found;
  found["error"] = worst;
  found["sampled_blocks"] = int64_t(sample.sampledBlocks);
  found["blocks"] = int64_t(full.blocks);
  return std::move(found);
}

static void addSample(const EmulatedKernel &kernel, const Settings &settings,
                      Results &results) {
  Row row;
  row.name = (kernel.name + "/sample").str();
  if (!settings.wants(row.name))
    return;
  row.unit = "%";
  row.goal = kGoalSampleError;
  FailureOr<llvm::json::Object> found = runInChild(
      settings.limit, [&] { return measureSample(kernel); }, row.note);
  if (succeeded(found)) {
    row.more["sampled_blocks"] = *found->getInteger("sampled_blocks");
    row.more["blocks"] = *found->getInteger("blocks");
    row.value = 100 * *found->getNumber("error");
    row.note = llvm::formatv("largest error of a counter, {0} of {1} blocks",
                             *found->getInteger("sampled_blocks"),
                             *found->getInteger("blocks"));
  }
  results.add(std::move(row));
}

static void addMemory(const EmulatedKernel &kernel, bool isChecked,
                      const Settings &settings, Results &results) {
  Row row;
  row.name = (kernel.name + (isChecked ? "/memory-checked" : "/memory")).str();
  if (!settings.wants(row.name))
    return;
  row.unit = isChecked ? "B/B" : "MB";
  row.goal = isChecked ? kGoalShadow : kGoalMegabytes;
  row.note = isChecked ? "" : "beside the buffers, with caches";
  std::string why;
  FailureOr<llvm::json::Object> found = runInChild(
      settings.limit,
      [&] {
        return measureMemory(kernel,
                             isChecked ? emu::CheckAll : emu::CheckNone);
      },
      why);
  if (failed(found)) {
    row.note = why;
    return results.add(std::move(row));
  }
  double bytes = double(*found->getInteger("bytes"));
  double buffers = double(*found->getInteger("buffers"));
  row.value = isChecked ? bytes / buffers : bytes / (1 << 20);
  if (isChecked)
    row.note = "bytes beside each byte of the buffers, all checkers";
  results.add(std::move(row));
}

LogicalResult bench::runEmulator(const Settings &settings, Results &results) {
  const std::vector<EmulatedKernel> kernels = getEmulatedKernels(false);
  for (const EmulatedKernel &kernel : kernels)
    for (const Mode &mode : kModes)
      addSpeed(kernel, mode, settings, results);
  for (const EmulatedKernel &kernel : getEmulatedKernels(true))
    addSample(kernel, settings, results);
  for (bool isChecked : {false, true})
    addMemory(kernels[0], isChecked, settings, results);
  return success();
}
