//===- CacheState.h - Sets of lines, and the replay of a wave -----*- C++ -*-=//
//
// Blocks run in parallel and record their requests; the caches see them
// afterwards, in one order that depends on the program alone.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_CACHESTATE_H
#define FUSE_LIB_EMULATOR_CACHESTATE_H

#include "fuse-mlir/Emulator/Caches.h"

#include <vector>

namespace mlir::fuse::emu {

/// How a request uses the caches. `LoadL2` goes past L1 (`.cg`, `.cv`,
/// volatile, relaxed, bulk copies).
enum class LineKind : uint8_t { Load, LoadL2, Store, Atomic };

/// One line of one request: number of the 128-byte line, kind, mask of its
/// sectors, and whether the request ends here.
struct LineAccess {
  uint64_t bits;
  static LineAccess pack(uint64_t line, LineKind kind, uint32_t sectors) {
    return {line << 8 | uint64_t(kind) << 4 | sectors};
  }
  uint64_t line() const { return bits >> 8; }
  LineKind kind() const { return LineKind((bits >> 4) & 3); }
  uint32_t sectors() const { return bits & 15; }
  bool isLast() const { return bits & 64; }
  void setLast() { bits |= 64; }
};

/// The requests of each warp of a cluster of blocks, in the warp's order; all
/// blocks have the same number of warps.
struct RequestTrace {
  std::vector<std::vector<LineAccess>> warps;
  uint64_t bytes() const {
    uint64_t total = 0;
    for (const auto &warp : warps)
      total += warp.size() * sizeof(LineAccess);
    return total;
  }
};

/// Lines with a mask of valid and of dirty sectors. The number of sets is a
/// power of two, with 16 to 31 ways of least recent use each; aligned runs of
/// lines spread evenly over the sets.
class LineCache {
public:
  explicit LineCache(uint64_t bytes);

  struct Result {
    uint32_t hits;    ///< Mask of the sectors that were valid.
    uint32_t evicted; ///< Number of dirty sectors that had to leave.
    uint32_t clean;   ///< Number of sectors of `sectors` that were not dirty.
    bool filled;      ///< The line was not there.
  };
  /// Makes `sectors` of `line` valid, and dirty if `dirty`.
  Result access(uint64_t line, uint32_t sectors, bool dirty);
  /// Forgets sectors; the number of those that were dirty.
  uint32_t drop(uint64_t line, uint32_t sectors);
  void clear();
  uint64_t capacity() const { return entries.size(); }
  uint64_t occupied() const { return numOccupied; }

private:
  uint64_t *setOf(uint64_t line);
  uint64_t numOccupied = 0;
  unsigned ways;
  uint64_t numSets;
  unsigned setBits;
  std::vector<uint64_t> entries; ///< Per set, by time of use: line and masks.
};

/// What sampled waves add up to, and what L2's later state follows from.
struct WaveTraffic : CacheTraffic {
  uint64_t filledLines = 0; ///< Lines that L2 did not have.
  uint64_t dirtied = 0;     ///< Sectors that became dirty in L2.
};

class CacheState {
public:
  explicit CacheState(const DeviceShape &shape)
      : shape(shape), l2(shape.l2Bytes) {}

  /// A kernel starts: every L1 is empty, with `l1Bytes` each.
  void startKernel(uint64_t l1Bytes);
  /// Replays clusters `first`, `first` + 1, ... of `size` blocks: each warp
  /// issues one request in turn. Block b is on SM b modulo their number.
  void replay(const std::vector<RequestTrace> &clusters, uint64_t first,
              unsigned size, WaveTraffic &traffic);
  /// Sets the write-backs and the dirty rest of a launch. Where `traffic` was
  /// scaled up from a sample, they follow from the lines that it would have
  /// filled: those of least recent use leave first.
  void finishKernel(bool isSampled, WaveTraffic &traffic) const;
  void hostWrote(uint64_t line, uint32_t sectors);
  void deviceWrote(uint64_t line, uint32_t sectors);
  const DeviceShape &getShape() const { return shape; }

private:
  void request(LineAccess access, LineCache &l1, WaveTraffic &traffic);
  void readL2(uint64_t line, uint32_t sectors, WaveTraffic &traffic);
  void writeL2(uint64_t line, uint32_t sectors, WaveTraffic &traffic);

  DeviceShape shape;
  LineCache l2;
  std::vector<LineCache> l1; ///< By SM.
  uint64_t l1Bytes = 0, dirty = 0;
  uint64_t dirtyAtStart = 0, linesAtStart = 0; ///< Of the running kernel.
};

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_CACHESTATE_H
