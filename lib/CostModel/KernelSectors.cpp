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
  Reads(ArrayRef<Value> inputs, const llvm::DenseSet<Value> &reduced)
      : reduced(reduced) {
    for (Value input : inputs)
      bases.insert(lookThroughViews(input));
  }

  void add(const std::vector<LeafAccess> &accesses,
           ArrayRef<RunTimeIndex> indices) {
    for (const LeafAccess &access : accesses) {
      Value base = lookThroughViews(access.value);
      if (bases.contains(base) && seen.insert({base, access.linear}).second)
        reads.push_back({&access, indices, !reduced.contains(base)});
    }
  }

  ArrayRef<PlacedAccess> get() const { return reads; }

private:
  const llvm::DenseSet<Value> &reduced;
  llvm::SmallDenseSet<Value, 8> bases;
  llvm::SmallDenseSet<std::pair<Value, AffineExpr>, 8> seen;
  SmallVector<PlacedAccess, 8> reads;
};
} // namespace

/// What reductions of `ops` need, views looked through: the loops of all
/// threads read it, where other values are read only to be stored.
static llvm::DenseSet<Value> findReduced(ArrayRef<Operation *> ops,
                                         OpFactsCache &cache) {
  llvm::DenseSet<Value> needed;
  for (Operation *op : llvm::reverse(ops)) {
    bool needs = isRootOp(op) || llvm::any_of(op->getResults(), [&](Value v) {
                   return needed.contains(v);
                 });
    if (!needs)
      continue;
    for (Value operand : op->getOperands())
      needed.insert(lookThroughViews(operand));
    for (Value table : cache.get(op).tables)
      needed.insert(table);
  }
  return needed;
}

/// Sectors of `shape`, which is no packed one.
static KernelTraffic countShape(const GroupShape &shape,
                                ArrayRef<Operation *> ops,
                                const LaunchShape &launch,
                                ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                                OpFactsCache &cache) {
  llvm::DenseSet<Value> reduced;
  if (hasRows(shape))
    reduced = findReduced(ops, cache);
  Reads reads(inputs, reduced);
  reads.add(shape.accesses, shape.runTimeIndices);
  return countTraffic(shape, launch, reads.get(), outputs, cache.traffic);
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
    counts.traffic = countShape(shape, kernel.ops, *counts.launch,
                                kernel.inputs, kernel.outputs, cache);
    addScratch(counts, *counts.launch);
    return;
  }
  SmallVector<LaunchShape> launches = choosePartLaunches(shape);
  LaunchShape all;
  all.grid = 0;
  for (auto [part, launch] : llvm::zip(shape.parts, launches)) {
    addTraffic(counts.traffic, countShape(part.shape, part.ops, launch,
                                          kernel.inputs, part.outputs, cache));
    addScratch(counts, launch);
    all.grid += launch.grid;
    all.threads = std::max(all.threads, launch.threads);
    all.scratchBytes += launch.scratchBytes;
    all.stagedBytes = std::max(all.stagedBytes, launch.stagedBytes);
  }
  counts.launch = all;
}
