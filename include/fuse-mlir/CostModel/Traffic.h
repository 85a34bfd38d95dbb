// 32-byte sectors that the warps of a kernel ask for, counted over the access
// maps and the layout that the kernel would be given.
#ifndef FUSE_MLIR_COSTMODEL_TRAFFIC_H
#define FUSE_MLIR_COSTMODEL_TRAFFIC_H

#include "fuse-mlir/Analysis/LaunchShape.h"

#include <unordered_map>
#include <vector>

namespace mlir::fuse::cost {

/// Bytes of a sector: what one access of a warp to global memory is counted in.
inline constexpr int64_t kSectorBytes = 32;

/// Whether the space of `shape` has rows that threads share.
bool hasRows(const GroupShape &shape);

/// One read of a kernel, as L1 sees it.
struct ReadTraffic {
  /// Sectors that warps ask for; of these, those that no earlier load of the
  /// same block asked for; and the distinct ones of the value.
  double loads = 0, blockLoads = 0, uniqueLoads = 0;
  /// Bytes of the lines that a block touches; 0 if the read passes by L1.
  double blockBytes = 0;
  /// In a tile's loop along the sums: what is read after it comes later.
  bool inLoop = false;
};

/// Sectors of all accesses of a kernel to global memory. Sums over accesses.
struct KernelTraffic {
  /// Sectors that the warps' loads and stores ask for, each access of a warp by
  /// itself.
  double loads = 0, stores = 0;
  /// Each read of the inputs; a few loads (scratch memory) belong to none.
  SmallVector<ReadTraffic, 4> reads;
  /// Distinct sectors, a value counting at most as a whole.
  double uniqueLoads = 0, uniqueStores = 0;
  /// Of the distinct loads of a part, those that parts before it counted.
  double repeatedLoads = 0;
};

/// An access and what its symbols are.
struct PlacedAccess {
  const LeafAccess *access = nullptr;
  ArrayRef<RunTimeIndex> indices;
  /// A load that no reduction needs: it runs where its result is stored.
  bool onlyStored = false;
};

/// An access to an input of a kernel; `base` is the input's number in
/// `OpFactsCache`.
struct PlacedRead : PlacedAccess {
  unsigned base = 0;
};

/// Sectors of one access of a kernel.
struct AccessTraffic {
  double requested = 0, inBlock = 0, blockBytes = 0;
};

/// What the tiles of a factor ask of one tensor, all of them once.
struct TileTraffic {
  double sectors = 0;
  /// The part of a tile's sectors that is asked for the first time, and bytes
  /// of a tile; 1 and 0 of what passes L1 by.
  double distinct = 1, tileBytes = 0;
};

/// Accesses that were counted already: in one context, of any kernels. Not
/// thread-safe.
struct TrafficCache {
  struct Hash {
    size_t operator()(const std::vector<int64_t> &key) const;
  };
  std::unordered_map<std::vector<int64_t>, AccessTraffic, Hash> known;
  std::unordered_map<std::vector<int64_t>, TileTraffic, Hash> knownTiles;
  /// Sectors of stores by the type and the index of the output.
  std::unordered_map<std::vector<int64_t>, double, Hash> knownStores;
  /// Room for the key of a look-up.
  std::vector<int64_t> key;
};

/// How often, and for how many sectors, the warps of a kernel of `shape` and
/// `launch` access a tensor of `elementBytes` at `accesses`; as a load (which
/// every thread of a row runs, at places moved into the space) or as a store
/// (which only owners run). Several loads are those of a thread side by side
/// (outside of its loops, and of the same dimensions of the space): it loads
/// each element once, and neighbours together.
///
/// A few blocks, the warps of each and a few iterations of a loop are looked
/// at, chosen by position, and scaled to all. Whole numbers, so that sums do
/// not depend on their order.
AccessTraffic countAccess(const GroupShape &shape, const LaunchShape &launch,
                          ArrayRef<PlacedAccess> accesses, int64_t elementBytes,
                          bool isStore, TrafficCache &cache);

class OpFactsCache;

/// The sectors of the whole kernel with these reads and outputs.
KernelTraffic countTraffic(const GroupShape &shape, const LaunchShape &launch,
                           ArrayRef<PlacedRead> reads, ArrayRef<Value> outputs,
                           OpFactsCache &cache);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_TRAFFIC_H
