//===- Checker.h - Races, uninitialised reads, misuse -------------*- C++ -*-=//
//
// Follows one launch access by access. Shared memory: vector clocks over the
// warps of a cluster, joined by barriers, mbarriers and atomics. Global memory:
// which block wrote and read a byte, with blocks ordered by the atomics they
// share. What is unordered is a finding; what cannot be told is none.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_CHECKER_H
#define FUSE_LIB_EMULATOR_CHECKER_H

#include "Access.h"

#include <memory>
#include <unordered_map>

namespace mlir::fuse::emu {

class Checker {
public:
  explicit Checker(Launch &launch);
  void startCluster(Cluster &cluster);

  /// Called for every access after its bounds are known to be good.
  void shared(Warp &w, const Inst &i, uint32_t mask, const uint64_t *addresses,
              unsigned bytes, AccessKind kind);
  void global(Warp &w, const Inst &i, uint32_t mask, const uint64_t *addresses,
              unsigned bytes, AccessKind kind);

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

private:
  /// By warp of the cluster.
  using Clock = std::vector<uint32_t>;
  /// Of one byte of shared memory; warps are stored plus one.
  struct SharedByte {
    uint16_t writer = 0, reader[2] = {0, 0};
    bool written = false, pending = false, mbarrier = false, strong = false;
    uint32_t writeClock = 0, readClock[2] = {0, 0};
    uint32_t writeLine = 0;
  };
  struct Copy {
    uint64_t at;
    unsigned bytes;
  };
  /// Open cp.async groups of one thread; the last is not yet committed.
  struct Copies {
    std::vector<std::vector<Copy>> groups{{}};
  };
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
  void readShared(Warp &w, const Inst &i, unsigned lane, uint64_t at);
  void writeShared(Warp &w, const Inst &i, unsigned lane, uint64_t at);
  [[noreturn]] void sharedRace(Warp &w, const Inst &i, unsigned lane,
                               uint64_t at, const char *what, uint16_t other,
                               uint32_t line);
  size_t allocationOf(uint64_t address) const;
  void globalByte(Warp &w, const Inst &i, unsigned lane, size_t index,
                  uint64_t at, AccessKind kind);

  Launch &launch;
  std::vector<SharedByte> bytes;
  std::vector<Clock> clocks;        ///< By warp.
  std::vector<Clock> barrierClocks; ///< 16 for each block of the cluster.
  Clock clusterClocks[2];           ///< By parity of the phase.
  std::unordered_map<uint64_t, Clock> variables;
  std::vector<Copies> copies; ///< By thread.

  /// Writer (high) and reader (low half) of each byte of an allocation, as
  /// block number modulo 65535 plus one.
  std::vector<std::unique_ptr<uint32_t[]>> touched;
  /// Blocks (likewise) that used an atomic variable, as bit sets.
  using BlockSet = std::vector<uint64_t>;
  std::unordered_map<uint64_t, BlockSet> atomicUsers;
  std::vector<BlockSet> orderedBefore; ///< By rank in the cluster.
  std::vector<uint32_t> numbers;       ///< Likewise.
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_CHECKER_H
