//===- Counters.cpp - Counters as JSON ------------------------------------===//
//
// The one place that names the counters in reports; docs/Emulator.md lists
// them with the profiler metrics they correspond to.
//
//===----------------------------------------------------------------------===//
#include "fuse-mlir/Emulator/Counters.h"

using namespace mlir::fuse::emu;

const char *mlir::fuse::emu::instClassName(InstClass cls) {
  static const char *const names[numInstClasses] = {
      "integer",       "fp16",        "fp32",         "fp64",
      "sfu",           "tensor",      "convert",      "move",
      "predicate",     "global_load", "global_store", "shared_load",
      "shared_store",  "local_load",  "local_store",  "generic_load",
      "generic_store", "const_load",  "atomic",       "async_copy",
      "shuffle",       "vote",        "branch",       "barrier",
      "fence",         "special"};
  return names[unsigned(cls)];
}

namespace {
class Writer {
public:
  explicit Writer(unsigned indent) : indent(indent) {}
  void open(const char *name) {
    item(name);
    text += '{';
    first = true;
    ++depth;
  }
  void close() {
    --depth;
    newLine();
    text += '}';
    first = false;
  }
  void number(const char *name, uint64_t value) {
    item(name);
    text += std::to_string(value);
  }
  void inlineItem(const char *name, const std::string &value) {
    item(name);
    text += value;
  }
  std::string take() { return std::move(text); }

private:
  void newLine() {
    text += '\n';
    text.append(indent + 2 * depth, ' ');
  }
  void item(const char *name) {
    if (!first)
      text += ',';
    if (depth)
      newLine();
    first = false;
    if (name)
      text += '"' + std::string(name) + "\": ";
  }
  std::string text;
  unsigned indent, depth = 0;
  bool first = true;
};
} // namespace

static std::string trafficJson(const Traffic &t) {
  return "{\"requests\": " + std::to_string(t.requests) +
         ", \"requested\": " + std::to_string(t.sectors) +
         ", \"unique\": " + std::to_string(t.uniqueSectors) +
         ", \"bytes\": " + std::to_string(t.bytes) + "}";
}
static std::string sharedJson(const SharedTraffic &t) {
  return "{\"requests\": " + std::to_string(t.requests) +
         ", \"wavefronts\": " + std::to_string(t.wavefronts) +
         ", \"bank_conflicts\": " + std::to_string(t.bankConflicts) + "}";
}

static void writeClasses(Writer &out, const LaunchStats &stats) {
  out.open("by_class");
  for (unsigned k = 0; k < numInstClasses; ++k) {
    const InstCount &count = stats.byClass[k];
    if (count.warp)
      out.inlineItem(instClassName(InstClass(k)),
                     "{\"warp\": " + std::to_string(count.warp) +
                         ", \"thread\": " + std::to_string(count.thread) + "}");
  }
  out.close();
}

static void writeAllocations(Writer &out, const LaunchStats &stats) {
  std::string list = "[";
  for (const AllocationTraffic &a : stats.allocations) {
    if (list.size() > 1)
      list += ", ";
    list += "{\"allocation\": " + std::to_string(a.serial);
    if (!a.name.empty())
      list += ", \"name\": \"" + a.name + "\"";
    list += ", \"size\": " + std::to_string(a.size) +
            ", \"load\": " + trafficJson(a.load) +
            ", \"store\": " + trafficJson(a.store) +
            ", \"atomic\": " + trafficJson(a.atomic) + "}";
  }
  out.inlineItem("allocations", list + "]");
}

static void writeLines(Writer &out, const LaunchStats &stats) {
  std::string list = "[";
  for (const LineCount &c : stats.lines) {
    if (list.size() > 1)
      list += ", ";
    list += "{\"line\": " + std::to_string(c.line) +
            ", \"warp\": " + std::to_string(c.warp) +
            ", \"thread\": " + std::to_string(c.thread) +
            ", \"requests\": " + std::to_string(c.requests) +
            ", \"sectors\": " + std::to_string(c.sectors) +
            ", \"ideal_sectors\": " + std::to_string(c.idealSectors) +
            ", \"bytes\": " + std::to_string(c.bytes) +
            ", \"wavefronts\": " + std::to_string(c.wavefronts) +
            ", \"bank_conflicts\": " + std::to_string(c.bankConflicts) + "}";
  }
  out.inlineItem("lines", list + "]");
}

static void writeSectors(Writer &out, const LaunchStats &stats) {
  out.open("counted_sectors");
  out.number("requested", stats.globalLoad.sectors + stats.globalStore.sectors +
                              stats.globalAtomic.sectors);
  out.number("unique",
             stats.globalLoad.uniqueSectors + stats.globalStore.uniqueSectors);
  const CacheTraffic &c = stats.caches;
  out.inlineItem("l2", c.simulated ? std::to_string(c.l2Sectors()) : "null");
  out.inlineItem("dram",
                 c.simulated ? std::to_string(c.dramSectors()) : "null");
  out.inlineItem("load", trafficJson(stats.globalLoad));
  out.inlineItem("store", trafficJson(stats.globalStore));
  out.inlineItem("atomic", trafficJson(stats.globalAtomic));
  out.close();
  if (!c.simulated)
    return;
  out.open("caches");
  out.number("l1_load_hits", c.l1Hits);
  out.number("l2_reads", c.l2Reads);
  out.number("l2_writes", c.l2Writes);
  out.number("l2_atomics", c.l2Atomics);
  out.number("l2_hits", c.l2Hits);
  out.number("dram_reads", c.dramReads);
  out.number("dram_writes", c.dramWrites);
  out.number("l2_dirty", c.l2Dirty);
  out.close();
}

std::string mlir::fuse::emu::statsToJson(const LaunchStats &stats,
                                         unsigned indent) {
  Writer out(indent);
  out.open(nullptr);
  out.number("blocks", stats.blocks);
  out.number("sampled_blocks", stats.sampledBlocks);
  out.number("resident_blocks", stats.residentBlocks);
  out.number("load_run_bytes", stats.loadRunBytes);
  out.number("warps", stats.warps);
  out.number("warp_instructions", stats.warpInstructions);
  out.number("thread_instructions", stats.threadInstructions);
  writeClasses(out, stats);
  writeSectors(out, stats);
  out.number("atomic_passes", stats.atomicPasses);
  writeAllocations(out, stats);
  out.inlineItem("local_load", trafficJson(stats.local));
  out.inlineItem("local_store", trafficJson(stats.localStore));
  out.inlineItem("shared_load", sharedJson(stats.sharedLoad));
  out.inlineItem("shared_store", sharedJson(stats.sharedStore));
  out.inlineItem("shared_atomic", sharedJson(stats.sharedAtomic));
  out.number("branches", stats.branches);
  out.number("divergent_branches", stats.divergentBranches);
  out.number("barriers", stats.barriers);
  out.open("flops");
  out.number("fp16", stats.flops.fp16);
  out.number("fp32", stats.flops.fp32);
  out.number("fp64", stats.flops.fp64);
  out.number("sfu", stats.flops.sfu);
  out.number("tensor", stats.flops.tensor);
  out.close();
  if (!stats.lines.empty())
    writeLines(out, stats);
  out.close();
  return out.take();
}
