//===- Checker.cpp - Races, uninitialised reads, misuse -------------------===//
//
// Order within a cluster, shared and local memory. Byte-accurate, because
// neighbouring 16-bit values may belong to different warps.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

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
  bytes.resize(size_t(launch.sharedBytes) * launch.cluster.count());
  touched.resize(launch.allocations.size());
}

void Checker::startCluster(Cluster &cluster) {
  suspects.clear();
  size_t warps = cluster.blocks.size() * cluster.blocks[0].warps.size();
  std::fill(bytes.begin(), bytes.end(), SharedByte());
  manyReaders.clear();
  clocks.assign(warps, Clock(warps));
  for (size_t warp = 0; warp < warps; ++warp)
    clocks[warp][warp] = 1;
  barrierClocks.assign(16 * cluster.blocks.size(), Clock(warps));
  for (Clock &clock : clusterClocks)
    clock.assign(warps, 0);
  variables.clear();
  copies.assign(warps * 32, Copies());
  bulk.clear();
  arrivals.clear();
  words.clear();
  if (on(CheckUninit))
    localBits.assign((warps * 32 * launch.program->localBytes + 63) / 64, 0);
  orderedBefore.assign(cluster.blocks.size(), {});
  releases.assign(cluster.blocks.size(), 0);
  numbers.clear();
  for (const Block &block : cluster.blocks)
    numbers.push_back(uint32_t(block.linear % 32767) + 1);
}

//===-- Order --------------------------------------------------------------=//

static void join(std::vector<uint32_t> &to, const std::vector<uint32_t> &from) {
  to.resize(from.size());
  for (size_t k = 0; k < from.size(); ++k)
    to[k] = std::max(to[k], from[k]);
}

void Checker::arrive(Warp &w, const Inst &i, uint32_t mask, Clock &clock) {
  if (on(CheckBarriers) && i.size && mask != w.alive())
    report(w, i, __builtin_ctz(mask), FindingKind::DivergentBarrier,
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
    report(w, i, lane, FindingKind::Async,
           "use of an mbarrier that was not initialised, at shared memory " +
               sharedName(at));
  for (unsigned k = 0; k < 8; ++k) {
    bytes[at + k].written = true;
    bytes[at + k].mbarrier = isInit || (action != 1 && bytes[at + k].mbarrier);
  }
  acquire(w, reinterpret_cast<uint64_t>(cell));
  release(w, reinterpret_cast<uint64_t>(cell));
}

//===-- Shared memory ------------------------------------------------------=//

std::string Checker::warpName(const Warp &w, uint16_t other) const {
  size_t warps = w.block->warps.size(), warp = other - 1u;
  std::string name = "warp " + std::to_string(warp % warps);
  if (warp / warps != w.block->rank)
    name += " of the block of rank " + std::to_string(warp / warps);
  return name;
}

std::string Checker::sharedRace(const Warp &w, uint64_t at, const char *what,
                                uint16_t other, uint32_t line) const {
  std::string message = "race in shared memory at " + sharedName(at) +
                        ": this " + what + " of " + warpName(w, other);
  if (line)
    message += " (line " + std::to_string(line) + ")";
  return message + " without a barrier between them";
}

void Checker::suspect(Warp &w, const Inst &i, unsigned lane, const uint8_t *at,
                      unsigned count, FindingKind kind,
                      const std::string &what) {
  uint32_t old = 0;
  memcpy(&old, at, count);
  suspects.push_back({&w, w.fuel, at, count, old, kind, i.line,
                      w.worker->clusterNumber, locate(w, i, lane, what)});
}

void Checker::settle(const Warp *current) {
  if (suspects.empty() || (suspects.back().warp == current &&
                           suspects.back().fuel == current->fuel))
    return;
  for (const Suspect &suspect : suspects)
    if (memcmp(suspect.at, &suspect.old, suspect.bytes) != 0)
      launch.findings->add(suspect.kind, suspect.line, suspect.cluster,
                           suspect.text);
  suspects.clear();
}

/// One reader is kept as such; from the second that is not ordered after the
/// first on, the latest read of each warp.
void Checker::recordRead(Warp &w, const Inst &i, SharedByte &b) {
  b.strongReads &= i.strong;
  uint32_t now = clocks[w.order][w.order];
  if (b.readers >= 0) {
    manyReaders[b.readers][w.order] = now;
    return;
  }
  if (!before(w, b.reader, b.readClock)) {
    b.readers = int32_t(manyReaders.size());
    Clock &all = manyReaders.emplace_back(clocks.size());
    all[b.reader - 1] = b.readClock;
    all[w.order] = now;
    return;
  }
  b.reader = uint16_t(w.order + 1);
  b.readClock = now;
}

uint16_t Checker::unorderedReader(const Warp &w, const SharedByte &b) const {
  if (b.readers < 0)
    return before(w, b.reader, b.readClock) ? 0 : b.reader;
  const Clock &all = manyReaders[b.readers];
  for (size_t warp = 0; warp < all.size(); ++warp)
    if (all[warp] && !before(w, uint16_t(warp + 1), all[warp]))
      return uint16_t(warp + 1);
  return 0;
}

void Checker::readShared(Warp &w, const Inst &i, unsigned lane, uint64_t at) {
  SharedByte &b = bytes[at];
  if (on(CheckAsync) && b.pending)
    report(w, i, lane, FindingKind::Async,
           "shared memory at " + sharedName(at) +
               " is read before the asynchronous copy that writes it was "
               "waited for");
  if (on(CheckUninit) && !b.written)
    report(w, i, lane, FindingKind::Uninitialised,
           "read of uninitialised shared memory at " + sharedName(at));
  if (on(CheckRaces) && !(i.strong && b.strongWrite) &&
      !before(w, b.writer, b.writeClock))
    report(w, i, lane, FindingKind::SharedRace,
           sharedRace(w, at, "read follows a write", b.writer, b.writeLine));
  recordRead(w, i, b);
}

void Checker::writeShared(Warp &w, const Inst &i, unsigned lane, uint64_t at) {
  SharedByte &b = bytes[at];
  if (on(CheckRaces)) {
    if (!(i.strong && b.strongWrite) && !before(w, b.writer, b.writeClock))
      suspect(
          w, i, lane,
          w.block->cluster->blocks[at / launch.sharedBytes].shared +
              at % launch.sharedBytes,
          1, FindingKind::SharedRace,
          sharedRace(w, at, "write follows a write", b.writer, b.writeLine));
    uint16_t reader = i.strong && b.strongReads ? 0 : unorderedReader(w, b);
    if (reader)
      report(w, i, lane, FindingKind::SharedRace,
             sharedRace(w, at, "write follows a read", reader, 0));
  }
  b.written = true;
  b.strongWrite = i.strong;
  b.strongReads = true;
  b.writer = uint16_t(w.order + 1);
  b.writeClock = clocks[w.order][w.order];
  b.writeLine = i.line;
  b.reader = 0;
  b.readers = -1;
}

void Checker::shared(Warp &w, const Inst &i, uint32_t mask,
                     const uint64_t *addresses, unsigned count,
                     AccessKind kind) {
  settle(&w);
  bool acquires =
      kind == AccessKind::Atomic || (i.strong && kind == AccessKind::Load);
  bool releases =
      kind == AccessKind::Atomic || (i.strong && kind == AccessKind::Store);
  if (acquires)
    forLanes(mask, [&](unsigned l) { acquire(w, byteOf(w, addresses[l])); });
  forLanes(mask, [&](unsigned l) {
    uint64_t at = byteOf(w, addresses[l]);
    if (i.cls == InstClass::AsyncCopy && kind == AccessKind::Store)
      bulk.push_back({at, count});
    for (unsigned k = 0; k < count; ++k) {
      if (kind != AccessKind::Store)
        readShared(w, i, l, at + k);
      if (kind != AccessKind::Load)
        writeShared(w, i, l, at + k);
    }
  });
  if (releases)
    forLanes(mask, [&](unsigned l) { release(w, byteOf(w, addresses[l])); });
}

//===-- Local memory -------------------------------------------------------=//

void Checker::localWritten(const Warp &w, unsigned lane, uint64_t at,
                           uint64_t count) {
  if (!on(CheckUninit))
    return;
  uint64_t frame = uint64_t(w.order) * 32 + lane;
  for (uint64_t k = 0; k < count; ++k) {
    uint64_t bit = frame * launch.program->localBytes + at + k;
    localBits[bit / 64] |= uint64_t(1) << (bit % 64);
  }
}

void Checker::local(Warp &w, const Inst &i, uint32_t mask,
                    const uint64_t *addresses, unsigned count,
                    AccessKind kind) {
  if (!on(CheckUninit))
    return;
  forLanes(mask, [&](unsigned l) {
    uint64_t frame = uint64_t(w.order) * 32 + l;
    uint64_t first = frame * launch.program->localBytes + addresses[l];
    for (uint64_t bit = first; bit < first + count; ++bit)
      if (kind != AccessKind::Store && !((localBits[bit / 64] >> bit % 64) & 1))
        return report(w, i, l, FindingKind::Uninitialised,
                      "read of uninitialised local memory at address " +
                          std::to_string(addresses[l] + (bit - first)));
    if (kind != AccessKind::Load)
      localWritten(w, l, addresses[l], count);
  });
}
