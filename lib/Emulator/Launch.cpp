//===- Launch.cpp - Running a grid ----------------------------------------===//
//
// Blocks are handed to host threads in order; every counter is a sum or a set,
// so the result does not depend on how they were handed out. When blocks fail,
// the error of the lowest one is reported, whatever the number of threads.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

using namespace mlir::fuse::emu;

static std::string tuple(const Dim3 &d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," +
         std::to_string(d.z) + ")";
}

void mlir::fuse::emu::trap(Warp &w, const Inst &i, unsigned lane,
                           const std::string &what) {
  const Launch &launch = *w.block->launch;
  uint32_t linear = w.index * 32 + lane;
  Dim3 thread{linear % launch.block.x, linear / launch.block.x % launch.block.y,
              linear / launch.block.x / launch.block.y};
  std::string message = what + "\n  in kernel '" + w.program->name +
                        "', block " + tuple(w.block->id) + ", thread " +
                        tuple(thread);
  const ModuleImpl &module = *launch.module;
  if (i.line && i.line - 1 < module.lines.size()) {
    std::string text = module.lines[i.line - 1];
    size_t start = text.find_first_not_of(" \t");
    message += "\n  at " + module.fileName + ":" + std::to_string(i.line) +
               ": " + (start == std::string::npos ? text : text.substr(start));
  }
  const SourceLoc &loc = module.locs[i.loc];
  if (loc.line) {
    auto file = module.files.find(loc.file);
    message += "\n  from " +
               (file == module.files.end() ? "file " + std::to_string(loc.file)
                                           : file->second) +
               ":" + std::to_string(loc.line) + ":" +
               std::to_string(loc.column);
  }
  throw Trap{message};
}

//===-- Special registers --------------------------------------------------=//

static uint32_t component(const Dim3 &d, char axis) {
  return axis == 'x' ? d.x : axis == 'y' ? d.y : d.z;
}

/// Value of a special register that is the same for the block or the warp;
/// those of single lanes are handled by the caller.
static uint64_t uniformSpecial(const std::string &name, const Block &b,
                               uint32_t warp) {
  const Launch &launch = *b.launch;
  auto dim = [&](const Dim3 &d) { return component(d, name.back()); };
  // Blocks are grouped into clusters along each axis.
  auto perCluster = [&] { return dim(launch.cluster); };
  auto is = [&](const char *prefix) {
    return name.compare(0, strlen(prefix), prefix) == 0;
  };
  if (is("%ntid."))
    return dim(launch.block);
  if (is("%ctaid."))
    return dim(b.id);
  if (is("%nctaid."))
    return dim(launch.grid);
  if (is("%clusterid."))
    return dim(b.id) / perCluster();
  if (is("%nclusterid."))
    return dim(launch.grid) / perCluster();
  if (is("%cluster_ctaid."))
    return dim(b.id) % perCluster();
  if (is("%cluster_nctaid."))
    return perCluster();
  if (name == "%cluster_ctarank")
    return b.rank;
  if (name == "%cluster_nctarank")
    return launch.cluster.count();
  if (name == "%nsmid")
    return 1;
  if (name == "%warpid")
    return warp;
  if (name == "%nwarpid")
    return (launch.block.count() + 31) / 32;
  if (name == "%dynamic_smem_size")
    return launch.dynamicShared;
  if (name == "%total_smem_size")
    return launch.sharedBytes;
  return 0; // %smid, %gridid
}

static uint32_t laneSpecial(const std::string &name, const Launch &launch,
                            uint32_t warp, unsigned lane, bool &known) {
  known = true;
  uint32_t linear = warp * 32 + lane;
  if (name == "%tid.x")
    return linear % launch.block.x;
  if (name == "%tid.y")
    return linear / launch.block.x % launch.block.y;
  if (name == "%tid.z")
    return linear / launch.block.x / launch.block.y;
  if (name == "%laneid")
    return lane;
  if (name == "%lanemask_eq")
    return 1u << lane;
  if (name == "%lanemask_lt")
    return (1u << lane) - 1;
  if (name == "%lanemask_le")
    return (2u << lane) - 1;
  if (name == "%lanemask_gt")
    return ~((2u << lane) - 1);
  if (name == "%lanemask_ge")
    return ~((1u << lane) - 1);
  known = false;
  return 0;
}

static void setSpecials(Warp &w) {
  for (const SpecialSlot &slot : w.program->specials) {
    if (slot.name == "true" || slot.name == "false" ||
        slot.name == "%is_explicit_cluster") {
      bool set = slot.name == "true" ||
                 (slot.name != "false" && w.block->launch->explicitCluster);
      *w.reg<uint32_t>(slot.offset) = set ? ~0u : 0;
      continue;
    }
    bool known = false;
    laneSpecial(slot.name, *w.block->launch, w.index, 0, known);
    if (known) {
      uint32_t *d = w.reg<uint32_t>(slot.offset);
      for (unsigned l = 0; l < 32; ++l)
        d[l] = laneSpecial(slot.name, *w.block->launch, w.index, l, known);
      continue;
    }
    uint64_t value = uniformSpecial(slot.name, *w.block, w.index);
    if (slot.name == "%gridid") {
      std::fill_n(w.reg<uint64_t>(slot.offset), 32, value);
      continue;
    }
    std::fill_n(w.reg<uint32_t>(slot.offset), 32, uint32_t(value));
  }
}

//===-- Blocks -------------------------------------------------------------=//

static Dim3 position(uint64_t linear, const Dim3 &extent) {
  return {uint32_t(linear % extent.x), uint32_t(linear / extent.x % extent.y),
          uint32_t(linear / extent.x / extent.y)};
}

/// The cache-aligned start of a vector that was made 64 bytes too long.
static uint8_t *aligned(std::vector<uint8_t> &storage, uintptr_t align) {
  uint8_t *start = storage.data();
  return start + ((0 - reinterpret_cast<uintptr_t>(start)) & (align - 1));
}

/// Bytes between the shared memories of two blocks of a cluster.
static size_t sharedStride(const Launch &launch) {
  return (size_t(launch.sharedBytes) + 1023) / 1024 * 1024;
}

static void prepareWarp(Worker &worker, Block &b, uint32_t index) {
  const Program &program = *worker.launch->program;
  uint32_t threads = uint32_t(worker.launch->block.count());
  uint32_t warps = (threads + 31) / 32;
  Warp &w = b.warps[index];
  w.groups.clear();
  w.block = &b;
  w.worker = &worker;
  w.program = &program;
  w.index = index;
  w.order = b.rank * warps + index;
  w.regs = aligned(worker.fileStorage, 64) + w.order * program.image.size();
  w.local =
      worker.localStorage.data() + size_t(w.order) * 32 * program.localBytes;
  w.lanes = index + 1 < warps || threads % 32 == 0 ? fullMask
                                                   : (1u << threads % 32) - 1;
  w.active = w.lanes;
  w.exited = w.pc = w.depth = w.clusterArrived = 0;
  w.switchPc = ~0u;
  w.event = w.yield = w.rotate = false;
  w.issued = 0;
  std::memcpy(w.regs, program.image.data(), program.image.size());
  setSpecials(w);
}

static void prepareBlock(Worker &worker, Block &b) {
  Launch &launch = *worker.launch;
  b.launch = &launch;
  b.linear =
      (uint64_t(b.id.z) * launch.grid.y + b.id.y) * launch.grid.x + b.id.x;
  b.shared =
      aligned(worker.sharedStorage, 1024) + b.rank * sharedStride(launch);
  std::memset(b.shared, 0, launch.sharedBytes);
  std::fill(std::begin(b.barriers), std::end(b.barriers), BarrierState());
  b.instructions = 0;
  b.liveThreads = uint32_t(launch.block.count());
  uint32_t warps = (b.liveThreads + 31) / 32;
  b.warps.resize(warps);
  for (uint32_t k = 0; k < warps; ++k)
    prepareWarp(worker, b, k);
  worker.warps += warps;
  ++worker.blocks;
}

static void prepareCluster(Worker &worker, uint64_t linear) {
  Launch &launch = *worker.launch;
  const Dim3 &size = launch.cluster;
  Dim3 at = position(linear, {launch.grid.x / size.x, launch.grid.y / size.y,
                              launch.grid.z / size.z});
  Cluster &cluster = worker.cluster;
  cluster.blocks.resize(size.count());
  cluster.arrived = cluster.phase = 0;
  cluster.liveThreads = uint32_t(launch.block.count() * size.count());
  if (launch.program->localBytes)
    std::fill(worker.localStorage.begin(), worker.localStorage.end(), 0);
  for (uint32_t rank = 0; rank < cluster.blocks.size(); ++rank) {
    Block &b = cluster.blocks[rank];
    Dim3 within = position(rank, size);
    b.cluster = &cluster;
    b.rank = rank;
    b.id = {at.x * size.x + within.x, at.y * size.y + within.y,
            at.z * size.z + within.z};
    prepareBlock(worker, b);
  }
  if (worker.checker)
    worker.checker->startCluster(cluster);
}

static void initWorker(Worker &worker, Launch &launch) {
  worker.launch = &launch;
  const Program &program = *launch.program;
  size_t blocks = launch.cluster.count();
  size_t warps = (launch.block.count() + 31) / 32 * blocks;
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

static void work(Worker &worker, Failure &failure) {
  Launch &launch = *worker.launch;
  uint64_t total = launch.grid.count() / launch.cluster.count();
  worker.trace = launch.options->trace;
  while (true) {
    uint64_t linear = launch.nextCluster.fetch_add(1);
    if (linear >= total || linear > launch.failedCluster.load())
      return;
    try {
      prepareCluster(worker, linear);
      runCluster(worker.cluster);
    } catch (const Trap &trap) {
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

//===-- Merging the counters -----------------------------------------------=//

static void add(Traffic &to, const Traffic &from) {
  to.requests += from.requests;
  to.sectors += from.sectors;
  to.bytes += from.bytes;
}
static void add(SharedTraffic &to, const SharedTraffic &from) {
  to.requests += from.requests;
  to.wavefronts += from.wavefronts;
  to.bankConflicts += from.bankConflicts;
}

static void addInstCounts(LaunchStats &stats, const Inst &i,
                          const InstCounters &c) {
  if (!i.counted)
    return;
  stats.warpInstructions += c.warp;
  stats.threadInstructions += c.thread;
  InstCount &cls = stats.byClass[unsigned(i.cls)];
  cls.warp += c.warp;
  cls.thread += c.thread;
  switch (i.unit) {
  case FlopUnit::None:
    break;
  case FlopUnit::Fp16:
    stats.flops.fp16 += i.flops * c.thread;
    break;
  case FlopUnit::Fp32:
    stats.flops.fp32 += i.flops * c.thread;
    break;
  case FlopUnit::Fp64:
    stats.flops.fp64 += i.flops * c.thread;
    break;
  case FlopUnit::Sfu:
    stats.flops.sfu += i.flops * c.thread;
    break;
  case FlopUnit::Tensor:
    stats.flops.tensor += i.flops * c.warp;
    break;
  }
}

static void mergeInstructions(const Launch &launch,
                              const std::vector<Worker> &workers,
                              LaunchStats &stats) {
  const Program &program = *launch.program;
  std::map<unsigned, LineCount> lines;
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    InstCounters sum;
    for (const Worker &worker : workers) {
      sum.warp += worker.counters[pc].warp;
      sum.thread += worker.counters[pc].thread;
      sum.requests += worker.counters[pc].requests;
      sum.sectors += worker.counters[pc].sectors;
      sum.wavefronts += worker.counters[pc].wavefronts;
    }
    const Inst &i = program.code[pc];
    addInstCounts(stats, i, sum);
    if (!launch.options->perLine || !i.counted || !sum.warp)
      continue;
    LineCount &line = lines[i.line];
    line.line = i.line;
    line.warp += sum.warp;
    line.thread += sum.thread;
    line.requests += sum.requests;
    line.sectors += sum.sectors;
    line.wavefronts += sum.wavefronts;
  }
  for (auto &[number, line] : lines)
    stats.lines.push_back(line);
  stats.branches = stats.byClass[unsigned(InstClass::Branch)].warp;
  stats.barriers = stats.byClass[unsigned(InstClass::Barrier)].warp;
}

static uint64_t countBits(const std::atomic<uint64_t> *bits, uint64_t sectors) {
  uint64_t count = 0;
  for (uint64_t word = 0; bits && word < (sectors + 63) / 64; ++word)
    count += uint64_t(__builtin_popcountll(bits[word].load()));
  return count;
}

static void mergeTraffic(Launch &launch, const std::vector<Worker> &workers,
                         LaunchStats &stats) {
  for (const Worker &worker : workers) {
    add(stats.globalLoad, worker.globalLoad);
    add(stats.globalStore, worker.globalStore);
    add(stats.globalAtomic, worker.globalAtomic);
    add(stats.local, worker.localLoad);
    add(stats.localStore, worker.localStore);
    add(stats.sharedLoad, worker.sharedLoad);
    add(stats.sharedStore, worker.sharedStore);
    add(stats.sharedAtomic, worker.sharedAtomic);
    stats.divergentBranches += worker.divergent;
    stats.blocks += worker.blocks;
    stats.warps += worker.warps;
  }
  for (size_t k = 0; k < launch.allocations.size(); ++k) {
    const Allocation &allocation = launch.allocations[k];
    AllocationTraffic traffic;
    for (const Worker &worker : workers) {
      add(traffic.load, worker.perAllocation[k].load);
      add(traffic.store, worker.perAllocation[k].store);
      add(traffic.atomic, worker.perAllocation[k].atomic);
    }
    if (!traffic.load.requests && !traffic.store.requests &&
        !traffic.atomic.requests)
      continue;
    uint64_t sectors =
        ((allocation.end() - 1) >> 5) - (allocation.base >> 5) + 1;
    traffic.load.uniqueSectors =
        countBits(launch.touched[2 * k].load(), sectors);
    traffic.store.uniqueSectors =
        countBits(launch.touched[2 * k + 1].load(), sectors);
    stats.globalLoad.uniqueSectors += traffic.load.uniqueSectors;
    stats.globalStore.uniqueSectors += traffic.store.uniqueSectors;
    traffic.base = allocation.base;
    traffic.size = allocation.size;
    traffic.serial = allocation.serial;
    traffic.name = allocation.name;
    stats.allocations.push_back(std::move(traffic));
  }
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

static void runWorkers(Launch &launch, std::vector<Worker> &workers,
                       Failure &failure) {
  for (Worker &worker : workers)
    initWorker(worker, launch);
  std::vector<std::thread> threads;
  for (size_t k = 1; k < workers.size(); ++k)
    threads.emplace_back([&, k] { work(workers[k], failure); });
  work(workers[0], failure);
  for (std::thread &thread : threads)
    thread.join();
}

static bool launchImpl(const Module &module, size_t index, Dim3 grid,
                       Dim3 block, uint32_t dynamicShared, const void *params,
                       const LaunchOptions &options, LaunchStats &stats,
                       std::string &error) {
  ModuleImpl &impl = module.getImpl();
  const Program &program = impl.programs[index];
  stats = LaunchStats();
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
  if (options.checks)
    wanted = 1; // The checkers follow the blocks in order.
  std::vector<Worker> workers(
      std::min<uint64_t>(wanted, grid.count() / launch.cluster.count()));
  Checker checker(launch);
  if (options.checks)
    workers[0].checker = &checker;
  Failure failure;
  runWorkers(launch, workers, failure);
  mergeInstructions(launch, workers, stats);
  mergeTraffic(launch, workers, stats);
  mergePrinted(workers, stats);
  for (auto &cell : launch.touched)
    std::free(cell.load());
  error = failure.message;
  return failure.cluster == ~uint64_t(0);
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
