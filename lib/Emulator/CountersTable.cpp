//===- CountersTable.cpp - Counters for people, and their sums ------------===//
//
// The rows are those of the JSON; docs/Emulator.md explains both.
//
//===----------------------------------------------------------------------===//
#include "fuse-mlir/Emulator/Counters.h"

#include <algorithm>
#include <cstdio>
#include <map>

using namespace mlir::fuse::emu;

//===-- Table --------------------------------------------------------------=//

namespace {
class Table {
public:
  void title(const char *name) { text += std::string(name) + "\n"; }
  void row(const std::string &name, uint64_t value,
           const std::string &note = {}) {
    char line[160];
    snprintf(line, sizeof line, "  %-26s %16llu%s%s\n", name.c_str(),
             (unsigned long long)value, note.empty() ? "" : "  ", note.c_str());
    text += line;
  }
  void traffic(const std::string &name, const Traffic &t) {
    if (!t.requests)
      return;
    char note[80];
    snprintf(note, sizeof note, "%.2f sectors a request, %llu unique",
             double(t.sectors) / double(t.requests),
             (unsigned long long)t.uniqueSectors);
    row(name + " requests", t.requests);
    row(name + " sectors", t.sectors, note);
    row(name + " bytes", t.bytes);
  }
  void shared(const std::string &name, const SharedTraffic &t) {
    if (!t.requests)
      return;
    row(name + " requests", t.requests);
    row(name + " wavefronts", t.wavefronts,
        std::to_string(t.bankConflicts) + " by bank conflicts");
  }
  void nonZero(const std::string &name, uint64_t value) {
    if (value)
      row(name, value);
  }
  std::string text;
};
} // namespace

std::string mlir::fuse::emu::statsToTable(const LaunchStats &stats) {
  Table table;
  table.title("instructions");
  table.row("blocks", stats.blocks,
            stats.sampledBlocks ? std::to_string(stats.sampledBlocks) +
                                      " ran, the rest is scaled"
                                : "");
  table.row("warps", stats.warps);
  table.row("warp instructions", stats.warpInstructions);
  table.row("thread instructions", stats.threadInstructions);
  for (unsigned k = 0; k < numInstClasses; ++k)
    if (stats.byClass[k].warp)
      table.row(std::string("  ") + instClassName(InstClass(k)),
                stats.byClass[k].warp,
                std::to_string(stats.byClass[k].thread) + " of threads");
  table.row("divergent branches", stats.divergentBranches);
  table.title("global memory");
  table.traffic("load", stats.globalLoad);
  table.traffic("store", stats.globalStore);
  table.traffic("atomic", stats.globalAtomic);
  table.nonZero("atomic passes", stats.atomicPasses);
  table.nonZero("load run bytes", stats.loadRunBytes);
  if (stats.caches.simulated) {
    table.title("sectors in caches");
    table.row("L1 load hits", stats.caches.l1Hits);
    table.row("L2 reads", stats.caches.l2Reads);
    table.row("L2 writes", stats.caches.l2Writes);
    table.row("L2 atomics", stats.caches.l2Atomics);
    table.row("L2 hits", stats.caches.l2Hits);
    table.row("DRAM reads", stats.caches.dramReads);
    table.row("DRAM writes", stats.caches.dramWrites,
              std::to_string(stats.caches.l2Dirty) + " still dirty in L2");
  }
  table.title("local and shared memory");
  table.traffic("local load", stats.local);
  table.traffic("local store", stats.localStore);
  table.shared("shared load", stats.sharedLoad);
  table.shared("shared store", stats.sharedStore);
  table.shared("shared atomic", stats.sharedAtomic);
  table.row("barriers", stats.barriers);
  table.title("flops");
  table.nonZero("fp16", stats.flops.fp16);
  table.nonZero("fp32", stats.flops.fp32);
  table.nonZero("fp64", stats.flops.fp64);
  table.nonZero("sfu", stats.flops.sfu);
  table.nonZero("tensor", stats.flops.tensor);
  return table.text;
}

//===-- Sums ---------------------------------------------------------------=//

static void add(Traffic &to, const Traffic &more) {
  to.requests += more.requests;
  to.sectors += more.sectors;
  to.uniqueSectors += more.uniqueSectors;
  to.bytes += more.bytes;
}
static void add(SharedTraffic &to, const SharedTraffic &more) {
  to.requests += more.requests;
  to.wavefronts += more.wavefronts;
  to.bankConflicts += more.bankConflicts;
}
static void add(Flops &to, const Flops &more) {
  to.fp16 += more.fp16;
  to.fp32 += more.fp32;
  to.fp64 += more.fp64;
  to.sfu += more.sfu;
  to.tensor += more.tensor;
}
static void add(CacheTraffic &to, const CacheTraffic &more) {
  to.simulated |= more.simulated;
  to.l1Hits += more.l1Hits;
  to.l2Reads += more.l2Reads;
  to.l2Writes += more.l2Writes;
  to.l2Atomics += more.l2Atomics;
  to.l2Hits += more.l2Hits;
  to.dramReads += more.dramReads;
  to.dramWrites += more.dramWrites;
  if (more.simulated)
    to.l2Dirty = more.l2Dirty; // What the last one left.
}

static void addAllocations(LaunchStats &to, const LaunchStats &more) {
  std::map<uint64_t, size_t> known;
  for (size_t k = 0; k < to.allocations.size(); ++k)
    known[to.allocations[k].serial] = k;
  for (const AllocationTraffic &a : more.allocations) {
    auto it = known.find(a.serial);
    if (it == known.end()) {
      to.allocations.push_back(a);
      continue;
    }
    add(to.allocations[it->second].load, a.load);
    add(to.allocations[it->second].store, a.store);
    add(to.allocations[it->second].atomic, a.atomic);
  }
}

void mlir::fuse::emu::addStats(LaunchStats &to, const LaunchStats &more) {
  to.blocks += more.blocks;
  to.gridBlocks += more.gridBlocks;
  to.sampledBlocks += more.sampledBlocks;
  to.warps += more.warps;
  to.warpInstructions += more.warpInstructions;
  to.threadInstructions += more.threadInstructions;
  for (unsigned k = 0; k < numInstClasses; ++k) {
    to.byClass[k].warp += more.byClass[k].warp;
    to.byClass[k].thread += more.byClass[k].thread;
  }
  add(to.globalLoad, more.globalLoad);
  add(to.globalStore, more.globalStore);
  add(to.globalAtomic, more.globalAtomic);
  add(to.local, more.local);
  add(to.localStore, more.localStore);
  add(to.sharedLoad, more.sharedLoad);
  add(to.sharedStore, more.sharedStore);
  add(to.sharedAtomic, more.sharedAtomic);
  to.atomicPasses += more.atomicPasses;
  to.loadRunBytes = std::max(to.loadRunBytes, more.loadRunBytes);
  to.branches += more.branches;
  to.divergentBranches += more.divergentBranches;
  to.barriers += more.barriers;
  add(to.flops, more.flops);
  add(to.caches, more.caches);
  addAllocations(to, more);
}
