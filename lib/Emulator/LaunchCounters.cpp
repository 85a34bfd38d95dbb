//===- LaunchCounters.cpp - From workers to the counters of a launch ------===//
//
// See LaunchCounters.h.
//
//===----------------------------------------------------------------------===//
#include "LaunchCounters.h"

using namespace mlir::fuse::emu;

//===-- Sums ---------------------------------------------------------------=//

/// Calls `f(to, from)` for each number of the two.
template <typename F>
static void each(Traffic &to, const Traffic &from, F f) {
  f(to.requests, from.requests);
  f(to.sectors, from.sectors);
  f(to.uniqueSectors, from.uniqueSectors);
  f(to.bytes, from.bytes);
}
template <typename F>
static void each(SharedTraffic &to, const SharedTraffic &from, F f) {
  f(to.requests, from.requests);
  f(to.wavefronts, from.wavefronts);
  f(to.bankConflicts, from.bankConflicts);
}
template <typename F>
static void each(AllocationCounters &to, const AllocationCounters &from, F f) {
  each(to.load, from.load, f);
  each(to.store, from.store, f);
  each(to.atomic, from.atomic, f);
}
template <typename F>
static void each(InstCounters &to, const InstCounters &from, F f) {
  if (from.requests)
    to.kind = from.kind;
  f(to.warp, from.warp);
  f(to.thread, from.thread);
  f(to.requests, from.requests);
  f(to.sectors, from.sectors);
  f(to.idealSectors, from.idealSectors);
  f(to.bytes, from.bytes);
  f(to.wavefronts, from.wavefronts);
  f(to.bankConflicts, from.bankConflicts);
  f(to.passes, from.passes);
}
template <typename F>
static void each(WaveTraffic &to, const WaveTraffic &from, F f) {
  to.simulated |= from.simulated;
  f(to.l1Hits, from.l1Hits);
  f(to.l2Reads, from.l2Reads);
  f(to.l2Writes, from.l2Writes);
  f(to.l2Atomics, from.l2Atomics);
  f(to.l2Hits, from.l2Hits);
  f(to.dramReads, from.dramReads);
  f(to.dramWrites, from.dramWrites);
  f(to.filledLines, from.filledLines);
  f(to.dirtied, from.dirtied);
}
/// What workers and totals have in common but for the arrays.
template <typename From, typename F>
static void eachScalar(LaunchTotals &to, const From &from, F f) {
  each(to.localLoad, from.localLoad, f);
  each(to.localStore, from.localStore, f);
  each(to.sharedLoad, from.sharedLoad, f);
  each(to.sharedStore, from.sharedStore, f);
  each(to.sharedAtomic, from.sharedAtomic, f);
  f(to.divergent, from.divergent);
  f(to.warps, from.warps);
  f(to.blocks, from.blocks);
}

static void plus(uint64_t &to, uint64_t from) { to += from; }

static uint64_t countBits(const std::atomic<uint64_t> *bits, uint64_t sectors) {
  uint64_t count = 0;
  for (uint64_t word = 0; bits && word < (sectors + 63) / 64; ++word)
    count += uint64_t(__builtin_popcountll(bits[word].load()));
  return count;
}

static void collectUnique(Launch &launch, std::vector<uint64_t> &unique,
                          LaunchTotals &totals) {
  unique.resize(launch.touched.size());
  for (size_t k = 0; k < unique.size(); ++k) {
    const Allocation &allocation = launch.allocations[k / 2];
    uint64_t sectors = allocation.size ? ((allocation.end() - 1) >> 5) -
                                             (allocation.base >> 5) + 1
                                       : 0;
    uint64_t count = countBits(launch.touched[k].load(), sectors);
    AllocationCounters &counters = totals.allocations[k / 2];
    (k % 2 ? counters.store : counters.load).uniqueSectors += count - unique[k];
    unique[k] = count;
  }
}

void mlir::fuse::emu::collect(Launch &launch, std::vector<Worker> &workers,
                              std::vector<uint64_t> &unique,
                              LaunchTotals &totals) {
  totals.insts.resize(launch.program->code.size());
  totals.allocations.resize(launch.allocations.size());
  for (Worker &worker : workers) {
    for (size_t k = 0; k < totals.insts.size(); ++k)
      each(totals.insts[k], worker.counters[k], plus);
    for (size_t k = 0; k < totals.allocations.size(); ++k)
      each(totals.allocations[k], worker.perAllocation[k], plus);
    eachScalar(totals, worker, plus);
    std::fill(worker.counters.begin(), worker.counters.end(), InstCounters());
    std::fill(worker.perAllocation.begin(), worker.perAllocation.end(),
              AllocationCounters());
    worker.localLoad = worker.localStore = Traffic();
    worker.sharedLoad = worker.sharedStore = SharedTraffic();
    worker.sharedAtomic = SharedTraffic();
    worker.divergent = worker.warps = worker.blocks = 0;
  }
  collectUnique(launch, unique, totals);
}

void mlir::fuse::emu::addScaled(LaunchTotals &to, const LaunchTotals &from,
                                uint64_t weight, uint64_t parts) {
  auto scale = [=](uint64_t &number, uint64_t more) {
    number += uint64_t(((unsigned __int128)more * weight + parts / 2) / parts);
  };
  to.insts.resize(from.insts.size());
  to.allocations.resize(from.allocations.size());
  for (size_t k = 0; k < from.insts.size(); ++k)
    each(to.insts[k], from.insts[k], scale);
  for (size_t k = 0; k < from.allocations.size(); ++k)
    each(to.allocations[k], from.allocations[k], scale);
  each(to.caches, from.caches, scale);
  eachScalar(to, from, scale);
}

//===-- The public form ----------------------------------------------------=//

static void addFlops(Flops &flops, const Inst &i, const InstCounters &c) {
  switch (i.unit) {
  case FlopUnit::None:
    return;
  case FlopUnit::Fp16:
    flops.fp16 += i.flops * c.thread;
    return;
  case FlopUnit::Fp32:
    flops.fp32 += i.flops * c.thread;
    return;
  case FlopUnit::Fp64:
    flops.fp64 += i.flops * c.thread;
    return;
  case FlopUnit::Sfu:
    flops.sfu += i.flops * c.thread;
    return;
  case FlopUnit::Tensor:
    flops.tensor += i.flops * c.warp;
    return;
  }
}

static void addLine(LineCount &line, const Inst &i, const InstCounters &c) {
  line.line = i.line;
  if (i.counted) { // Else a further part of the same instruction.
    line.warp += c.warp;
    line.thread += c.thread;
  }
  line.requests += c.requests;
  line.sectors += c.sectors;
  line.idealSectors += c.idealSectors;
  line.bytes += c.bytes;
  line.wavefronts += c.wavefronts;
  line.bankConflicts += c.bankConflicts;
}

static void finishInstructions(const Launch &launch, const LaunchTotals &totals,
                               LaunchStats &stats) {
  const Program &program = *launch.program;
  std::map<unsigned, LineCount> lines;
  for (size_t pc = 0; pc < program.code.size(); ++pc) {
    const InstCounters &c = totals.insts[pc];
    const Inst &i = program.code[pc];
    Traffic &traffic = c.kind == AccessKind::Load    ? stats.globalLoad
                       : c.kind == AccessKind::Store ? stats.globalStore
                                                     : stats.globalAtomic;
    traffic.requests += c.requests;
    traffic.sectors += c.sectors;
    traffic.bytes += c.bytes;
    stats.atomicPasses += c.passes;
    if (i.counted) {
      stats.warpInstructions += c.warp;
      stats.threadInstructions += c.thread;
      InstCount &cls = stats.byClass[unsigned(i.cls)];
      cls.warp += c.warp;
      cls.thread += c.thread;
      addFlops(stats.flops, i, c);
    }
    if (launch.options->perLine && c.warp)
      addLine(lines[i.line], i, c);
  }
  for (auto &[number, line] : lines)
    stats.lines.push_back(line);
  stats.branches = stats.byClass[unsigned(InstClass::Branch)].warp;
  stats.barriers = stats.byClass[unsigned(InstClass::Barrier)].warp;
}

static void finishAllocations(const Launch &launch, const LaunchTotals &totals,
                              LaunchStats &stats) {
  for (size_t k = 0; k < launch.allocations.size(); ++k) {
    const Allocation &allocation = launch.allocations[k];
    const AllocationCounters &c = totals.allocations[k];
    if (!c.load.requests && !c.store.requests && !c.atomic.requests)
      continue;
    stats.globalLoad.uniqueSectors += c.load.uniqueSectors;
    stats.globalStore.uniqueSectors += c.store.uniqueSectors;
    stats.allocations.push_back({allocation.base, allocation.size,
                                 allocation.serial, allocation.name, c.load,
                                 c.store, c.atomic});
  }
}

void mlir::fuse::emu::finish(const Launch &launch, const LaunchTotals &totals,
                             LaunchStats &stats) {
  finishInstructions(launch, totals, stats);
  finishAllocations(launch, totals, stats);
  stats.local = totals.localLoad;
  stats.localStore = totals.localStore;
  stats.sharedLoad = totals.sharedLoad;
  stats.sharedStore = totals.sharedStore;
  stats.sharedAtomic = totals.sharedAtomic;
  stats.divergentBranches = totals.divergent;
  stats.warps = totals.warps;
  stats.blocks = totals.blocks;
  stats.caches = totals.caches;
}
