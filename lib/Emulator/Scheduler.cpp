//===- Scheduler.cpp - Groups of lanes, warps and barriers ----------------===//
//
// Lanes of a warp that are at the same place form a group. The group that is
// deepest in calls and then first in the text runs, which reconverges at the
// earliest point of structured code; slices keep spinning groups and warps
// from starving the ones they wait for. All decisions depend only on the
// program, never on the host, so that counters are reproducible.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"
#include "Trace.h"

#include <algorithm>

using namespace mlir::fuse::emu;

void mlir::fuse::emu::splitGroup(Warp &w, uint32_t mask, uint32_t pc) {
  Group group;
  group.pc = pc;
  group.mask = mask;
  group.depth = w.depth;
  w.groups.push_back(group);
  w.active &= ~mask;
  w.event = true;
}

/// Takes `mask` out of the running group, into a group that waits.
static void block(Warp &w, const Inst &i, uint32_t mask, Group::State state,
                  uint32_t pc, uint32_t need, uint8_t barrier) {
  Group group;
  group.pc = pc;
  group.mask = mask;
  group.depth = w.depth;
  group.state = state;
  group.need = need;
  group.barrier = barrier;
  group.inst = &i;
  w.groups.push_back(group);
  w.active &= ~mask;
  w.event = true;
}

/// The lanes of `mask` wait in front of the running instruction. It will be
/// issued again with more lanes: it is not counted twice.
static void blockBefore(Warp &w, const Inst &i, uint32_t mask,
                        Group::State state, uint32_t need) {
  size_t index = &i - w.program->code.data();
  InstCounters &counters = w.worker->counters[index];
  --counters.warp;
  counters.thread -= __builtin_popcount(mask);
  block(w, i, mask, state, uint32_t(index), need, 0);
}

bool mlir::fuse::emu::converged(Warp &w, const Inst &i, uint32_t &mask,
                                uint32_t members) {
  uint32_t need = members & w.alive();
  if (!(need & ~mask))
    return true;
  blockBefore(w, i, mask, Group::AtSync, need);
  return false;
}

bool mlir::fuse::emu::aligned(Warp &w, const Inst &i, uint32_t mask) {
  if (mask == w.alive() || w.apart) {
    w.apart = false;
    return true;
  }
  blockBefore(w, i, mask, Group::AtAligned, fullMask);
  return false;
}

void mlir::fuse::emu::warpBarrier(Warp &w, const Inst &i, uint32_t mask,
                                  uint32_t members) {
  uint32_t need = members & w.alive();
  if (need & ~mask)
    block(w, i, mask, Group::AtWarpBarrier, w.pc, need, 0);
}

//===-- Block barriers -----------------------------------------------------=//

/// Writes the result of bar.red to the lanes that waited with one.
static void writeReduction(Warp &w, const Group &group,
                           const BarrierState &state) {
  const Inst &i = *group.inst;
  if (i.flags == 0)
    return;
  if (i.flags == 1) {
    uint32_t *d = w.reg<uint32_t>(i.d);
    forLanes(group.mask, [&](unsigned l) { d[l] = state.popc; });
    return;
  }
  bool result = i.flags == 2 ? state.all : state.any;
  uint32_t &p = *w.reg<uint32_t>(i.d);
  p = result ? p | group.mask : p & ~group.mask;
}

static void releaseIfComplete(Block &b, unsigned id) {
  BarrierState &state = b.barriers[id];
  uint32_t expected = state.expected ? state.expected : b.liveThreads;
  if (!state.arrived || state.arrived < expected)
    return;
  for (Warp &w : b.warps)
    for (Group &group : w.groups)
      if (group.state == Group::AtBarrier && group.barrier == id) {
        if (w.worker->checker)
          w.worker->checker->acquireBarrier(w, id);
        writeReduction(w, group, state);
        group.state = Group::Ready;
        w.event = true;
      }
  if (Checker *checker = b.warps[0].worker->checker)
    checker->resetBarrier(b, id);
  state = BarrierState();
  b.cluster->progress = true;
}

void mlir::fuse::emu::arrive(Warp &w, const Inst &i, uint32_t mask, unsigned id,
                             uint32_t count, bool wait) {
  Block &b = *w.block;
  BarrierState &state = b.barriers[id];
  if (w.worker->checker)
    w.worker->checker->arriveBarrier(w, i, mask, id);
  if (state.arrived && state.expected != count)
    trap(w, i, __builtin_ctz(mask),
         "barrier " + std::to_string(id) + " is used with " +
             std::to_string(count) + " threads, but " +
             std::to_string(state.expected) + " by others (0 is all)");
  state.expected = count;
  // With a count, a whole warp counts as 32 however many lanes it has left.
  state.arrived += count && mask == w.alive() ? 32 : __builtin_popcount(mask);
  if (i.flags) { // bar.red
    uint32_t p = *w.reg<uint32_t>(i.c);
    state.popc += __builtin_popcount(p & mask);
    state.all &= (p & mask) == mask;
    state.any |= (p & mask) != 0;
  }
  if (wait)
    block(w, i, mask, Group::AtBarrier, w.pc, 0, uint8_t(id));
  releaseIfComplete(b, id);
}

//===-- The barrier of the cluster ----------------------------------------=//

/// Lanes whose last arrival was in the phase that is not complete yet.
static uint32_t clusterParity(const Warp &w, const Cluster &cluster) {
  return cluster.phase ? w.clusterPhase : ~w.clusterPhase;
}

static void releaseClusterIfComplete(Cluster &cluster) {
  if (!cluster.arrived || cluster.arrived < cluster.liveThreads)
    return;
  uint32_t completed = cluster.phase;
  cluster.phase ^= 1;
  cluster.arrived = 0;
  cluster.progress = true;
  for (Block &b : cluster.blocks)
    for (Warp &w : b.warps)
      for (Group &group : w.groups) {
        if (group.state != Group::AtClusterBarrier)
          continue;
        if (w.worker->checker)
          w.worker->checker->acquireCluster(w, completed);
        w.clusterArrived &= ~group.mask;
        group.state = Group::Ready;
        w.event = true;
      }
  if (Checker *checker = cluster.blocks[0].warps[0].worker->checker)
    checker->resetCluster(cluster.phase);
}

void mlir::fuse::emu::arriveCluster(Warp &w, const Inst &i, uint32_t mask) {
  Cluster &cluster = *w.block->cluster;
  if (uint32_t again = w.clusterArrived & mask)
    trap(w, i, __builtin_ctz(again),
         "second arrival at the cluster's barrier without a wait");
  w.clusterArrived |= mask;
  w.clusterPhase = (w.clusterPhase & ~mask) | (cluster.phase ? mask : 0);
  cluster.arrived += __builtin_popcount(mask);
  if (w.worker->checker)
    w.worker->checker->arriveCluster(w, i, mask, cluster.phase);
  releaseClusterIfComplete(cluster);
}

void mlir::fuse::emu::waitCluster(Warp &w, const Inst &i, uint32_t mask) {
  Cluster &cluster = *w.block->cluster;
  if (uint32_t missing = mask & ~w.clusterArrived)
    trap(w, i, __builtin_ctz(missing),
         "wait at the cluster's barrier without an arrival");
  uint32_t open = mask & clusterParity(w, cluster), done = mask & ~open;
  if (done && w.worker->checker)
    w.worker->checker->acquireCluster(w, cluster.phase ^ 1);
  w.clusterArrived &= ~done;
  if (open)
    block(w, i, open, Group::AtClusterBarrier, w.pc, 0, 0);
}

void mlir::fuse::emu::exitLanes(Warp &w, uint32_t mask) {
  w.exited |= mask;
  w.active &= ~mask;
  w.event = true;
  w.block->liveThreads -= __builtin_popcount(mask);
  w.block->cluster->liveThreads -= __builtin_popcount(mask);
  for (unsigned id = 0; id < 16; ++id)
    if (w.block->barriers[id].arrived && !w.block->barriers[id].expected)
      releaseIfComplete(*w.block, id);
  w.block->cluster->arrived -= __builtin_popcount(
      mask & w.clusterArrived & clusterParity(w, *w.block->cluster));
  releaseClusterIfComplete(*w.block->cluster);
}

//===-- Within a warp ------------------------------------------------------=//

/// Whether two groups wait for the same thing at the same place.
static bool isPartner(const Group &a, const Group &b) {
  return a.state == b.state && a.pc == b.pc && a.depth == b.depth;
}

static void makeReady(Warp &w, Group waiting) {
  for (Group &group : w.groups)
    if (isPartner(group, waiting))
      group.state = Group::Ready;
}

/// Groups whose partners have all arrived become ready.
static void promote(Warp &w) {
  uint32_t atWarpBarrier = 0;
  for (const Group &group : w.groups)
    if (group.state == Group::AtWarpBarrier)
      atWarpBarrier |= group.mask;
  for (Group &group : w.groups) {
    if (group.state == Group::AtWarpBarrier &&
        !(group.need & w.alive() & ~atWarpBarrier))
      group.state = Group::Ready;
    if (group.state != Group::AtSync && group.state != Group::AtAligned)
      continue;
    uint32_t together = 0;
    for (const Group &other : w.groups)
      together |= isPartner(group, other) ? other.mask : 0;
    if (!(group.need & w.alive() & ~together))
      makeReady(w, group);
  }
}

/// Lets the first lanes that wait for the rest of their warp in front of an
/// aligned barrier arrive without it: the rest will not come. False if there
/// are no such lanes.
static bool arriveApart(Warp &w) {
  const Group *first = nullptr;
  for (const Group &group : w.groups)
    if (group.state == Group::AtAligned && (!first || group.pc < first->pc))
      first = &group;
  if (!first)
    return false;
  makeReady(w, *first);
  w.apart = w.event = true;
  return true;
}

static void mergeReady(Warp &w) {
  for (size_t a = 0; a < w.groups.size(); ++a) {
    if (w.groups[a].state != Group::Ready)
      continue;
    for (size_t b = w.groups.size(); --b > a;) {
      Group &other = w.groups[b];
      if (other.state == Group::Ready && other.pc == w.groups[a].pc &&
          other.depth == w.groups[a].depth) {
        w.groups[a].mask |= other.mask;
        w.groups.erase(w.groups.begin() + b);
      }
    }
  }
}

/// Makes the next group the running one; false when none is ready.
static bool reschedule(Warp &w) {
  w.event = false;
  bool waiting = std::any_of(w.groups.begin(), w.groups.end(), [](Group &g) {
    return g.state == Group::AtSync || g.state == Group::AtAligned ||
           g.state == Group::AtWarpBarrier;
  });
  uint32_t previousPc = w.pc, previous = w.active;
  if (w.active) {
    Group group;
    group.pc = w.pc;
    group.mask = w.active;
    group.depth = w.depth;
    w.groups.push_back(group);
    w.active = 0;
  }
  if (waiting)
    promote(w);
  mergeReady(w);
  size_t best = w.groups.size();
  bool rotate = w.rotate;
  w.rotate = false;
  auto before = [](const Group &a, const Group &b) {
    return a.depth != b.depth ? a.depth > b.depth : a.pc < b.pc;
  };
  for (size_t k = 0; k < w.groups.size(); ++k) {
    const Group &group = w.groups[k];
    if (group.state != Group::Ready)
      continue;
    if (rotate && group.pc == previousPc && (group.mask & previous))
      continue;
    if (best == w.groups.size() || before(group, w.groups[best]))
      best = k;
  }
  if (best == w.groups.size() && rotate)
    return reschedule(w);
  // What waits for other warps may still come to the barrier, nothing else.
  bool others = std::any_of(w.groups.begin(), w.groups.end(), [](Group &g) {
    return g.state == Group::AtBarrier || g.state == Group::AtClusterBarrier;
  });
  if (best == w.groups.size() && !others && arriveApart(w))
    return reschedule(w);
  w.switchPc = ~0u;
  if (best == w.groups.size())
    return false;
  Group chosen = w.groups[best];
  w.groups.erase(w.groups.begin() + best);
  w.pc = chosen.pc;
  w.active = chosen.mask;
  w.depth = chosen.depth;
  for (const Group &group : w.groups)
    if (!rotate && group.state == Group::Ready && group.depth == w.depth)
      w.switchPc = std::min(w.switchPc, group.pc);
  return true;
}

/// The inner loop: until something needs the scheduler.
template <bool Trace, bool Count>
static void execute(Warp &w) {
  const Inst *code = w.program->code.data();
  InstCounters *counters = w.worker->counters.data();
  do {
    const Inst &i = code[w.pc];
    uint32_t mask = w.active;
    if (i.pred >= 0) {
      uint32_t p = *w.reg<uint32_t>(i.pred);
      mask &= i.predNegated ? ~p : p;
    }
    if (Count) {
      InstCounters &c = counters[w.pc];
      ++c.warp;
      c.thread += __builtin_popcount(mask);
    }
    ++w.pc;
    if (Trace && i.counted)
      traceBefore(w, i, mask);
    if (mask)
      i.fn(w, i, mask);
    if (Trace && i.counted)
      traceAfter(w, i, mask);
    --w.fuel;
  } while (w.pc < w.switchPc && !w.event && w.fuel);
}

void mlir::fuse::emu::runWarp(Warp &w) {
  bool trace = w.worker->trace &&
               int64_t(w.block->linear) == w.block->launch->options->traceBlock;
  w.fuel = sliceInstructions;
  w.yield = false;
  uint32_t start = w.fuel;
  while (true) {
    if ((!w.active || w.event || w.pc >= w.switchPc) && !reschedule(w))
      break;
    if (trace)
      execute<true, true>(w);
    else if (w.worker->counting)
      execute<false, true>(w);
    else
      execute<false, false>(w);
    if (w.fuel && !w.yield)
      continue;
    // A group that used its slice lets the others of its warp go first.
    w.rotate = !w.groups.empty();
    w.event |= w.rotate;
    break;
  }
  w.issued += start - w.fuel;
}

//===-- Blocks -------------------------------------------------------------=//

[[noreturn]] static void reportDeadlock(Cluster &cluster) {
  Block &b = cluster.blocks[0];
  std::string message = "deadlock in kernel '" + b.launch->program->name +
                        "', block (" + std::to_string(b.id.x) + "," +
                        std::to_string(b.id.y) + "," + std::to_string(b.id.z) +
                        "): no thread can go on";
  unsigned shown = 0;
  const auto &lines = b.launch->module->lines;
  auto show = [&](Warp &w) {
    for (const Group &group : w.groups) {
      if (++shown > 8)
        break;
      char mask[16];
      snprintf(mask, sizeof mask, "%08x", group.mask);
      unsigned line = group.inst ? group.inst->line : 0;
      std::string text = line && line - 1 < lines.size() ? lines[line - 1] : "";
      size_t start = text.find_first_not_of(" \t");
      message += "\n  warp " + std::to_string(w.index) + ", lanes " + mask +
                 " wait at line " + std::to_string(line) + ": " +
                 (start == std::string::npos ? text : text.substr(start));
      if (w.block->cluster->blocks.size() > 1)
        message += " (block of rank " + std::to_string(w.block->rank) + ")";
    }
  };
  for (Block &member : cluster.blocks)
    for (Warp &w : member.warps)
      show(w);
  throw Trap{message};
}

/// One turn for each warp of the block; false when all have ended.
static bool runRound(Block &b) {
  bool anyLeft = false;
  for (Warp &w : b.warps) {
    if (!w.alive())
      continue;
    uint64_t before = w.issued;
    runWarp(w);
    b.instructions += w.issued - before;
    b.cluster->progress |= w.issued != before;
    anyLeft |= w.alive() != 0;
  }
  if (b.instructions > b.launch->options->maxBlockInstructions)
    throw Trap{"kernel '" + b.launch->program->name + "', block (" +
               std::to_string(b.id.x) + "," + std::to_string(b.id.y) + "," +
               std::to_string(b.id.z) + ") did not end within " +
               std::to_string(b.launch->options->maxBlockInstructions) +
               " warp instructions"};
  return anyLeft;
}

/// The same for each warp of the cluster.
static bool arriveApart(Cluster &cluster) {
  bool any = false;
  for (Block &b : cluster.blocks)
    for (Warp &w : b.warps)
      any |= arriveApart(w);
  return any;
}

void mlir::fuse::emu::runCluster(Cluster &cluster) {
  while (true) {
    bool anyLeft = false;
    cluster.progress = false;
    for (Block &b : cluster.blocks)
      anyLeft |= runRound(b);
    if (!anyLeft)
      return;
    if (!cluster.progress && !arriveApart(cluster))
      reportDeadlock(cluster);
  }
}
