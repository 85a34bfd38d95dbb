// Launch and sectors of a kernel: which reads there are, and the sums over
// them. A packed kernel is the sum of its parts.
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

LaunchShape cost::getLaunch(const KernelView &kernel) {
  return chooseLaunch(*kernel.shape, TypeRange(ValueRange(kernel.inputs)),
                      TypeRange(ValueRange(kernel.outputs)));
}

namespace {
/// The distinct reads of a kernel's inputs.
class Reads {
public:
  explicit Reads(ArrayRef<Value> inputs) {
    for (Value input : inputs)
      bases.insert(lookThroughViews(input));
  }

  void add(const std::vector<LeafAccess> &accesses,
           ArrayRef<RunTimeIndex> indices) {
    for (const LeafAccess &access : accesses) {
      Value base = lookThroughViews(access.value);
      if (bases.contains(base) && seen.insert({base, access.linear}).second)
        reads.push_back({&access, indices});
    }
  }

  ArrayRef<PlacedAccess> get() const { return reads; }

private:
  llvm::SmallDenseSet<Value, 8> bases;
  llvm::SmallDenseSet<std::pair<Value, AffineExpr>, 8> seen;
  SmallVector<PlacedAccess, 8> reads;
};
} // namespace

/// Sectors of `shape`, which is no packed one.
static KernelTraffic countShape(const GroupShape &shape,
                                const LaunchShape &launch,
                                ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                                TrafficCache &cache) {
  Reads reads(inputs);
  reads.add(shape.accesses, shape.runTimeIndices);
  return countTraffic(shape, launch, reads.get(), outputs, cache);
}

static void addTraffic(KernelTraffic &sum, const KernelTraffic &traffic) {
  sum.loads += traffic.loads;
  sum.stores += traffic.stores;
  sum.blockLoads += traffic.blockLoads;
  sum.blockBytes = std::max(sum.blockBytes, traffic.blockBytes);
  sum.uniqueLoads += traffic.uniqueLoads;
  sum.uniqueStores += traffic.uniqueStores;
}

/// Scratch memory counts once written and once read.
static void addScratch(KernelCounts &counts, const LaunchShape &launch) {
  double bytes = double(launch.scratchBytes);
  counts.bytesRead += bytes;
  counts.bytesReadSparsely += bytes;
  counts.bytesWritten += bytes;
}

void cost::countSectors(const KernelView &kernel, OpFactsCache &cache,
                        KernelCounts &counts) {
  const GroupShape &shape = *kernel.shape;
  if (shape.path != KernelPath::Packed) {
    counts.launch = getLaunch(kernel);
    counts.traffic = countShape(shape, *counts.launch, kernel.inputs,
                                kernel.outputs, cache.traffic);
    addScratch(counts, *counts.launch);
    return;
  }
  SmallVector<LaunchShape> launches = choosePartLaunches(shape);
  LaunchShape all;
  all.grid = 0;
  for (auto [part, launch] : llvm::zip(shape.parts, launches)) {
    addTraffic(counts.traffic, countShape(part.shape, launch, kernel.inputs,
                                          part.outputs, cache.traffic));
    addScratch(counts, launch);
    all.grid += launch.grid;
    all.threads = std::max(all.threads, launch.threads);
    all.scratchBytes += launch.scratchBytes;
    all.stagedBytes = std::max(all.stagedBytes, launch.stagedBytes);
  }
  counts.launch = all;
}
