//===- Access.cpp - From lane addresses to host memory --------------------===//
//
// The common case, all lanes in the allocation of the last time, is a few SIMD
// loops; everything else is per lane. Traffic.cpp counts.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"
#include "Traffic.h"

#include <algorithm>

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
  span = {it->base, it->end(), (it->device - it->base) >> 5,
          uint32_t(it - table.begin()), it->isReadOnly};
  return true;
}

/// Why an address that is no global one might have been taken for one.
static const char *windowHint(const Launch &launch, uint64_t address) {
  if (address && address < launch.sharedBytes)
    return "it is an address of shared memory, to be converted by cvta.shared";
  switch (address & windowMask) {
  case sharedWindow:
    return "it is a generic address of shared memory";
  case localWindow:
    return "it is a generic address of local memory";
  case paramWindow:
    return "it is a generic address of a parameter";
  default:
    return nullptr;
  }
}

static void badGlobal(Warp &w, const Inst &i, unsigned lane, uint64_t address,
                      unsigned bytes, AccessKind kind, bool isReadOnly) {
  const DeviceMemory &memory = *w.block->launch->module->memory;
  const char *hint = windowHint(*w.block->launch, address);
  bool isFreed = memory.wasFreed(address);
  FindingKind finding = isReadOnly || hint ? FindingKind::WrongSpace
                        : isFreed          ? FindingKind::UseAfterFree
                                           : FindingKind::OutOfBounds;
  report(w, i, lane, finding,
         std::string(isReadOnly ? "read-only " : "out-of-bounds ") +
             verb(kind) + " of " + std::to_string(bytes) + " bytes at " +
             hex(address) + ": " + (hint ? hint : memory.describe(address)));
}

/// The lanes of `mask` by allocation, and those whose access is bad.
static uint32_t splitGlobal(Warp &w, const Inst &i, uint32_t mask,
                            const uint64_t *a, unsigned bytes, AccessKind kind,
                            std::vector<GlobalPart> &parts) {
  uint32_t bad = 0;
  for (uint32_t left = mask; left;) {
    unsigned lane = __builtin_ctz(left);
    GlobalPart part = {Span(), 0};
    bool isKnown = findSpan(*w.block->launch, a[lane], bytes, part.span);
    if (!isKnown || (part.span.readOnly && kind != AccessKind::Load)) {
      badGlobal(w, i, lane, a[lane], bytes, kind, isKnown);
      bad |= 1u << lane;
      left &= ~(1u << lane);
      continue;
    }
    forLanes(left, [&](unsigned l) {
      if (a[l] >= part.span.base && a[l] + bytes <= part.span.end)
        part.mask |= 1u << l;
    });
    left &= ~part.mask;
    parts.push_back(part);
  }
  return bad;
}

/// Counts the access unless some lanes are bad, which are returned.
static uint32_t resolveGlobal(Warp &w, const Inst &i, uint32_t mask,
                              const uint64_t *a, const LaneShape &shape,
                              unsigned bytes, AccessKind kind, bool counted) {
  Span &span = w.worker->spans[&i - w.program->code.data()];
  bool fits = shape.low >= span.base && shape.high + bytes <= span.end;
  if (!fits) {
    Span found;
    fits = findSpan(*w.block->launch, shape.low, bytes, found) &&
           shape.high + bytes <= found.end && shape.high + bytes >= shape.high;
    if (fits)
      span = found;
  }
  counted &= w.worker->counting;
  if (fits && !(span.readOnly && kind != AccessKind::Load)) {
    if (counted)
      countGlobal(w, i, span, mask, a, shape, bytes, kind);
    return 0;
  }
  std::vector<GlobalPart> parts;
  uint32_t bad = splitGlobal(w, i, mask, a, bytes, kind, parts);
  if (!bad && counted)
    countGlobalParts(w, i, parts.data(), parts.size(), a, bytes, kind);
  return bad;
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

static void badWindow(Warp &w, const Inst &i, unsigned lane, uint64_t address,
                      unsigned bytes, Space space, AccessKind kind) {
  const DeviceMemory &memory = *w.block->launch->module->memory;
  std::string why = std::string(spaceName(space)) + " memory has " +
                    std::to_string(windowSize(w, space)) + " bytes";
  FindingKind finding = FindingKind::OutOfBounds;
  const char *hint = windowHint(*w.block->launch, address & windowMask);
  if (hint) {
    finding = FindingKind::WrongSpace;
    why = hint;
  } else if (memory.deviceAddress(reinterpret_cast<void *>(address))) {
    finding = FindingKind::WrongSpace;
    why = "in global memory it is " + memory.describe(address);
  }
  report(w, i, lane, finding,
         "out-of-bounds " + std::string(verb(kind)) + " of " +
             std::to_string(bytes) + " bytes at " + spaceName(space) +
             " address " + hex(address) + ": " + why);
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

/// Shared memory of any block of the cluster; returns the lanes that are bad.
static uint32_t resolveCluster(Warp &w, const Inst &i, uint32_t mask,
                               const uint64_t *a, const LaneShape &shape,
                               unsigned bytes, AccessKind kind, Resolved &out) {
  uint32_t bad = 0;
  forLanes(mask, [&](unsigned l) {
    if (sharedOffset(w, a[l]) + bytes <= windowSize(w, Space::Shared))
      return;
    badWindow(w, i, l, a[l], bytes, Space::Shared, kind);
    bad |= 1u << l;
  });
  if (bad)
    return bad;
  for (unsigned l = 0; l < 32; ++l) {
    unsigned lane = (mask >> l) & 1 ? l : __builtin_ctz(mask);
    out.ptr[l] = sharedOwner(w, i, lane, a[l])->shared + sharedOffset(w, a[l]);
  }
  if (w.worker->counting)
    countShared(w, i, mask, a, shape, bytes, kind);
  return 0;
}

/// Counts the access unless some lanes are bad, which are returned.
static uint32_t resolveWindow(Warp &w, const Inst &i, uint32_t mask,
                              const uint64_t *a, const LaneShape &shape,
                              Space space, unsigned bytes, AccessKind kind,
                              Resolved &out) {
  uint64_t size = windowSize(w, space);
  if (space == Space::Shared && (shape.high >> sharedRankShift))
    return resolveCluster(w, i, mask, a, shape, bytes, kind, out);
  uint32_t bad = 0;
  if (shape.high + bytes > size || shape.high + bytes < shape.high)
    forLanes(mask, [&](unsigned l) {
      if (a[l] + bytes <= size && a[l] + bytes >= a[l])
        return;
      badWindow(w, i, l, a[l], bytes, space, kind);
      bad |= 1u << l;
    });
  if (space == Space::Param && kind != AccessKind::Load) {
    report(w, i, __builtin_ctz(mask), FindingKind::WrongSpace,
           "write to a kernel parameter");
    bad = mask;
  }
  if (bad)
    return bad;
  if (space == Space::Local) {
    uint32_t first = __builtin_ctz(mask);
    for (unsigned l = 0; l < 32; ++l) // An idle lane must alias valid memory.
      out.ptr[l] = windowBase(w, space, (mask >> l) & 1 ? l : first) + a[l];
    if (w.worker->counting)
      countLocal(w, i, mask, a, bytes, kind);
    return 0;
  }
  uint8_t *base = windowBase(w, space, 0);
  for (unsigned l = 0; l < 32; ++l)
    out.ptr[l] = base + a[l];
  out.contiguous = shape.contiguous;
  if (space == Space::Shared)
    if (w.worker->counting)
      countShared(w, i, mask, a, shape, bytes, kind);
  return 0;
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

/// Resolves the access without the lanes of `bad`, whose data goes nowhere.
static void resolveWithout(Warp &w, const Inst &i, uint32_t mask, uint32_t bad,
                           const uint64_t *addresses, Space space,
                           unsigned bytes, AccessKind kind, Resolved &out) {
  uint32_t rest = mask & ~bad;
  if (rest)
    resolve(w, i, rest, addresses, space, bytes, kind, out);
  memset(w.worker->scratch, 0, sizeof w.worker->scratch);
  for (unsigned l = 0; l < 32; ++l)
    if (!rest || (bad >> l) & 1)
      out.ptr[l] = w.worker->scratch;
  out.contiguous = false;
}

static uint32_t misalignedLanes(Warp &w, const Inst &i, uint32_t mask,
                                const uint64_t *a, unsigned bytes,
                                AccessKind kind) {
  uint32_t bad = 0;
  forLanes(mask, [&](unsigned l) {
    if (!(a[l] & (bytes - 1)))
      return;
    report(w, i, l, FindingKind::Misaligned,
           "misaligned " + std::string(verb(kind)) + " of " +
               std::to_string(bytes) + " bytes at address " + hex(a[l]));
    bad |= 1u << l;
  });
  return bad;
}

static void checkAll(Checker &checker, Warp &w, const Inst &i, uint32_t mask,
                     const uint64_t *a, Space space, unsigned bytes,
                     AccessKind kind) {
  if (space == Space::Shared)
    checker.shared(w, i, mask, a, bytes, kind);
  else if (space == Space::Global)
    checker.global(w, i, mask, a, bytes, kind);
  else if (space == Space::Local)
    checker.local(w, i, mask, a, bytes, kind);
}

/// Checks the runs of bytes that matter.
static void check(Checker &checker, Warp &w, const Inst &i, uint32_t mask,
                  const uint64_t *a, Space space, unsigned bytes,
                  AccessKind kind) {
  if (i.used == ~0u)
    return checkAll(checker, w, i, mask, a, space, bytes, kind);
  auto isUsed = [&](unsigned byte) { return (i.used >> byte) & 1; };
  for (unsigned first = 0, end = 0; first < bytes; first = end) {
    for (end = first + 1; end < bytes && isUsed(end) == isUsed(first);)
      ++end;
    uint64_t run[32];
    for (unsigned l = 0; l < 32; ++l)
      run[l] = a[l] + first;
    if (isUsed(first))
      checkAll(checker, w, i, mask, run, space, end - first, kind);
  }
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
  uint32_t bad = 0;
  if (shape.bits & (bytes - 1))
    bad = misalignedLanes(w, i, mask, a, bytes, kind);
  out.contiguous = false;
  if (!bad && space != Space::Global && space != Space::Const) {
    bad = resolveWindow(w, i, mask, a, shape, space, bytes, kind, out);
  } else if (!bad) {
    bad = resolveGlobal(w, i, mask, a, shape, bytes, kind,
                        space == Space::Global);
    out.contiguous = shape.contiguous;
    for (unsigned l = 0; l < 32; ++l)
      out.ptr[l] = reinterpret_cast<uint8_t *>(a[l]);
  }
  if (bad)
    return resolveWithout(w, i, mask, bad, addresses, space, bytes, kind, out);
  if (w.worker->checker)
    check(*w.worker->checker, w, i, mask, a, space, bytes, kind);
}

// An access that cannot be left out: after the finding the launch ends.
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
    bool isKnown = findSpan(*w.block->launch, address, bytes, span);
    if (!isKnown || (span.readOnly && write)) {
      badGlobal(w, i, lane, address, unsigned(bytes), kind, isKnown);
      throw Trap();
    }
    return reinterpret_cast<uint8_t *>(address);
  }
  if (space == Space::Shared && (address >> sharedRankShift)) {
    uint64_t offset = sharedOffset(w, address);
    if (offset + bytes > windowSize(w, space)) {
      badWindow(w, i, lane, address, unsigned(bytes), space, kind);
      throw Trap();
    }
    return sharedOwner(w, i, lane, address)->shared + offset;
  }
  if (address + bytes > windowSize(w, space) || address + bytes < address) {
    badWindow(w, i, lane, address, unsigned(bytes), space, kind);
    throw Trap();
  }
  return windowBase(w, space, lane) + address;
}
