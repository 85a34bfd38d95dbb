//===- Traffic.cpp - Counting what an access moves ------------------------===//
//
// Consecutive and equal addresses, the common cases, cost a few operations;
// everything else is per lane.
//
//===----------------------------------------------------------------------===//
#include "Traffic.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir::fuse::emu;

LaneShape mlir::fuse::emu::shapeOf(const uint64_t *a, uint32_t mask,
                                   unsigned bytes) {
  uint64_t first = a[0];
  if (mask == fullMask) {
    uint64_t irregular = 0;
    for (unsigned l = 0; l < 32; ++l)
      irregular |= a[l] ^ (first + uint64_t(l) * bytes);
    if (!irregular) // With aligned lanes, `first` has all the low bits.
      return {first, a[31], first, true};
  }
  uint64_t low = first, high = first, bits = 0;
  for (unsigned l = 0; l < 32; ++l) {
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    bits |= a[l];
  }
  return {low, high, bits, false};
}

//===-- Sets of sectors ----------------------------------------------------=//

static std::atomic<uint64_t> *sectorSet(Launch &launch, uint32_t index,
                                        bool store) {
  auto &cell = launch.touched[2 * index + store];
  std::atomic<uint64_t> *bits = cell.load(std::memory_order_acquire);
  if (bits)
    return bits;
  const Allocation &allocation = launch.allocations[index];
  uint64_t sectors = ((allocation.end() - 1) >> 5) - (allocation.base >> 5) + 1;
  auto *fresh =
      static_cast<std::atomic<uint64_t> *>(std::calloc((sectors + 63) / 64, 8));
  if (!fresh)
    throw Trap{"out of host memory for the sector counters"};
  if (cell.compare_exchange_strong(bits, fresh))
    return fresh;
  std::free(fresh);
  return bits;
}

/// Sectors `first` to `last` of the allocation were loaded or stored.
static void markSectors(Launch &launch, uint32_t index, bool store,
                        uint64_t first, uint64_t last) {
  std::atomic<uint64_t> *bits = sectorSet(launch, index, store);
  while (first <= last) {
    uint64_t word = first / 64, low = first % 64;
    uint64_t count = std::min(64 - low, last - first + 1);
    uint64_t want = (~uint64_t(0) >> (64 - count)) << low;
    uint64_t have = bits[word].load(std::memory_order_relaxed);
    if ((have & want) != want) {
      if (launch.isParallel)
        bits[word].fetch_or(want, std::memory_order_relaxed);
      else
        bits[word].store(have | want, std::memory_order_relaxed);
    }
    first += count;
  }
}

static void mark(Launch &launch, const Span &span, AccessKind kind,
                 uint64_t first, uint64_t last) {
  uint64_t base = span.base >> 5;
  if (kind != AccessKind::Store)
    markSectors(launch, span.index, false, first - base, last - base);
  if (kind != AccessKind::Load)
    markSectors(launch, span.index, true, first - base, last - base);
}

//===-- Records for the caches ---------------------------------------------=//

namespace {
/// Appends the lines of one request; does nothing when no one records.
class RequestRecord {
public:
  RequestRecord(Warp &w, const Inst &i, AccessKind kind)
      : lines(w.worker->recording ? &w.worker->requests.warps[w.index]
                                  : nullptr),
        start(lines ? lines->size() : 0),
        kind(kind == AccessKind::Store    ? LineKind::Store
             : kind == AccessKind::Atomic ? LineKind::Atomic
             : i.pastL1 || i.strong       ? LineKind::LoadL2
                                          : LineKind::Load) {}
  ~RequestRecord() {
    if (lines && lines->size() > start)
      lines->back().setLast();
  }
  bool isOn() const { return lines; }
  /// Sectors by their number in the device's memory.
  void addRange(uint64_t first, uint64_t last) {
    while (first <= last) {
      uint64_t stop = std::min(last, first | 3);
      lines->push_back(LineAccess::pack(
          first >> 2, kind, (2u << (stop & 3)) - (1u << (first & 3))));
      first = stop + 1;
    }
  }
  void addSector(uint64_t sector) {
    for (size_t k = lines->size(); k-- > start;)
      if ((*lines)[k].line() == sector >> 2) {
        (*lines)[k].bits |= 1u << (sector & 3);
        return;
      }
    addRange(sector, sector);
  }

private:
  std::vector<LineAccess> *lines;
  size_t start;
  LineKind kind;
};

/// Distinct sectors of a request, and within them the distinct pieces of the
/// size of an access.
class SectorList {
public:
  void add(uint64_t address, unsigned bytes) {
    uint64_t sector = address >> 5;
    uint32_t piece = 1u << ((address & 31) / bytes);
    if (sector <= highest)
      for (unsigned k = count; k-- > 0;)
        if (sectors[k] == sector) {
          pieces[k] |= piece;
          return;
        }
    highest = std::max(highest, sector);
    sectors[count] = sector;
    pieces[count++] = piece;
  }
  unsigned size() const { return count; }
  uint64_t operator[](unsigned index) const { return sectors[index]; }
  unsigned distinctPieces() const {
    unsigned total = 0;
    for (unsigned k = 0; k < count; ++k)
      total += unsigned(__builtin_popcount(pieces[k]));
    return total;
  }

private:
  uint64_t sectors[32];
  uint32_t pieces[32];
  uint64_t highest = 0;
  unsigned count = 0;
};
} // namespace

//===-- Global memory ------------------------------------------------------=//

static Traffic &perAllocation(Worker &worker, uint32_t index, AccessKind kind) {
  AllocationCounters &c = worker.perAllocation[index];
  return kind == AccessKind::Load    ? c.load
         : kind == AccessKind::Store ? c.store
                                     : c.atomic;
}

static void addTraffic(Traffic &traffic, uint64_t sectors, uint64_t bytes) {
  ++traffic.requests;
  traffic.sectors += sectors;
  traffic.bytes += bytes;
}

static InstCounters &countersOf(Warp &w, const Inst &i) {
  return w.worker->counters[&i - w.program->code.data()];
}

static void addRequest(Warp &w, const Inst &i, AccessKind kind,
                       uint64_t sectors, uint64_t ideal, uint64_t bytes) {
  InstCounters &counters = countersOf(w, i);
  counters.kind = kind;
  ++counters.requests;
  counters.sectors += sectors;
  counters.idealSectors += ideal;
  counters.bytes += bytes;
}

/// Atomics of one request at one address are done one after the other.
static uint64_t samePasses(uint32_t mask, const uint64_t *a) {
  unsigned most = 0;
  for (uint32_t left = mask; left;) {
    uint64_t address = a[__builtin_ctz(left)];
    uint32_t same = 0;
    forLanes(left, [&](unsigned l) { same |= uint32_t(a[l] == address) << l; });
    most = std::max(most, unsigned(__builtin_popcount(same)));
    left &= ~same;
  }
  return most;
}

/// Distinct sectors and pieces of the lanes of `part`, marked and recorded.
static void countScattered(Warp &w, const GlobalPart &part, const uint64_t *a,
                           unsigned bytes, AccessKind kind,
                           RequestRecord &record, uint64_t &sectors,
                           uint64_t &pieces) {
  SectorList list;
  forLanes(part.mask, [&](unsigned l) { list.add(a[l], bytes); });
  for (unsigned k = 0; k < list.size(); ++k) {
    mark(*w.block->launch, part.span, kind, list[k], list[k]);
    if (record.isOn())
      record.addSector(list[k] + part.span.toDevice);
  }
  addTraffic(perAllocation(*w.worker, part.span.index, kind), list.size(),
             uint64_t(__builtin_popcount(part.mask)) * bytes);
  sectors += list.size();
  pieces += list.distinctPieces();
}

void mlir::fuse::emu::countGlobal(Warp &w, const Inst &i, const Span &span,
                                  uint32_t mask, const uint64_t *a,
                                  const LaneShape &shape, unsigned bytes,
                                  AccessKind kind) {
  uint64_t total = uint64_t(__builtin_popcount(mask)) * bytes;
  if (!shape.contiguous && shape.low != shape.high) {
    GlobalPart part = {span, mask};
    return countGlobalParts(w, i, &part, 1, a, bytes, kind);
  }
  uint64_t first = shape.low >> 5, last = (shape.high + bytes - 1) >> 5;
  mark(*w.block->launch, span, kind, first, last);
  RequestRecord record(w, i, kind);
  if (record.isOn())
    record.addRange(first + span.toDevice, last + span.toDevice);
  uint64_t extent = shape.high + bytes - shape.low;
  addTraffic(perAllocation(*w.worker, span.index, kind), last - first + 1,
             total);
  addRequest(w, i, kind, last - first + 1, (extent + 31) / 32, total);
  if (kind == AccessKind::Atomic)
    countersOf(w, i).passes += samePasses(mask, a);
}

void mlir::fuse::emu::countGlobalParts(Warp &w, const Inst &i,
                                       const GlobalPart *parts, size_t numParts,
                                       const uint64_t *a, unsigned bytes,
                                       AccessKind kind) {
  RequestRecord record(w, i, kind);
  uint64_t sectors = 0, pieces = 0, total = 0;
  uint32_t mask = 0;
  for (size_t k = 0; k < numParts; ++k) {
    mask |= parts[k].mask;
    countScattered(w, parts[k], a, bytes, kind, record, sectors, pieces);
    total += uint64_t(__builtin_popcount(parts[k].mask)) * bytes;
  }
  addRequest(w, i, kind, sectors, (pieces * bytes + 31) / 32, total);
  if (kind == AccessKind::Atomic)
    countersOf(w, i).passes += samePasses(mask, a);
}

//===-- Shared memory ------------------------------------------------------=//

/// Wavefronts of one phase: the most distinct words that share a bank.
static unsigned phaseWavefronts(const uint64_t *a, uint32_t mask,
                                unsigned words) {
  uint32_t seen[64];
  unsigned count = 0, most = 0;
  uint8_t perBank[32] = {};
  forLanes(mask, [&](unsigned l) {
    for (unsigned k = 0; k < words; ++k) {
      uint32_t word = uint32_t(a[l] >> 2) + k;
      if (std::find(seen, seen + count, word) != seen + count)
        continue;
      if (count < 64)
        seen[count++] = word;
      most = std::max<unsigned>(most, ++perBank[word & 31]);
    }
  });
  return most;
}

void mlir::fuse::emu::countShared(Warp &w, const Inst &i, uint32_t mask,
                                  const uint64_t *a, const LaneShape &shape,
                                  unsigned bytes, AccessKind kind) {
  unsigned perPhase = bytes <= 4 ? 32 : bytes == 8 ? 16 : bytes == 16 ? 8 : 4;
  unsigned phases = 32 / perPhase, ideal = 0, wavefronts = 0;
  if (shape.low == shape.high) {
    ideal = wavefronts = 1;
  } else if (shape.contiguous) {
    ideal = wavefronts = phases;
  } else {
    for (unsigned p = 0; p < phases; ++p) {
      uint32_t phase = perPhase == 32
                           ? mask
                           : mask & (((1u << perPhase) - 1) << (p * perPhase));
      if (!phase)
        continue;
      ++ideal;
      wavefronts += phaseWavefronts(a, phase, std::max(1u, bytes / 4));
    }
  }
  SharedTraffic &traffic = kind == AccessKind::Load    ? w.worker->sharedLoad
                           : kind == AccessKind::Store ? w.worker->sharedStore
                                                       : w.worker->sharedAtomic;
  ++traffic.requests;
  traffic.wavefronts += wavefronts;
  traffic.bankConflicts += wavefronts - ideal;
  InstCounters &counters = countersOf(w, i);
  counters.wavefronts += wavefronts;
  counters.bankConflicts += wavefronts - ideal;
}

//===-- Local memory -------------------------------------------------------=//

/// The hardware interleaves local memory by 4-byte words over the lanes, so 8
/// lanes share a sector, and 32 a line, when they access the same offset.
void mlir::fuse::emu::countLocal(Warp &w, const Inst &i, uint32_t mask,
                                 const uint64_t *a, unsigned bytes,
                                 AccessKind kind) {
  RequestRecord record(w, i, kind);
  uint64_t sectors = 0;
  unsigned words = std::max(1u, bytes / 4);
  for (unsigned octet = 0; octet < 4; ++octet) {
    uint64_t seen[8];
    unsigned count = 0;
    forLanes(mask & (0xffu << (8 * octet)), [&](unsigned l) {
      uint64_t word = a[l] >> 2;
      if (std::find(seen, seen + count, word) != seen + count)
        return;
      seen[count++] = word;
      if (record.isOn())
        for (unsigned k = 0; k < words; ++k)
          record.addSector((w.localLine + word + k) * 4 + octet);
    });
    sectors += uint64_t(count) * words;
  }
  addTraffic(kind == AccessKind::Load ? w.worker->localLoad
                                      : w.worker->localStore,
             sectors, uint64_t(__builtin_popcount(mask)) * bytes);
}
