//===- Report.cpp - What was launched, as C structures and JSON -----------===//
//
// docs/Emulator.md describes the report.
//
//===----------------------------------------------------------------------===//
#include "State.h"

#include "fuse-mlir/Emulator/OutputFile.h"

#include <cstdio>

using namespace fuse::runtime;
using namespace mlir::fuse::emu;

//===-- Counters -----------------------------------------------------------=//

static FuseRuntimeTraffic convert(const Traffic &t) {
  return {t.requests, t.sectors, t.uniqueSectors, t.bytes};
}

void fuse::runtime::fillCounters(LaunchRecord &record, LaunchStats stats) {
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
  c.warps = stats.warps;
  c.atomicPasses = stats.atomicPasses;
  c.sharedAtomicWavefronts = stats.sharedAtomic.wavefronts;
  static_assert(numInstClasses == FUSE_RUNTIME_NUM_CLASSES);
  for (unsigned k = 0; k < numInstClasses; ++k) {
    c.warpByClass[k] = stats.byClass[k].warp;
    c.threadByClass[k] = stats.byClass[k].thread;
  }
  c.sampledBlocks = stats.sampledBlocks;
  c.residentBlocks = stats.residentBlocks;
  c.hasCaches = stats.caches.simulated;
  c.l1LoadHits = stats.caches.l1Hits;
  c.l2Reads = stats.caches.l2Reads;
  c.l2Writes = stats.caches.l2Writes;
  c.l2Atomics = stats.caches.l2Atomics;
  c.l2Hits = stats.caches.l2Hits;
  c.dramReads = stats.caches.dramReads;
  c.dramWrites = stats.caches.dramWrites;
  c.l2Dirty = stats.caches.l2Dirty;
  for (const AllocationTraffic &a : stats.allocations)
    record.allocations.push_back({a.base, a.size, a.serial, convert(a.load),
                                  convert(a.store), convert(a.atomic)});
  stats.printed.clear();
  record.stats = std::move(stats);
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
  if (d.hasCounters)
    out += ",\n      \"counters\": " + statsToJson(record.stats, 6);
  return out + "\n    }";
}

std::string State::reportJson() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::string out = "{\n  \"backend\": \"" + std::string(impl->name()) +
                    "\",\n  \"launches\": [";
  bool first = true, anyCounters = false;
  LaunchStats total;
  for (LaunchRecord &record : launches) {
    resolveTimer(record);
    anyCounters |= record.data.hasCounters;
    addStats(total, record.stats);
    out += first ? "\n" : ",\n";
    first = false;
    out += launchJson(record);
  }
  auto number = [&](const char *name, uint64_t value) {
    out += ",\n  \"" + std::string(name) + "\": " + std::to_string(value);
  };
  out += first ? "]" : "\n  ]";
  if (anyCounters)
    out += ",\n  \"total\": " + statsToJson(total, 2);
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
  return writeOutputFile(path, text.data(), text.size());
}
