//===- Caches.cpp - A simulated L1 and L2 ---------------------------------===//
//
// See CacheState.h for the order of requests, docs/Emulator.md for what is
// simplified.
//
//===----------------------------------------------------------------------===//
#include "CacheState.h"

#include <algorithm>
#include <charconv>

using namespace mlir::fuse::emu;

//===-- The device ---------------------------------------------------------=//

bool mlir::fuse::emu::parseDeviceShape(std::string_view text,
                                       DeviceShape &shape, std::string &error) {
  while (!text.empty()) {
    std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    size_t equals = item.find('=');
    std::string_view key = item.substr(0, equals), number;
    if (equals != std::string_view::npos)
      number = item.substr(equals + 1);
    uint64_t value = 0;
    auto [end, failure] =
        std::from_chars(number.data(), number.data() + number.size(), value);
    if (failure != std::errc() || end != number.data() + number.size() ||
        (!value && key != "shared") || value > (uint64_t(1) << 32)) {
      error = "expected KEY=NUMBER, but got '" + std::string(item) + "'";
      return false;
    }
    if (key == "sms")
      shape.smCount = uint32_t(value);
    else if (key == "l2")
      shape.l2Bytes = value;
    else if (key == "shared")
      shape.sharedBytesPerSM = value;
    else if (key == "registers")
      shape.registersPerSM = uint32_t(value);
    else if (key == "threads")
      shape.maxThreadsPerSM = uint32_t(value);
    else if (key == "blocks")
      shape.maxBlocksPerSM = uint32_t(value);
    else {
      error = "unknown key '" + std::string(key) +
              "', expected sms, l2, shared, registers, threads or blocks";
      return false;
    }
  }
  return true;
}

uint32_t mlir::fuse::emu::residentBlocks(const DeviceShape &shape,
                                         uint64_t threads, uint64_t sharedBytes,
                                         uint32_t registers) {
  uint64_t warps = std::max<uint64_t>(1, (threads + 31) / 32);
  uint64_t count = std::min<uint64_t>(shape.maxBlocksPerSM,
                                      shape.maxThreadsPerSM / (32 * warps));
  count = std::min(count, shape.sharedBytesPerSM / (sharedBytes + 1024));
  if (registers) {
    uint64_t perWarp = (uint64_t(registers) * 32 + 255) / 256 * 256;
    count = std::min(count, shape.registersPerSM / perWarp / warps);
  }
  return uint32_t(std::max<uint64_t>(1, count));
}

//===-- Lines --------------------------------------------------------------=//

LineCache::LineCache(uint64_t bytes) {
  uint64_t lines = std::max<uint64_t>(1, bytes / 128);
  for (numSets = 1, setBits = 0; lines / (2 * numSets) >= 16; numSets *= 2)
    ++setBits;
  ways = unsigned(lines / numSets);
  entries.assign(numSets * ways, 0);
}

uint64_t *LineCache::setOf(uint64_t line) {
  uint64_t index = line;
  if (setBits)
    for (uint64_t rest = line >> setBits; rest; rest >>= setBits)
      index ^= rest;
  return &entries[(index & (numSets - 1)) * ways];
}

/// Brings `entry` to the front of a set whose first `at` entries move back.
static void toFront(uint64_t *set, unsigned at, uint64_t entry) {
  std::copy_backward(set, set + at, set + at + 1);
  set[0] = entry;
}

LineCache::Result LineCache::access(uint64_t line, uint32_t sectors,
                                    bool dirty) {
  uint64_t *set = setOf(line);
  unsigned at = 0;
  while (at < ways && (set[at] >> 8 != line || !(set[at] & 15)))
    ++at;
  uint64_t masks = uint64_t(sectors) | (dirty ? uint64_t(sectors) << 4 : 0);
  if (at < ways) {
    uint64_t old = set[at];
    toFront(set, at, old | masks);
    return {uint32_t(old) & sectors, 0,
            uint32_t(__builtin_popcount(sectors & ~uint32_t(old >> 4))), false};
  }
  uint64_t victim = set[ways - 1];
  numOccupied += !(victim & 15);
  toFront(set, ways - 1, line << 8 | masks);
  return {0, uint32_t(__builtin_popcount((victim >> 4) & 15)),
          uint32_t(__builtin_popcount(sectors)), true};
}

uint32_t LineCache::drop(uint64_t line, uint32_t sectors) {
  uint64_t *set = setOf(line);
  for (unsigned at = 0; at < ways; ++at)
    if (set[at] >> 8 == line && (set[at] & 15)) {
      uint32_t dirty = uint32_t(set[at] >> 4) & sectors;
      set[at] &= ~(uint64_t(sectors) | uint64_t(sectors) << 4);
      numOccupied -= !(set[at] & 15);
      return uint32_t(__builtin_popcount(dirty));
    }
  return 0;
}

void LineCache::clear() {
  std::fill(entries.begin(), entries.end(), 0);
  numOccupied = 0;
}

//===-- Requests -----------------------------------------------------------=//

void CacheState::startKernel(uint64_t bytes) {
  if (bytes != l1Bytes)
    l1.assign(shape.smCount, LineCache(bytes));
  else
    for (LineCache &cache : l1)
      cache.clear();
  l1Bytes = bytes;
  dirtyAtStart = dirty;
  linesAtStart = l2.occupied();
}

void CacheState::readL2(uint64_t line, uint32_t sectors, WaveTraffic &traffic) {
  LineCache::Result result = l2.access(line, sectors, false);
  unsigned hits = unsigned(__builtin_popcount(result.hits));
  traffic.l2Hits += hits;
  traffic.dramReads += unsigned(__builtin_popcount(sectors)) - hits;
  traffic.dramWrites += result.evicted;
  traffic.filledLines += result.filled;
  dirty -= result.evicted;
}

void CacheState::writeL2(uint64_t line, uint32_t sectors,
                         WaveTraffic &traffic) {
  LineCache::Result result = l2.access(line, sectors, true);
  traffic.dramWrites += result.evicted;
  traffic.filledLines += result.filled;
  traffic.dirtied += result.clean;
  dirty += result.clean;
  dirty -= result.evicted;
}

void CacheState::request(LineAccess access, LineCache &cache,
                         WaveTraffic &traffic) {
  uint64_t line = access.line();
  uint32_t sectors = access.sectors();
  unsigned count = unsigned(__builtin_popcount(sectors));
  switch (access.kind()) {
  case LineKind::Load: {
    uint32_t hits = cache.access(line, sectors, false).hits;
    traffic.l1Hits += unsigned(__builtin_popcount(hits));
    if (hits == sectors)
      return;
    sectors &= ~hits;
    count = unsigned(__builtin_popcount(sectors));
    [[fallthrough]];
  }
  case LineKind::LoadL2:
    traffic.l2Reads += count;
    return readL2(line, sectors, traffic);
  case LineKind::Store: // Written through; a line in L1 stays valid.
    traffic.l2Writes += count;
    return writeL2(line, sectors, traffic);
  case LineKind::Atomic:
    traffic.l2Atomics += count;
    readL2(line, sectors, traffic);
    return writeL2(line, sectors, traffic);
  }
}

void CacheState::replay(const std::vector<RequestTrace> &clusters,
                        uint64_t first, unsigned size, WaveTraffic &traffic) {
  struct Stream {
    const LineAccess *next, *end;
    uint32_t sm;
  };
  std::vector<Stream> streams;
  for (size_t k = 0; k < clusters.size(); ++k) {
    const auto &warps = clusters[k].warps;
    for (size_t w = 0; w < warps.size(); ++w) {
      uint64_t block = (first + k) * size + w * size / warps.size();
      if (!warps[w].empty())
        streams.push_back({warps[w].data(), warps[w].data() + warps[w].size(),
                           uint32_t(block % shape.smCount)});
    }
  }
  while (!streams.empty()) {
    size_t kept = 0;
    for (Stream stream : streams) {
      bool isLast;
      do {
        isLast = stream.next->isLast();
        request(*stream.next++, l1[stream.sm], traffic);
      } while (!isLast);
      if (stream.next != stream.end)
        streams[kept++] = stream;
    }
    streams.resize(kept);
  }
}

void CacheState::finishKernel(bool isSampled, WaveTraffic &traffic) const {
  traffic.simulated = true;
  traffic.l2Dirty = dirty;
  if (!isSampled)
    return;
  uint64_t lines = traffic.filledLines + linesAtStart;
  uint64_t leaving = lines - std::min(lines, l2.capacity());
  uint64_t older = std::min(leaving, linesAtStart), newer = leaving - older;
  traffic.dramWrites = 0;
  if (older)
    traffic.dramWrites += dirtyAtStart * older / linesAtStart;
  if (newer)
    traffic.dramWrites += traffic.dirtied * newer / traffic.filledLines;
  traffic.l2Dirty = dirtyAtStart + traffic.dirtied - traffic.dramWrites;
}

void CacheState::hostWrote(uint64_t line, uint32_t sectors) {
  dirty -= l2.drop(line, sectors);
}

void CacheState::deviceWrote(uint64_t line, uint32_t sectors) {
  WaveTraffic ignored; // No launch to count it for.
  writeL2(line, sectors, ignored);
}

//===-- Caches -------------------------------------------------------------=//

Caches::Caches(const DeviceShape &shape)
    : state(std::make_unique<CacheState>(shape)) {}
Caches::~Caches() = default;

const DeviceShape &Caches::getShape() const { return state->getShape(); }

/// Calls `body(line, sectors)` for each line of a range of bytes.
template <typename F>
static void forLines(uint64_t address, uint64_t size, F body) {
  if (!size)
    return;
  for (uint64_t first = address >> 5, last = (address + size - 1) >> 5;
       first <= last;) {
    uint64_t stop = std::min(last, first | 3);
    uint32_t mask = (2u << (stop & 3)) - (1u << (first & 3));
    body(first >> 2, mask);
    first = stop + 1;
  }
}

void Caches::hostWrote(uint64_t address, uint64_t size) {
  forLines(address, size, [&](uint64_t line, uint32_t sectors) {
    state->hostWrote(line, sectors);
  });
}

void Caches::deviceWrote(uint64_t address, uint64_t size) {
  forLines(address, size, [&](uint64_t line, uint32_t sectors) {
    state->deviceWrote(line, sectors);
  });
}
