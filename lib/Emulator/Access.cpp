//===- Access.cpp - From lane addresses to host memory --------------------===//
//
// The common cases (all lanes in one allocation, consecutive or equal
// addresses) are a few SIMD loops; everything else is per lane.
//
//===----------------------------------------------------------------------===//
#include "Access.h"
#include "Checker.h"

#include <algorithm>
#include <cstdlib>

using namespace mlir::fuse::emu;

static std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  return text;
}

static const char *verb(AccessKind kind) {
  return kind == AccessKind::Load    ? "load"
         : kind == AccessKind::Store ? "store"
                                     : "atomic access";
}

static InstCounters &countersOf(Warp &w, const Inst &i) {
  return w.worker->counters[&i - w.program->code.data()];
}

//===-- Global memory ------------------------------------------------------=//

static bool findSpan(const Launch &launch, uint64_t address, uint64_t bytes,
                     Span &span) {
  const auto &table = launch.allocations;
  auto it = std::upper_bound(
      table.begin(), table.end(), address,
      [](uint64_t a, const Allocation &entry) { return a < entry.base; });
  if (it == table.begin())
    return false;
  --it;
  if (address + bytes > it->end() || address + bytes < address)
    return false;
  span = {it->base, it->end(), uint32_t(it - table.begin()), it->isReadOnly};
  return true;
}

[[noreturn]] static void badGlobal(Warp &w, const Inst &i, unsigned lane,
                                   uint64_t address, unsigned bytes,
                                   AccessKind kind, const char *what) {
  trap(w, i, lane,
       std::string(what) + " " + verb(kind) + " of " + std::to_string(bytes) +
           " bytes at " + hex(address) + ": " +
           w.block->launch->module->memory->describe(address));
}

static void markSectors(Launch &launch, uint32_t index, bool store,
                        uint64_t first, uint64_t last) {
  auto &cell = launch.touched[2 * index + store];
  std::atomic<uint64_t> *bits = cell.load(std::memory_order_acquire);
  const Allocation &allocation = launch.allocations[index];
  if (!bits) {
    uint64_t sectors =
        ((allocation.end() - 1) >> 5) - (allocation.base >> 5) + 1;
    auto *fresh = static_cast<std::atomic<uint64_t> *>(
        std::calloc((sectors + 63) / 64, 8));
    if (!fresh)
      throw Trap{"out of host memory for the sector counters"};
    if (cell.compare_exchange_strong(bits, fresh))
      bits = fresh;
    else
      std::free(fresh);
  }
  uint64_t base = allocation.base >> 5;
  for (uint64_t s = first - base, end = last - base; s <= end;) {
    uint64_t word = s / 64, low = s % 64,
             count = std::min(64 - low, end - s + 1);
    uint64_t want = (count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1)
                    << low;
    if ((bits[word].load(std::memory_order_relaxed) & want) != want)
      bits[word].fetch_or(want, std::memory_order_relaxed);
    s += count;
  }
}

static void addTraffic(Traffic &traffic, uint64_t sectors, uint64_t bytes) {
  ++traffic.requests;
  traffic.sectors += sectors;
  traffic.bytes += bytes;
}

static Traffic &perAllocation(Worker &worker, uint32_t index, AccessKind kind) {
  AllocationCounters &c = worker.perAllocation[index];
  return kind == AccessKind::Load    ? c.load
         : kind == AccessKind::Store ? c.store
                                     : c.atomic;
}

static void mark(Launch &launch, uint32_t index, AccessKind kind,
                 uint64_t first, uint64_t last) {
  if (kind != AccessKind::Store)
    markSectors(launch, index, false, first, last);
  if (kind != AccessKind::Load)
    markSectors(launch, index, true, first, last);
}

/// Counts distinct sectors of the lanes in `mask`, all in one allocation.
static uint64_t countScattered(Launch &launch, uint32_t index, uint32_t mask,
                               const uint64_t *addresses, AccessKind kind) {
  uint64_t seen[32];
  unsigned count = 0;
  uint64_t highest = 0;
  forLanes(mask, [&](unsigned l) {
    uint64_t sector = addresses[l] >> 5;
    if (count) {
      if (sector == seen[count - 1])
        return;
      if (sector <= highest &&
          std::find(seen, seen + count, sector) != seen + count)
        return;
    }
    highest = std::max(highest, sector);
    seen[count++] = sector;
    mark(launch, index, kind, sector, sector);
  });
  return count;
}

struct LaneShape {
  uint64_t low, high, bits;
  bool contiguous;
};

static LaneShape shapeOf(const uint64_t *a, uint32_t mask, unsigned bytes) {
  LaneShape shape{a[0], a[0], 0, false};
  uint64_t low = a[0], high = a[0], bits = 0, irregular = 0;
  uint64_t first = a[0];
  for (unsigned l = 0; l < 32; ++l) {
    low = a[l] < low ? a[l] : low;
    high = a[l] > high ? a[l] : high;
    bits |= a[l];
    irregular |= a[l] ^ (first + uint64_t(l) * bytes);
  }
  shape.low = low;
  shape.high = high;
  shape.bits = bits;
  shape.contiguous = mask == fullMask && irregular == 0;
  return shape;
}

/// Lanes in several allocations, or a bad access: one lane at a time.
static void globalSlow(Warp &w, const Inst &i, uint32_t mask, const uint64_t *a,
                       unsigned bytes, AccessKind kind, bool counted) {
  Launch &launch = *w.block->launch;
  uint64_t total = 0;
  for (uint32_t left = mask; left;) {
    unsigned lane = __builtin_ctz(left);
    Span span;
    if (!findSpan(launch, a[lane], bytes, span))
      badGlobal(w, i, lane, a[lane], bytes, kind, "out-of-bounds");
    if (span.readOnly && kind != AccessKind::Load)
      badGlobal(w, i, lane, a[lane], bytes, kind, "read-only");
    uint32_t same = 0;
    forLanes(left, [&](unsigned l) {
      if (a[l] >= span.base && a[l] + bytes <= span.end)
        same |= 1u << l;
    });
    left &= ~same;
    if (!counted)
      continue;
    uint64_t sectors = countScattered(launch, span.index, same, a, kind);
    addTraffic(perAllocation(*w.worker, span.index, kind), sectors,
               uint64_t(__builtin_popcount(same)) * bytes);
    total += sectors;
  }
  if (!counted)
    return;
  Worker &worker = *w.worker;
  Traffic &sum = kind == AccessKind::Load    ? worker.globalLoad
                 : kind == AccessKind::Store ? worker.globalStore
                                             : worker.globalAtomic;
  addTraffic(sum, total, uint64_t(__builtin_popcount(mask)) * bytes);
  InstCounters &counters = countersOf(w, i);
  ++counters.requests;
  counters.sectors += total;
}

static void resolveGlobal(Warp &w, const Inst &i, uint32_t mask,
                          const uint64_t *a, const LaneShape &shape,
                          unsigned bytes, AccessKind kind, bool counted) {
  Worker &worker = *w.worker;
  Span &span = worker.spans[&i - w.program->code.data()];
  if (shape.low < span.base || shape.high + bytes > span.end) {
    Span found;
    if (!findSpan(*w.block->launch, shape.low, bytes, found) ||
        shape.high + bytes > found.end || shape.high + bytes < shape.high)
      return globalSlow(w, i, mask, a, bytes, kind, counted);
    span = found;
  }
  if (span.readOnly && kind != AccessKind::Load)
    badGlobal(w, i, __builtin_ctz(mask), a[__builtin_ctz(mask)], bytes, kind,
              "read-only");
  if (!counted)
    return;
  uint64_t sectors;
  Launch &launch = *w.block->launch;
  if (shape.contiguous || shape.low == shape.high) {
    uint64_t first = shape.low >> 5, last = (shape.high + bytes - 1) >> 5;
    sectors = last - first + 1;
    mark(launch, span.index, kind, first, last);
  } else {
    sectors = countScattered(launch, span.index, mask, a, kind);
  }
  uint64_t total = uint64_t(__builtin_popcount(mask)) * bytes;
  Traffic &sum = kind == AccessKind::Load    ? worker.globalLoad
                 : kind == AccessKind::Store ? worker.globalStore
                                             : worker.globalAtomic;
  addTraffic(sum, sectors, total);
  addTraffic(perAllocation(worker, span.index, kind), sectors, total);
  InstCounters &counters = countersOf(w, i);
  ++counters.requests;
  counters.sectors += sectors;
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

static void countShared(Warp &w, const Inst &i, uint32_t mask,
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
  countersOf(w, i).wavefronts += wavefronts;
}

//===-- Local memory -------------------------------------------------------=//

/// The hardware interleaves local memory by 4-byte words over the lanes, so 8
/// lanes share a sector when they access the same offset.
static void countLocal(Warp &w, uint32_t mask, const uint64_t *a,
                       unsigned bytes, AccessKind kind) {
  uint64_t sectors = 0;
  unsigned words = std::max(1u, bytes / 4);
  for (unsigned octet = 0; octet < 4; ++octet) {
    uint64_t seen[8];
    unsigned count = 0;
    forLanes(mask & (0xffu << (8 * octet)), [&](unsigned l) {
      uint64_t word = a[l] >> 2;
      if (std::find(seen, seen + count, word) == seen + count)
        seen[count++] = word;
    });
    sectors += uint64_t(count) * words;
  }
  addTraffic(kind == AccessKind::Load ? w.worker->localLoad
                                      : w.worker->localStore,
             sectors, uint64_t(__builtin_popcount(mask)) * bytes);
}

//===-- All spaces ---------------------------------------------------------=//

/// The block of the cluster whose shared memory an address is in.
static Block *sharedOwner(Warp &w, const Inst &i, unsigned lane,
                          uint64_t address) {
  uint64_t rank = address >> sharedRankShift;
  if (rank == 0)
    return w.block;
  auto &blocks = w.block->cluster->blocks;
  if (rank > blocks.size())
    return w.block; // Out of bounds of any: the caller's check says so.
  Block *owner = &blocks[rank - 1];
  if (!owner->liveThreads)
    trap(w, i, lane,
         "access to shared memory of the block of rank " +
             std::to_string(rank - 1) + " of the cluster, which has ended");
  return owner;
}
static uint64_t sharedOffset(Warp &w, uint64_t address) {
  uint64_t rank = address >> sharedRankShift;
  return rank > w.block->cluster->blocks.size() ? address
                                                : address & sharedOffsetMask;
}

static uint64_t windowSize(Warp &w, Space space) {
  switch (space) {
  case Space::Shared:
    return w.block->launch->sharedBytes;
  case Space::Local:
    return w.program->localBytes;
  default:
    return w.program->paramBytes;
  }
}

static const char *spaceName(Space space) {
  return space == Space::Shared  ? "shared"
         : space == Space::Local ? "local"
                                 : "parameter";
}

[[noreturn]] static void badWindow(Warp &w, const Inst &i, unsigned lane,
                                   uint64_t address, unsigned bytes,
                                   Space space, AccessKind kind) {
  trap(w, i, lane,
       "out-of-bounds " + std::string(verb(kind)) + " of " +
           std::to_string(bytes) + " bytes at " + spaceName(space) +
           " address " + hex(address) + ": " + spaceName(space) +
           " memory has " + std::to_string(windowSize(w, space)) + " bytes");
}

static uint8_t *windowBase(Warp &w, Space space, unsigned lane) {
  switch (space) {
  case Space::Shared:
    return w.block->shared;
  case Space::Local:
    return w.local + size_t(lane) * w.program->localBytes;
  default:
    return const_cast<uint8_t *>(w.block->launch->params);
  }
}

static Space genericSpace(uint64_t address) {
  switch (address & windowMask) {
  case sharedWindow:
    return Space::Shared;
  case localWindow:
    return Space::Local;
  case paramWindow:
    return Space::Param;
  default:
    return Space::Global;
  }
}

/// Shared memory of any block of the cluster.
static void resolveCluster(Warp &w, const Inst &i, uint32_t mask,
                           const uint64_t *a, const LaneShape &shape,
                           unsigned bytes, AccessKind kind, Resolved &out) {
  for (unsigned l = 0; l < 32; ++l) {
    unsigned lane = (mask >> l) & 1 ? l : __builtin_ctz(mask);
    uint64_t offset = sharedOffset(w, a[l]);
    if (offset + bytes > windowSize(w, Space::Shared))
      badWindow(w, i, lane, a[l], bytes, Space::Shared, kind);
    out.ptr[l] = sharedOwner(w, i, lane, a[l])->shared + offset;
  }
  countShared(w, i, mask, a, shape, bytes, kind);
}

static void resolveWindow(Warp &w, const Inst &i, uint32_t mask,
                          const uint64_t *a, const LaneShape &shape,
                          Space space, unsigned bytes, AccessKind kind,
                          Resolved &out) {
  uint64_t size = windowSize(w, space);
  if (space == Space::Shared && (shape.high >> sharedRankShift))
    return resolveCluster(w, i, mask, a, shape, bytes, kind, out);
  if (shape.high + bytes > size || shape.high + bytes < shape.high)
    forLanes(mask, [&](unsigned l) {
      if (a[l] + bytes > size || a[l] + bytes < a[l])
        badWindow(w, i, l, a[l], bytes, space, kind);
    });
  if (space == Space::Param && kind != AccessKind::Load)
    trap(w, i, __builtin_ctz(mask), "write to a kernel parameter");
  if (space == Space::Local) {
    uint32_t first = __builtin_ctz(mask);
    for (unsigned l = 0; l < 32; ++l) // An idle lane must alias valid memory.
      out.ptr[l] = windowBase(w, space, (mask >> l) & 1 ? l : first) + a[l];
    countLocal(w, mask, a, bytes, kind);
    return;
  }
  uint8_t *base = windowBase(w, space, 0);
  for (unsigned l = 0; l < 32; ++l)
    out.ptr[l] = base + a[l];
  out.contiguous = shape.contiguous;
  if (space == Space::Shared)
    countShared(w, i, mask, a, shape, bytes, kind);
}

static void resolveGeneric(Warp &w, const Inst &i, uint32_t mask,
                           const uint64_t *a, unsigned bytes, AccessKind kind,
                           Resolved &out) {
  uint32_t lead = __builtin_ctz(mask);
  Space first = genericSpace(a[lead]);
  uint32_t same = 0;
  forLanes(mask, [&](unsigned l) {
    same |= uint32_t(genericSpace(a[l]) == first) << l;
  });
  alignas(64) uint64_t local[32];
  for (unsigned l = 0; l < 32; ++l) {
    uint64_t value = (same >> l) & 1 ? a[l] : a[lead];
    local[l] = first == Space::Global ? value : value & ~windowMask;
  }
  if (same == mask)
    return resolve(w, i, mask, local, first, bytes, kind, out);
  Resolved part;
  resolve(w, i, same, local, first, bytes, kind, out);
  resolve(w, i, mask & ~same, a, Space::None, bytes, kind, part);
  forLanes(mask & ~same, [&](unsigned l) { out.ptr[l] = part.ptr[l]; });
  out.contiguous = false;
}

void mlir::fuse::emu::resolve(Warp &w, const Inst &i, uint32_t mask,
                              const uint64_t *addresses, Space space,
                              unsigned bytes, AccessKind kind, Resolved &out) {
  if (space == Space::None)
    return resolveGeneric(w, i, mask, addresses, bytes, kind, out);
  alignas(64) uint64_t filled[32];
  const uint64_t *a = addresses;
  if (mask != fullMask) {
    uint64_t lead = addresses[__builtin_ctz(mask)];
    for (unsigned l = 0; l < 32; ++l)
      filled[l] = (mask >> l) & 1 ? addresses[l] : lead;
    a = filled;
  }
  LaneShape shape = shapeOf(a, mask, bytes);
  if (shape.bits & (bytes - 1))
    forLanes(mask, [&](unsigned l) {
      if (a[l] & (bytes - 1))
        trap(w, i, l,
             "misaligned " + std::string(verb(kind)) + " of " +
                 std::to_string(bytes) + " bytes at address " + hex(a[l]));
    });
  out.contiguous = false;
  if (space != Space::Global && space != Space::Const) {
    resolveWindow(w, i, mask, a, shape, space, bytes, kind, out);
    if (w.worker->checker && space == Space::Shared)
      w.worker->checker->shared(w, i, mask, a, bytes, kind);
    return;
  }
  resolveGlobal(w, i, mask, a, shape, bytes, kind, space == Space::Global);
  out.contiguous = shape.contiguous;
  for (unsigned l = 0; l < 32; ++l)
    out.ptr[l] = reinterpret_cast<uint8_t *>(a[l]);
  if (w.worker->checker && space == Space::Global)
    w.worker->checker->global(w, i, mask, a, bytes, kind);
}

uint8_t *mlir::fuse::emu::resolveLane(Warp &w, const Inst &i, unsigned lane,
                                      uint64_t address, Space space,
                                      uint64_t bytes, bool write) {
  if (space == Space::None) {
    space = genericSpace(address);
    if (space != Space::Global)
      address &= ~windowMask;
  }
  AccessKind kind = write ? AccessKind::Store : AccessKind::Load;
  if (space == Space::Global || space == Space::Const) {
    Span span;
    if (!findSpan(*w.block->launch, address, bytes, span))
      badGlobal(w, i, lane, address, unsigned(bytes), kind, "out-of-bounds");
    if (span.readOnly && write)
      badGlobal(w, i, lane, address, unsigned(bytes), kind, "read-only");
    return reinterpret_cast<uint8_t *>(address);
  }
  if (space == Space::Shared && (address >> sharedRankShift)) {
    uint64_t offset = sharedOffset(w, address);
    if (offset + bytes > windowSize(w, space))
      badWindow(w, i, lane, address, unsigned(bytes), space, kind);
    return sharedOwner(w, i, lane, address)->shared + offset;
  }
  if (address + bytes > windowSize(w, space) || address + bytes < address)
    badWindow(w, i, lane, address, unsigned(bytes), space, kind);
  return windowBase(w, space, lane) + address;
}
