//===- Checker.cpp - Races, uninitialised reads, misuse -------------------===//
//
// Byte-accurate, because neighbouring 16-bit values may belong to different
// warps or blocks. Findings are traps: the launch ends with the first one.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

static constexpr uint32_t blockModulus = 65535;

bool mlir::fuse::emu::parseChecks(std::string_view text, unsigned &checks) {
  checks = CheckNone;
  while (!text.empty()) {
    std::string_view name = text.substr(0, text.find(','));
    if (name == "all")
      checks |= CheckAll;
    else if (name == "races")
      checks |= CheckRaces;
    else if (name == "uninit")
      checks |= CheckUninit;
    else if (name == "barriers")
      checks |= CheckBarriers;
    else if (name == "async")
      checks |= CheckAsync;
    else if (name != "none")
      return false;
    text.remove_prefix(std::min(name.size() + 1, text.size()));
  }
  return true;
}

Checker::Checker(Launch &launch) : launch(launch) {
  if (!launch.options->checks)
    return;
  bytes.resize(size_t(launch.sharedBytes) * launch.cluster.count());
  touched.resize(launch.allocations.size());
}

void Checker::startCluster(Cluster &cluster) {
  size_t warps = cluster.blocks.size() * cluster.blocks[0].warps.size();
  std::fill(bytes.begin(), bytes.end(), SharedByte());
  clocks.assign(warps, Clock(warps));
  for (size_t warp = 0; warp < warps; ++warp)
    clocks[warp][warp] = 1;
  barrierClocks.assign(16 * cluster.blocks.size(), Clock(warps));
  for (Clock &clock : clusterClocks)
    clock.assign(warps, 0);
  variables.clear();
  copies.assign(warps * 32, Copies());
  orderedBefore.assign(cluster.blocks.size(), {});
  numbers.clear();
  for (const Block &block : cluster.blocks)
    numbers.push_back(uint32_t(block.linear % blockModulus) + 1);
}

//===-- Order --------------------------------------------------------------=//

static void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  to.resize(from.size());
  for (size_t k = 0; k < from.size(); ++k)
    to[k] = std::max(to[k], from[k]);
}

void Checker::arrive(Warp &w, const Inst &i, uint32_t mask, Clock &clock) {
  if (on(CheckBarriers) && i.size && mask != w.alive())
    trap(w, i, __builtin_ctz(mask),
         "divergent barrier: only part of the warp's threads reach it "
         "together");
  join(clock, clocks[w.order]);
  ++clocks[w.order][w.order];
}
void Checker::arriveBarrier(Warp &w, const Inst &i, uint32_t mask,
                            unsigned id) {
  arrive(w, i, mask, barrierClocks[w.block->rank * 16 + id]);
}
void Checker::acquireBarrier(Warp &w, unsigned id) {
  join(clocks[w.order], barrierClocks[w.block->rank * 16 + id]);
}
void Checker::resetBarrier(const Block &block, unsigned id) {
  Clock &clock = barrierClocks[block.rank * 16 + id];
  std::fill(clock.begin(), clock.end(), 0);
}
void Checker::arriveCluster(Warp &w, const Inst &i, uint32_t mask,
                            uint32_t phase) {
  arrive(w, i, mask, clusterClocks[phase]);
}
void Checker::acquireCluster(Warp &w, uint32_t phase) {
  join(clocks[w.order], clusterClocks[phase]);
}
void Checker::resetCluster(uint32_t phase) {
  std::fill(clusterClocks[phase].begin(), clusterClocks[phase].end(), 0);
}

void Checker::release(Warp &w, uint64_t variable) {
  join(variables[variable], clocks[w.order]);
  ++clocks[w.order][w.order];
}
void Checker::acquire(Warp &w, uint64_t variable) {
  auto it = variables.find(variable);
  if (it != variables.end())
    join(clocks[w.order], it->second);
}

void Checker::mbarrier(Warp &w, const Inst &i, unsigned lane, const void *cell,
                       unsigned action) {
  const Block *owner = nullptr;
  for (const Block &block : w.block->cluster->blocks)
    if (cell >= block.shared && cell < block.shared + launch.sharedBytes)
      owner = &block;
  if (!owner)
    return;
  uint64_t at = uint64_t(static_cast<const uint8_t *>(cell) - owner->shared) +
                owner->rank * launch.sharedBytes;
  bool isInit = action == 0;
  if (on(CheckAsync) && !isInit && !bytes[at].mbarrier)
    trap(w, i, lane, "use of an mbarrier that was not initialised");
  for (unsigned k = 0; k < 8; ++k) {
    bytes[at + k].written = true;
    bytes[at + k].mbarrier = isInit || (action != 1 && bytes[at + k].mbarrier);
  }
  acquire(w, reinterpret_cast<uint64_t>(cell));
  release(w, reinterpret_cast<uint64_t>(cell));
}

//===-- Shared memory ------------------------------------------------------=//

void Checker::sharedRace(Warp &w, const Inst &i, unsigned lane, uint64_t at,
                         const char *what, uint16_t other, uint32_t line) {
  size_t warps = w.block->warps.size(), warp = other - 1u;
  std::string message = "race in shared memory at address " +
                        std::to_string(at % launch.sharedBytes) + ": this " +
                        what + " of warp " + std::to_string(warp % warps);
  if (warp / warps != w.block->rank)
    message += " of the block of rank " + std::to_string(warp / warps);
  if (line)
    message += " (line " + std::to_string(line) + ")";
  trap(w, i, lane, message + " without a barrier between them");
}

void Checker::readShared(Warp &w, const Inst &i, unsigned lane, uint64_t at) {
  SharedByte &b = bytes[at];
  if (on(CheckAsync) && b.pending)
    trap(w, i, lane,
         "shared memory at address " + std::to_string(at % launch.sharedBytes) +
             " is read before the cp.async that writes it was waited for");
  if (on(CheckUninit) && !b.written)
    trap(w, i, lane,
         "read of uninitialised shared memory at address " +
             std::to_string(at % launch.sharedBytes));
  if (on(CheckRaces) && !(i.strong && b.strong) &&
      !before(w, b.writer, b.writeClock))
    sharedRace(w, i, lane, at, "read follows a write", b.writer, b.writeLine);
  // The latest readers of two different warps are remembered.
  unsigned slot = b.reader[0] == w.order + 1 || b.reader[0] == 0 ? 0 : 1;
  b.reader[slot] = uint16_t(w.order + 1);
  b.readClock[slot] = clocks[w.order][w.order];
}

void Checker::writeShared(Warp &w, const Inst &i, unsigned lane, uint64_t at) {
  SharedByte &b = bytes[at];
  if (on(CheckRaces) && !(i.strong && b.strong)) {
    if (!before(w, b.writer, b.writeClock))
      sharedRace(w, i, lane, at, "write follows a write", b.writer,
                 b.writeLine);
    for (unsigned k = 0; k < 2; ++k)
      if (!before(w, b.reader[k], b.readClock[k]))
        sharedRace(w, i, lane, at, "write follows a read", b.reader[k], 0);
  }
  b.written = true;
  b.strong = i.strong;
  b.writer = uint16_t(w.order + 1);
  b.writeClock = clocks[w.order][w.order];
  b.writeLine = i.line;
  b.reader[0] = b.reader[1] = 0;
}

void Checker::shared(Warp &w, const Inst &i, uint32_t mask,
                     const uint64_t *addresses, unsigned count,
                     AccessKind kind) {
  if (kind == AccessKind::Atomic)
    forLanes(mask, [&](unsigned l) { acquire(w, byteOf(w, addresses[l])); });
  forLanes(mask, [&](unsigned l) {
    uint64_t at = byteOf(w, addresses[l]);
    for (unsigned k = 0; k < count; ++k) {
      if (kind != AccessKind::Store)
        readShared(w, i, l, at + k);
      if (kind != AccessKind::Load)
        writeShared(w, i, l, at + k);
    }
  });
  if (kind == AccessKind::Atomic)
    forLanes(mask, [&](unsigned l) { release(w, byteOf(w, addresses[l])); });
}

//===-- cp.async -----------------------------------------------------------=//

void Checker::copyStarted(Warp &w, uint32_t mask, const uint64_t *to,
                          unsigned count) {
  forLanes(mask, [&](unsigned l) {
    uint64_t at = byteOf(w, to[l]);
    copies[w.order * 32 + l].groups.back().push_back({at, count});
    for (unsigned k = 0; k < count; ++k)
      bytes[at + k].pending = true;
  });
}

void Checker::commitGroup(Warp &w, uint32_t mask) {
  forLanes(mask,
           [&](unsigned l) { copies[w.order * 32 + l].groups.emplace_back(); });
}

void Checker::waitGroups(Warp &w, uint32_t mask, uint32_t mayStayOpen,
                         bool all) {
  forLanes(mask, [&](unsigned l) {
    auto &groups = copies[w.order * 32 + l].groups;
    // The last one is still being filled: only wait_all waits for it.
    size_t committed = groups.size() - 1;
    size_t done = all                       ? groups.size()
                  : committed > mayStayOpen ? committed - mayStayOpen
                                            : 0;
    for (size_t g = 0; g < done; ++g)
      for (const Copy &copy : groups[g])
        for (unsigned k = 0; k < copy.bytes; ++k) {
          SharedByte &b = bytes[copy.at + k];
          b.pending = false;
          b.writer = uint16_t(w.order + 1);
          b.writeClock = clocks[w.order][w.order];
        }
    groups.erase(groups.begin(), groups.begin() + done);
    if (groups.empty())
      groups.emplace_back();
  });
}

//===-- Global memory ------------------------------------------------------=//

size_t Checker::allocationOf(uint64_t address) const {
  const auto &table = launch.allocations;
  auto it = std::upper_bound(
      table.begin(), table.end(), address,
      [](uint64_t a, const Allocation &entry) { return a < entry.base; });
  return size_t(it - table.begin()) - 1;
}

void Checker::globalByte(Warp &w, const Inst &i, unsigned lane, size_t index,
                         uint64_t at, AccessKind kind) {
  const Allocation &allocation = launch.allocations[index];
  uint64_t offset = at - allocation.base;
  auto describe = [&] { return launch.module->memory->describe(at); };
  if (allocation.written) {
    uint64_t &word = (*allocation.written)[offset / 64];
    uint64_t bit = uint64_t(1) << (offset % 64);
    if (kind != AccessKind::Store && on(CheckUninit) && !(word & bit))
      trap(w, i, lane, "read of uninitialised global memory: " + describe());
    if (kind != AccessKind::Load)
      word |= bit;
  }
  if (!on(CheckRaces) || i.strong)
    return;
  if (!touched[index])
    touched[index] = std::make_unique<uint32_t[]>(allocation.size);
  uint32_t &entry = touched[index][offset];
  uint32_t writer = entry >> 16, reader = entry & 0xffff;
  uint32_t thisBlock = numbers[w.block->rank];
  const BlockSet &earlier = orderedBefore[w.block->rank];
  // Blocks of a cluster have its barrier; that order is not followed here.
  auto ordered = [&](uint32_t other) {
    return !other ||
           std::find(numbers.begin(), numbers.end(), other) != numbers.end() ||
           (other / 64 < earlier.size() &&
            (earlier[other / 64] >> (other % 64)) & 1);
  };
  auto race = [&](const char *what, uint32_t other) {
    trap(w, i, lane,
         "race in global memory: this " + std::string(what) + " of block " +
             std::to_string(other - 1) + " (linear), unordered: " + describe());
  };
  if (!ordered(writer))
    race(kind == AccessKind::Load ? "read follows a write"
                                  : "write follows a write",
         writer);
  if (kind == AccessKind::Load) {
    entry = writer << 16 | thisBlock;
    return;
  }
  if (!ordered(reader))
    race("write follows a read", reader);
  entry = thisBlock << 16 | reader;
}

void Checker::global(Warp &w, const Inst &i, uint32_t mask,
                     const uint64_t *addresses, unsigned count,
                     AccessKind kind) {
  uint32_t thisBlock = numbers[w.block->rank];
  BlockSet &earlier = orderedBefore[w.block->rank];
  if (kind == AccessKind::Atomic)
    forLanes(mask, [&](unsigned l) {
      acquire(w, addresses[l]);
      BlockSet &users = atomicUsers[addresses[l]];
      if (users.size() <= thisBlock / 64)
        users.resize(thisBlock / 64 + 1);
      if (earlier.size() < users.size())
        earlier.resize(users.size());
      for (size_t k = 0; k < users.size(); ++k)
        earlier[k] |= users[k];
      users[thisBlock / 64] |= uint64_t(1) << (thisBlock % 64);
      release(w, addresses[l]);
    });
  forLanes(mask, [&](unsigned l) {
    size_t index = allocationOf(addresses[l]);
    for (unsigned k = 0; k < count; ++k)
      globalByte(w, i, l, index, addresses[l] + k, kind);
  });
}
