//===- Launch.cpp - Running a grid ----------------------------------------===//
//
// Blocks are handed to host threads in order; every counter is a sum, a set, or
// replayed from what the blocks recorded, so the result does not depend on how
// they were handed out. When blocks fail, the error of the lowest one is
// reported, whatever the number of threads.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"
#include "LaunchCounters.h"
#include "Sample.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace mlir::fuse::emu;

static std::string tuple(const Dim3 &d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," +
         std::to_string(d.z) + ")";
}

static void initWorker(Worker &worker, Launch &launch) {
  worker.launch = &launch;
  const Program &program = *launch.program;
  size_t blocks = launch.cluster.count();
  size_t warps = (launch.block.count() + 31) / 32 * blocks;
  prepareImages(worker);
  worker.counting = launch.options->counters || launch.options->caches;
  worker.counters.assign(program.code.size(), {});
  worker.spans.assign(program.code.size(), {});
  worker.perAllocation.assign(launch.allocations.size(), {});
  worker.fileStorage.resize(warps * program.image.size() + 64);
  worker.localStorage.resize(warps * 32 * program.localBytes + 64);
  worker.sharedStorage.resize(sharedStride(launch) * blocks + 1024 + 64);
}

namespace {
struct Failure {
  std::mutex mutex;
  uint64_t cluster = ~uint64_t(0);
  std::string message;
  void add(uint64_t at, const std::string &text) {
    std::lock_guard<std::mutex> lock(mutex);
    if (at > cluster)
      return;
    cluster = at;
    message = text;
  }
};
} // namespace

/// Recorded requests that are kept until they are replayed.
static constexpr uint64_t traceBudget = uint64_t(64) << 20;

namespace {
/// One launch with its host threads; runs parts of the grid.
class Runner {
public:
  Runner(Launch &launch, size_t threads) : workers(threads), launch(launch) {
    for (Worker &worker : workers)
      initWorker(worker, launch);
    launch.isParallel = threads > 1;
  }
  /// Runs the clusters of a stratum and adds what they stand for to `totals`.
  void run(const Stratum &stratum, LaunchTotals &totals);

  std::vector<Worker> workers;
  Failure failure;

private:
  void work(Worker &worker);
  LaunchTotals run(const std::vector<Stratum::Run> &runs);
  void runClusters(uint64_t first, uint64_t count);
  void runAndReplay(Stratum::Run run, WaveTraffic &traffic);

  Launch &launch;
  std::vector<uint64_t> unique;
  std::vector<RequestTrace> traces;
  uint64_t firstTrace = 0, end = 0;
  uint64_t largestTrace = 0; ///< Of a cluster, so far; 0 before the first.
};
} // namespace

void Runner::work(Worker &worker) {
  worker.trace = launch.options->trace;
  worker.recording = launch.options->caches;
  while (true) {
    uint64_t linear = launch.nextCluster.fetch_add(1);
    if (linear >= end || linear > launch.failedCluster.load())
      return;
    worker.clusterNumber = linear;
    try {
      prepareCluster(worker, linear);
      runCluster(worker.cluster);
      if (worker.checker)
        worker.checker->finishCluster();
      if (worker.recording)
        traces[linear - firstTrace] = std::move(worker.requests);
    } catch (const Trap &trap) {
      if (!trap.message.empty() && launch.findings)
        launch.findings->add(FindingKind::Error, trap.line, linear,
                             trap.message);
      failure.add(linear, trap.message);
      uint64_t seen = launch.failedCluster.load();
      while (linear < seen &&
             !launch.failedCluster.compare_exchange_weak(seen, linear)) {
      }
    } catch (const std::exception &error) {
      failure.add(linear, std::string("internal error: ") + error.what());
      launch.failedCluster = 0;
    }
  }
}

void Runner::runClusters(uint64_t first, uint64_t count) {
  launch.nextCluster = first;
  end = first + count;
  std::vector<std::thread> threads;
  for (size_t k = 1; k < std::min<uint64_t>(workers.size(), count); ++k)
    threads.emplace_back([&, k] { work(workers[k]); });
  work(workers[0]);
  for (std::thread &thread : threads)
    thread.join();
}

/// The wave is replayed in parts if its requests are too many to keep. Their
/// size follows from clusters that ran, never from the host's timing.
void Runner::runAndReplay(Stratum::Run run, WaveTraffic &traffic) {
  while (run.count && launch.failedCluster.load() == ~uint64_t(0)) {
    firstTrace = run.first;
    traces.assign(run.count, {});
    uint64_t done = 0;
    if (!largestTrace) {
      runClusters(run.first, done = 1);
      largestTrace = std::max<uint64_t>(1, traces[0].bytes());
    }
    uint64_t part =
        std::clamp<uint64_t>(traceBudget / largestTrace, 1, run.count);
    if (part > done)
      runClusters(run.first + done, part - done);
    traces.resize(part);
    for (const RequestTrace &trace : traces)
      largestTrace = std::max(largestTrace, trace.bytes());
    launch.options->caches->getState().replay(
        traces, run.first, unsigned(launch.cluster.count()), traffic);
    run.first += part;
    run.count -= part;
  }
}

LaunchTotals Runner::run(const std::vector<Stratum::Run> &runs) {
  LaunchTotals totals;
  for (const Stratum::Run &run : runs) {
    if (launch.options->caches)
      runAndReplay(run, totals.caches);
    else
      runClusters(run.first, run.count);
  }
  collect(launch, workers, unique, totals);
  return totals;
}

void Runner::run(const Stratum &stratum, LaunchTotals &totals) {
  if (stratum.warmUp.count)
    run({stratum.warmUp});
  addScaled(totals, run(stratum.runs), stratum.represented, stratum.emulated());
}

//===-- Entry point --------------------------------------------------------=//

/// What the launch asks for, else what the kernel requires, else one block.
static Dim3 clusterOf(const KernelInfo &info, const LaunchOptions &options) {
  return options.cluster.x        ? options.cluster
         : info.requiredCluster.x ? info.requiredCluster
                                  : Dim3{1, 1, 1};
}

static bool checkLaunch(const KernelInfo &info, const Program &program,
                        Dim3 grid, Dim3 block, uint32_t dynamicShared,
                        const LaunchOptions &options, std::string &error) {
  auto fail = [&](const std::string &what) {
    error = "launch of kernel '" + info.name + "': " + what;
    return false;
  };
  if (!grid.count() || grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535)
    return fail("invalid grid " + tuple(grid));
  if (!block.count() || block.count() > 1024 || block.x > 1024 ||
      block.y > 1024 || block.z > 64)
    return fail("invalid block " + tuple(block));
  const Dim3 cluster = clusterOf(info, options);
  if (cluster.count() > 16)
    return fail("cluster " + tuple(cluster) + " has more than 16 blocks");
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return fail("grid " + tuple(grid) + " is not a multiple of the cluster " +
                tuple(cluster));
  if (info.requiredCluster.x && options.cluster.x &&
      (info.requiredCluster.x != options.cluster.x ||
       info.requiredCluster.y != options.cluster.y ||
       info.requiredCluster.z != options.cluster.z))
    return fail("cluster " + tuple(cluster) + " is not the required " +
                tuple(info.requiredCluster));
  if (info.requiredThreads.x &&
      (info.requiredThreads.x != block.x || info.requiredThreads.y != block.y ||
       info.requiredThreads.z != block.z))
    return fail("block " + tuple(block) + " is not the required " +
                tuple(info.requiredThreads));
  if (info.maxThreads.x && block.count() > info.maxThreads.count())
    return fail("block " + tuple(block) + " exceeds the maximum " +
                tuple(info.maxThreads));
  uint64_t shared =
      uint64_t(program.sharedBytes) + program.sharedAlign + dynamicShared;
  if (shared > uint64_t(options.maxSharedBytes) + program.sharedAlign)
    return fail("shared memory of " +
                std::to_string(program.sharedBytes + dynamicShared) +
                " bytes exceeds " + std::to_string(options.maxSharedBytes));
  return true;
}

static void mergePrinted(const std::vector<Worker> &workers,
                         LaunchStats &stats) {
  // Blocks of a cluster take turns; the order within a block is kept.
  std::map<uint64_t, std::string> all;
  for (const Worker &worker : workers)
    for (auto &[block, text] : worker.printed)
      all[block] += text;
  for (auto &[block, text] : all)
    stats.printed += text;
}

/// Runs the grid, or a sample of it, and fills `stats`.
static void runGrid(Launch &launch, Runner &runner, LaunchStats &stats) {
  const LaunchOptions &options = *launch.options;
  bool inWaves = options.caches || options.sampleBlocks;
  DeviceShape shape =
      options.caches ? options.caches->getShape() : options.device;
  // Clusters, mostly of one block, are what is counted here.
  const Dim3 &size = launch.cluster;
  Dim3 grid = {launch.grid.x / size.x, launch.grid.y / size.y,
               launch.grid.z / size.z};
  uint64_t wave = grid.count();
  if (inWaves) {
    stats.residentBlocks = residentBlocks(
        shape, launch.block.count(), launch.sharedBytes, options.registers);
    wave = std::max<uint64_t>(1, uint64_t(stats.residentBlocks) *
                                     shape.smCount / size.count());
  }
  launch.residentClusters = wave;
  stats.loadRunBytes = launch.program->loadRunBytes;
  if (options.caches) {
    uint64_t used = stats.residentBlocks * (launch.sharedBytes + 1024);
    uint64_t all = shape.sharedBytesPerSM + (28 << 10);
    options.caches->getState().startKernel(all - std::min(all, used));
  }
  uint64_t wanted = (options.sampleBlocks + size.count() - 1) / size.count();
  // A cluster across a bound belongs to the part that ends there.
  std::vector<uint64_t> bounds = launch.program->blockBounds;
  for (uint64_t &bound : bounds)
    bound = (bound + size.x - 1) / size.x;
  std::vector<Stratum> strata =
      chooseClusters(grid, wave, wanted, options.sampleSeed, bounds);
  LaunchTotals totals;
  uint64_t emulated = 0;
  for (const Stratum &stratum : strata) {
    runner.run(stratum, totals);
    emulated += stratum.emulated() + stratum.warmUp.count;
  }
  bool isSampled = emulated < grid.count();
  if (options.caches)
    options.caches->getState().finishKernel(isSampled, totals.caches);
  if (options.counters || options.caches)
    finish(launch, totals, stats);
  stats.gridBlocks = launch.grid.count();
  stats.sampledBlocks = isSampled ? emulated * size.count() : 0;
  mergePrinted(runner.workers, stats);
}

/// The findings as one error: the first one's text comes first.
static std::string textOf(const std::vector<Finding> &findings,
                          unsigned shown) {
  std::string text;
  for (size_t k = 0; k < findings.size() && k < shown; ++k)
    text += (k ? "\n" : "") + findings[k].text;
  if (findings.size() > shown)
    text += "\nand " + std::to_string(findings.size() - shown) + " more";
  if (findings.size() > 1)
    text += "\n" + std::to_string(findings.size()) + " findings";
  return text;
}

static bool launchImpl(const Module &module, size_t index, Dim3 grid,
                       Dim3 block, uint32_t dynamicShared, const void *params,
                       const LaunchOptions &options, LaunchStats &stats,
                       std::string &error) {
  ModuleImpl &impl = module.getImpl();
  const Program &program = impl.programs[index];
  stats = LaunchStats();
  if (!impl.kernels[index].unsupported.empty()) {
    error = impl.kernels[index].unsupported;
    return false;
  }
  if (!checkLaunch(impl.kernels[index], program, grid, block, dynamicShared,
                   options, error))
    return false;
  Launch launch;
  launch.module = &impl;
  launch.program = &program;
  launch.options = &options;
  launch.grid = grid;
  launch.block = block;
  launch.cluster = clusterOf(impl.kernels[index], options);
  launch.explicitCluster =
      options.cluster.x || impl.kernels[index].requiredCluster.x;
  launch.dynamicShared = dynamicShared;
  uint32_t align = program.sharedAlign;
  launch.sharedBytes =
      dynamicShared
          ? (program.sharedBytes + align - 1) / align * align + dynamicShared
          : program.sharedBytes;
  std::vector<uint8_t> paramCopy(program.paramBytes + 64);
  if (program.paramBytes)
    memcpy(paramCopy.data(), params, program.paramBytes);
  launch.params = paramCopy.data();
  launch.allocations = impl.memory->snapshot();
  launch.touched = std::vector<std::atomic<std::atomic<uint64_t> *>>(
      2 * launch.allocations.size());
  uint64_t wanted = options.threads
                        ? options.threads
                        : std::max(1u, std::thread::hardware_concurrency());
  if (options.checks & CheckRaces)
    wanted = 1; // Which block did what is followed in their order.
  Runner runner(launch, std::min<uint64_t>(wanted, grid.count() /
                                                       launch.cluster.count()));
  std::vector<std::unique_ptr<Checker>> checkers;
  Findings findings;
  if (options.checks) {
    launch.findings = &findings;
    for (Worker &worker : runner.workers) {
      checkers.push_back(std::make_unique<Checker>(launch));
      worker.checker = checkers.back().get();
    }
  }
  runGrid(launch, runner, stats);
  if (impl.heap)
    impl.heap->endLaunch();
  if (options.accessed && (options.checks & CheckRaces))
    checkers[0]->collect(*options.accessed);
  for (auto &cell : launch.touched)
    std::free(cell.load());
  stats.findings = findings.sorted(runner.failure.cluster);
  error = runner.failure.message;
  if (!stats.findings.empty())
    error = textOf(stats.findings, options.maxFindings);
  return error.empty();
}

bool mlir::fuse::emu::launch(const Module &module, std::string_view kernel,
                             Dim3 grid, Dim3 block, uint32_t dynamicSharedBytes,
                             const void *params, const LaunchOptions &options,
                             LaunchStats &stats, std::string &error) {
  const auto &kernels = module.getImpl().kernels;
  for (size_t index = 0; index < kernels.size(); ++index) {
    if (kernels[index].name != kernel)
      continue;
    try {
      return launchImpl(module, index, grid, block, dynamicSharedBytes, params,
                        options, stats, error);
    } catch (const std::exception &failure) {
      error =
          "launch of kernel '" + std::string(kernel) + "': " + failure.what();
      return false;
    }
  }
  error = "unknown kernel '" + std::string(kernel) + "'";
  return false;
}
