//===- Checker.h - Races, uninitialised reads, misuse -------------*- C++ -*-=//
//
// Follows one launch access by access. Within a cluster: vector clocks over its
// warps, joined by barriers, mbarriers, atomics and strong accesses. Between
// clusters: which block wrote and read a byte, with blocks ordered by the
// atomics and strong accesses they share. What is unordered is a finding; what
// cannot be told is none.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_CHECKER_H
#define FUSE_LIB_EMULATOR_CHECKER_H

#include "Access.h"
#include "Findings.h"
#include "WordTable.h"

#include <memory>
#include <unordered_map>

namespace mlir::fuse::emu {

/// One for each host thread of the launch; those between blocks need there to
/// be only one.
class Checker {
public:
  explicit Checker(Launch &launch);
  void startCluster(Cluster &cluster);
  /// After the last instruction of a cluster.
  void finishCluster() { settle(nullptr); }
  /// After the last cluster.
  void collect(AccessedBytes &accessed) const;

  /// Called for every access after its bounds are known to be good.
  void shared(Warp &w, const Inst &i, uint32_t mask, const uint64_t *addresses,
              unsigned bytes, AccessKind kind);
  void global(Warp &w, const Inst &i, uint32_t mask, const uint64_t *addresses,
              unsigned bytes, AccessKind kind);
  void local(Warp &w, const Inst &i, uint32_t mask, const uint64_t *addresses,
             unsigned bytes, AccessKind kind);
  /// Bytes of one thread's frame that were written without an access.
  void localWritten(const Warp &w, unsigned lane, uint64_t at, uint64_t bytes);

  void arriveBarrier(Warp &w, const Inst &i, uint32_t mask, unsigned id);
  void acquireBarrier(Warp &w, unsigned id);
  void resetBarrier(const Block &block, unsigned id);
  /// The same for the barrier of the cluster, by parity of its phase.
  void arriveCluster(Warp &w, const Inst &i, uint32_t mask, uint32_t phase);
  void acquireCluster(Warp &w, uint32_t phase);
  void resetCluster(uint32_t phase);
  /// Order through a variable: an atomic or an mbarrier.
  void release(Warp &w, uint64_t variable);
  void acquire(Warp &w, uint64_t variable);
  void mbarrier(Warp &w, const Inst &i, unsigned lane, const void *cell,
                unsigned action);

  void copyStarted(Warp &w, uint32_t mask, const uint64_t *to, unsigned bytes);
  void commitGroup(Warp &w, uint32_t mask);
  void waitGroups(Warp &w, uint32_t mask, uint32_t mayStayOpen, bool all);
  /// The copies that the thread started complete on an mbarrier, in the phase
  /// that it is in: the cp.async of the thread, or the bulk copy just made.
  void copiesArriveOn(Warp &w, unsigned lane, const uint64_t *cell,
                      uint32_t phase);
  void bulkArrivesOn(const uint64_t *cell, uint32_t phase);
  /// A wait for the end of `phase` of an mbarrier succeeded.
  void waited(Warp &w, const uint64_t *cell, uint32_t phase);

private:
  /// By warp of the cluster.
  using Clock = std::vector<uint32_t>;
  /// Of one byte of shared memory; warps are stored plus one.
  struct SharedByte {
    uint16_t writer = 0, reader = 0;
    bool written = false, pending = false, mbarrier = false;
    bool strongWrite = false, strongReads = true; ///< Reads since the write.
    uint32_t writeClock = 0, readClock = 0, writeLine = 0;
    int32_t readers = -1; ///< In `manyReaders`, once there are several.
  };
  struct Copy {
    uint64_t at;
    unsigned bytes;
  };
  /// Open cp.async groups of one thread; the last is not yet committed.
  struct Copies {
    std::vector<std::vector<Copy>> groups{{}};
  };
  /// A write over an unordered write, a finding only if the value changes,
  /// which is known once the instruction is done.
  struct Suspect {
    const Warp *warp;
    uint32_t fuel; ///< Of the warp: tells the instruction.
    const uint8_t *at;
    unsigned bytes;
    uint32_t old;
    FindingKind kind;
    uint32_t line;
    uint64_t cluster;
    std::string text;
  };
  void suspect(Warp &w, const Inst &i, unsigned lane, const uint8_t *at,
               unsigned bytes, FindingKind kind, const std::string &what);
  /// Not those of the instruction that `current` is executing.
  void settle(const Warp *current);
  bool on(Check check) const { return launch.options->checks & check; }
  bool before(const Warp &w, uint16_t warp, uint32_t clock) const {
    return warp == 0 || warp == w.order + 1 ||
           clocks[w.order][warp - 1] >= clock;
  }
  void arrive(Warp &w, const Inst &i, uint32_t mask, Clock &clock);
  /// Index into `bytes` of a shared address of the warp's block.
  uint64_t byteOf(const Warp &w, uint64_t address) const {
    uint64_t rank = address >> sharedRankShift;
    return (rank ? rank - 1 : w.block->rank) * launch.sharedBytes +
           (address & sharedOffsetMask);
  }
  std::string sharedName(uint64_t at) const {
    return describeShared(*launch.program, at % launch.sharedBytes);
  }
  std::string warpName(const Warp &w, uint16_t other) const;
  void readShared(Warp &w, const Inst &i, unsigned lane, uint64_t at);
  void writeShared(Warp &w, const Inst &i, unsigned lane, uint64_t at);
  void recordRead(Warp &w, const Inst &i, SharedByte &byte);
  uint16_t unorderedReader(const Warp &w, const SharedByte &byte) const;
  std::string sharedRace(const Warp &w, uint64_t at, const char *what,
                         uint16_t other, uint32_t line) const;
  void setPending(const Copy &copy, bool pending, const Warp *writer);

  size_t allocationOf(uint64_t address) const;
  void orderBlocks(Warp &w, uint64_t address, bool acquires, bool releases);
  void globalUninit(Warp &w, const Inst &i, unsigned lane, size_t index,
                    uint64_t at, unsigned count, AccessKind kind);
  uint32_t accessBytes(Warp &w, const Inst &i, unsigned lane, uint64_t at,
                       unsigned count, uint32_t entry, AccessKind kind);
  void globalBytes(Warp &w, const Inst &i, unsigned lane, size_t index,
                   uint64_t at, unsigned count, AccessKind kind);
  void readWord(const Warp &w, GlobalWord &word, uint8_t mask) const;
  void globalWords(Warp &w, const Inst &i, unsigned lane, uint64_t at,
                   unsigned count, AccessKind kind);

  Launch &launch;
  std::vector<Suspect> suspects;
  std::vector<SharedByte> bytes;
  std::vector<Clock> manyReaders;
  std::vector<Clock> clocks;        ///< By warp.
  std::vector<Clock> barrierClocks; ///< 16 for each block of the cluster.
  Clock clusterClocks[2];           ///< By parity of the phase.
  std::unordered_map<uint64_t, Clock> variables;
  std::vector<Copies> copies; ///< By thread.
  /// Written bytes of local memory, as bits by warp and lane.
  std::vector<uint64_t> localBits;

  std::vector<Copy> bulk; ///< Of the bulk copy that is being made.
  struct Arrival {
    uint32_t phase;
    std::vector<Copy> copies;
  };
  std::unordered_map<const uint64_t *, std::vector<Arrival>> arrivals;

  /// Of each word of an allocation, or where its bytes differ of each of them
  /// in `splitWords`: the block that wrote it last (15 bits),
  /// whether after its first release, and the first that read it since (16).
  /// Blocks are numbers modulo 32767 plus one.
  std::vector<std::unique_ptr<uint32_t[]>> touched;
  std::unordered_map<uint64_t, std::array<uint32_t, 4>> splitWords;
  /// Blocks (likewise) as bit sets: those that released through a variable, and
  /// those that had released before, so that what they wrote late is ordered.
  struct BlockSet {
    std::vector<uint64_t> once, again;
    void add(uint32_t block, bool isAgain);
    void merge(const BlockSet &other);
    bool has(uint32_t block, bool late) const;
  };
  std::unordered_map<uint64_t, BlockSet> releasers;
  std::vector<BlockSet> orderedBefore; ///< By rank in the cluster.
  std::vector<uint32_t> releases;      ///< Likewise: instructions so far.
  std::vector<uint32_t> numbers;       ///< Likewise.
  WordTable words;
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_CHECKER_H
