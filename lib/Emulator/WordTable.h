//===- WordTable.h - What a cluster did to words of memory --------*- C++ -*-=//
//
// An open hash table by address that is emptied without being touched: each
// cluster of a checked launch starts with an empty one.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_WORDTABLE_H
#define FUSE_LIB_EMULATOR_WORDTABLE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mlir::fuse::emu {

/// The last accesses of a cluster to an aligned word of global memory. Of
/// several warps that read it unordered, two are kept.
struct GlobalWord {
  struct Reader {
    uint16_t warp = 0; ///< Plus one.
    uint8_t mask = 0;  ///< Of the bytes.
    uint32_t clock = 0;
  };
  uint16_t writer = 0; ///< Plus one.
  uint8_t writeMask = 0;
  bool strongWrite = false;
  uint32_t writeClock = 0, writeLine = 0;
  Reader readers[2];
};

class WordTable {
public:
  WordTable() : slots(1024) {}
  GlobalWord &operator[](uint64_t word) {
    if (4 * count >= 3 * slots.size())
      grow();
    Slot &slot = find(word);
    if (slot.epoch != epoch) {
      slot = {word, epoch, {}};
      ++count;
    }
    return slot.value;
  }
  size_t size() const { return count; }
  void clear() {
    count = 0;
    if (++epoch)
      return;
    slots.assign(slots.size(), Slot()); // The epochs start again.
    epoch = 1;
  }

private:
  struct Slot {
    uint64_t word = 0;
    uint32_t epoch = 0; ///< In use if it is the table's.
    GlobalWord value;
  };
  Slot &find(uint64_t word) {
    size_t mask = slots.size() - 1;
    size_t at = size_t((word * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (slots[at].epoch == epoch && slots[at].word != word)
      at = (at + 1) & mask;
    return slots[at];
  }
  void grow() {
    std::vector<Slot> old(2 * slots.size());
    old.swap(slots);
    for (const Slot &slot : old)
      if (slot.epoch == epoch)
        find(slot.word) = slot;
  }

  std::vector<Slot> slots;
  size_t count = 0;
  uint32_t epoch = 1;
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_WORDTABLE_H
