//===- CheckerGlobal.cpp - Races and unwritten bytes of global memory -----===//
//
// Between clusters by block, byte by byte; within one by the clocks of warps,
// word by word.
//
//===----------------------------------------------------------------------===//
#include "Checker.h"

#include <algorithm>

using namespace mlir::fuse::emu;

/// No entry of a byte: those of the word's bytes differ.
static constexpr uint32_t splitWord = ~uint32_t(0);
/// Words that are kept of a cluster; what came before them is forgotten.
static constexpr size_t maxWords = size_t(1) << 19;

size_t Checker::allocationOf(uint64_t address) const {
  const auto &table = launch.allocations;
  auto it = std::upper_bound(
      table.begin(), table.end(), address,
      [](uint64_t a, const Allocation &entry) { return a < entry.base; });
  return size_t(it - table.begin()) - 1;
}

void Checker::globalUninit(Warp &w, const Inst &i, unsigned lane, size_t index,
                           uint64_t at, unsigned count, AccessKind kind) {
  const Allocation &allocation = launch.allocations[index];
  if (!allocation.written || !on(CheckUninit))
    return;
  uint64_t first = at - allocation.base, end = first + count;
  for (uint64_t bit = first, next = 0; bit < end; bit = next) {
    // The part that is in one word of the bits, which blocks may share.
    next = std::min(end, (bit / 64 + 1) * 64);
    uint64_t &word = (*allocation.written)[bit / 64];
    uint64_t mask =
        (next - bit == 64 ? ~uint64_t(0) : (uint64_t(1) << (next - bit)) - 1)
        << (bit % 64);
    uint64_t missing = ~__atomic_load_n(&word, __ATOMIC_RELAXED) & mask;
    if (!missing)
      continue;
    if (kind != AccessKind::Store) {
      uint64_t byte = bit / 64 * 64 + unsigned(__builtin_ctzll(missing));
      report(w, i, lane, FindingKind::Uninitialised,
             "read of uninitialised global memory: " +
                 launch.module->memory->describe(allocation.base + byte));
      break;
    }
    __atomic_fetch_or(&word, mask, __ATOMIC_RELAXED);
  }
}

//===-- Between clusters ---------------------------------------------------=//

static void addBit(std::vector<uint64_t> &set, uint32_t block) {
  if (set.size() <= block / 64)
    set.resize(block / 64 + 1);
  set[block / 64] |= uint64_t(1) << (block % 64);
}
static void mergeBits(std::vector<uint64_t> &to,
                      const std::vector<uint64_t> &from) {
  if (to.size() < from.size())
    to.resize(from.size());
  for (size_t k = 0; k < from.size(); ++k)
    to[k] |= from[k];
}
void Checker::BlockSet::add(uint32_t block, bool isAgain) {
  addBit(once, block);
  if (isAgain)
    addBit(again, block);
}
void Checker::BlockSet::merge(const BlockSet &other) {
  mergeBits(once, other.once);
  mergeBits(again, other.again);
}
bool Checker::BlockSet::has(uint32_t block, bool late) const {
  const std::vector<uint64_t> &set = late ? again : once;
  return block / 64 < set.size() && (set[block / 64] >> (block % 64)) & 1;
}

void Checker::orderBlocks(Warp &w, uint64_t address, bool acquires,
                          bool isRelease) {
  BlockSet &set = releasers[address];
  BlockSet &earlier = orderedBefore[w.block->rank];
  if (acquires) {
    acquire(w, address);
    earlier.merge(set);
  }
  if (!isRelease)
    return;
  // What came before this block came before those that acquire from it.
  set.merge(earlier);
  set.add(numbers[w.block->rank], releases[w.block->rank] > 1);
  release(w, address);
}

/// The entry of `count` bytes after an access; reports what is unordered.
uint32_t Checker::accessBytes(Warp &w, const Inst &i, unsigned lane,
                              uint64_t at, unsigned count, uint32_t entry,
                              AccessKind kind) {
  uint32_t writer = entry >> 17, reader = entry & 0xffff;
  uint32_t number = numbers[w.block->rank];
  // Blocks of the cluster are looked at by their warps.
  auto isOrdered = [&](uint32_t other, bool late) {
    return !other ||
           std::find(numbers.begin(), numbers.end(), other) != numbers.end() ||
           orderedBefore[w.block->rank].has(other, late);
  };
  auto race = [&](const char *what, uint32_t other) {
    return "race in global memory: this " + std::string(what) + " of block " +
           std::to_string(other - 1) +
           " (linear), unordered: " + launch.module->memory->describe(at);
  };
  bool reads = kind == AccessKind::Load;
  if (!isOrdered(writer, entry & 0x10000)) {
    if (reads)
      report(w, i, lane, FindingKind::GlobalRace,
             race("read follows a write", writer));
    else
      suspect(w, i, lane, reinterpret_cast<const uint8_t *>(at), count,
              FindingKind::GlobalRace, race("write follows a write", writer));
  }
  if (reads)
    return reader ? entry : entry | number;
  if (!isOrdered(reader, false))
    report(w, i, lane, FindingKind::GlobalRace,
           race("write follows a read", reader));
  return number << 17 | uint32_t(releases[w.block->rank] > 0) << 16;
}

/// One entry stands for the four bytes of a word as long as they agree.
void Checker::globalBytes(Warp &w, const Inst &i, unsigned lane, size_t index,
                          uint64_t at, unsigned count, AccessKind kind) {
  const Allocation &allocation = launch.allocations[index];
  uint64_t start = allocation.base & ~uint64_t(3);
  if (!touched[index])
    touched[index] =
        std::make_unique<uint32_t[]>((allocation.end() - start + 3) / 4);
  for (uint64_t word = at & ~uint64_t(3); word < at + count; word += 4) {
    uint32_t &entry = touched[index][(word - start) / 4];
    uint64_t first = std::max(at, word), last = std::min(at + count, word + 4);
    if (entry != splitWord && last - first == 4) {
      entry = accessBytes(w, i, lane, word, 4, entry, kind);
      continue;
    }
    std::array<uint32_t, 4> &parts = splitWords[word];
    if (entry != splitWord)
      parts.fill(entry);
    for (uint64_t byte = first; byte < last; ++byte)
      parts[byte - word] =
          accessBytes(w, i, lane, byte, 1, parts[byte - word], kind);
    bool agree = std::all_of(parts.begin(), parts.end(),
                             [&](uint32_t part) { return part == parts[0]; });
    entry = agree ? parts[0] : splitWord;
    if (agree)
      splitWords.erase(word);
  }
}

static void append(std::vector<ByteRange> &ranges, uint64_t begin, uint64_t end,
                   uint64_t base) {
  if (ranges.empty() || ranges.back().end != begin ||
      ranges.back().begin < base)
    ranges.push_back({begin, end});
  else
    ranges.back().end = end;
}

void Checker::collect(AccessedBytes &accessed) const {
  for (size_t index = 0; index < touched.size(); ++index) {
    if (!touched[index])
      continue;
    const Allocation &allocation = launch.allocations[index];
    uint64_t start = allocation.base & ~uint64_t(3);
    auto add = [&](uint32_t entry, uint64_t begin, uint64_t end) {
      if (entry >> 17)
        append(accessed.written, begin, end, allocation.base);
      if (entry & 0xffff)
        append(accessed.read, begin, end, allocation.base);
    };
    for (uint64_t word = start; word < allocation.end(); word += 4) {
      uint32_t entry = touched[index][(word - start) / 4];
      if (entry != splitWord) {
        add(entry, word, word + 4);
        continue;
      }
      const std::array<uint32_t, 4> &parts = splitWords.at(word);
      for (unsigned byte = 0; byte < 4; ++byte)
        add(parts[byte], word + byte, word + byte + 1);
    }
  }
}

//===-- Within a cluster ---------------------------------------------------=//

/// Takes the place of the warp's own earlier read, else of one that is ordered
/// before this one; a third reader is not kept.
void Checker::readWord(const Warp &w, GlobalWord &word, uint8_t mask) const {
  uint16_t self = uint16_t(w.order + 1);
  uint32_t now = clocks[w.order][w.order];
  GlobalWord::Reader *place = nullptr;
  for (GlobalWord::Reader &reader : word.readers) {
    if (reader.warp == self) {
      bool isSame = reader.clock == now;
      reader = {self, uint8_t(isSame ? reader.mask | mask : mask), now};
      return;
    }
    if (!place && (!reader.mask || before(w, reader.warp, reader.clock)))
      place = &reader;
  }
  if (place)
    *place = {self, mask, now};
}

void Checker::globalWords(Warp &w, const Inst &i, unsigned lane, uint64_t at,
                          unsigned count, AccessKind kind) {
  if (words.size() > maxWords)
    words.clear();
  bool reads = kind == AccessKind::Load;
  for (uint64_t word = at & ~uint64_t(3); word < at + count; word += 4) {
    GlobalWord &g = words[word];
    uint8_t mask = count >= 4 ? 15 : uint8_t(((1u << count) - 1) << (at & 3));
    auto race = [&](const char *what, uint16_t other, uint32_t line) {
      return "race in global memory: this " + std::string(what) + " of " +
             warpName(w, other) +
             (line ? " (line " + std::to_string(line) + ")" : "") +
             " without a barrier between them: " +
             launch.module->memory->describe(word);
    };
    bool overlaps = (g.writeMask & mask) && !i.strong && !g.strongWrite &&
                    !before(w, g.writer, g.writeClock);
    if (overlaps && reads)
      report(w, i, lane, FindingKind::GlobalRace,
             race("read follows a write", g.writer, g.writeLine));
    else if (overlaps)
      suspect(w, i, lane, reinterpret_cast<const uint8_t *>(std::max(at, word)),
              std::min(count, 4u), FindingKind::GlobalRace,
              race("write follows a write", g.writer, g.writeLine));
    if (reads) {
      readWord(w, g, mask);
      continue;
    }
    for (GlobalWord::Reader &reader : g.readers) {
      if ((reader.mask & mask) && !i.strong &&
          !before(w, reader.warp, reader.clock))
        report(w, i, lane, FindingKind::GlobalRace,
               race("write follows a read", reader.warp, 0));
      reader.mask &= ~mask;
    }
    g.writer = uint16_t(w.order + 1);
    g.writeMask = mask;
    g.strongWrite = i.strong;
    g.writeClock = clocks[w.order][w.order];
    g.writeLine = i.line;
  }
}

void Checker::global(Warp &w, const Inst &i, uint32_t mask,
                     const uint64_t *addresses, unsigned count,
                     AccessKind kind) {
  settle(&w);
  bool isAtomic = kind == AccessKind::Atomic;
  if ((isAtomic || (i.strong && kind == AccessKind::Load)) && on(CheckRaces))
    forLanes(mask,
             [&](unsigned l) { orderBlocks(w, addresses[l], true, false); });
  uint64_t last = 0;
  size_t index = 0;
  forLanes(mask, [&](unsigned l) {
    // Lanes that load what the one before them loads have nothing to add.
    if (addresses[l] == last && kind == AccessKind::Load)
      return;
    last = addresses[l];
    if (last - launch.allocations[index].base >= launch.allocations[index].size)
      index = allocationOf(last);
    globalUninit(w, i, l, index, addresses[l], count, kind);
    if (!on(CheckRaces))
      return;
    globalWords(w, i, l, addresses[l], count, kind);
    if (!i.strong)
      globalBytes(w, i, l, index, addresses[l], count, kind);
  });
  bool isRelease = isAtomic || (i.strong && kind == AccessKind::Store);
  if (!isRelease || !on(CheckRaces))
    return;
  ++releases[w.block->rank];
  forLanes(mask,
           [&](unsigned l) { orderBlocks(w, addresses[l], false, true); });
}
