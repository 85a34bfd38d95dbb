// Launch and sectors of a kernel: which reads there are, and the sums over
// them. A packed kernel is the sum of its parts.
#include "CountScratch.h"

#include "fuse-mlir/CostModel/AttentionTraffic.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

LaunchShape cost::getLaunch(const KernelView &kernel) {
  return chooseLaunch(*kernel.shape, TypeRange(ValueRange(kernel.inputs)),
                      TypeRange(ValueRange(kernel.outputs)));
}

/// Marks what reductions of `ops` need, views looked through: the loops of all
/// threads read it, where other values are read only to be stored.
static void findReduced(ArrayRef<const NumberedOp *> ops, OpFactsCache &cache) {
  ValueMap<bool> &needed = cache.scratch->reduced;
  for (const NumberedOp *op : llvm::reverse(ops)) {
    bool needs =
        op->facts->root || llvm::any_of(op->getResults(), [&](unsigned result) {
          return needed.find(result);
        });
    if (!needs)
      continue;
    for (unsigned base : op->getBases())
      needed[base] = true;
    for (unsigned table : op->getTables())
      needed[table] = true;
  }
}

double cost::getElementsSideBySide(const GroupShape &shape,
                                   const LaunchShape &launch) {
  int64_t positions = launch.positions / launch.steps;
  if (hasRows(shape) && launch.isLooped(shape.path))
    positions = getUnroll(shape, launch.vector, positions);
  return double(positions * launch.vector);
}

/// `expr.isFunctionOfDim(position)`, without a look into the context.
static bool usesDim(AffineExpr expr, unsigned position) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == position;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  return binary && (usesDim(binary.getLHS(), position) ||
                    usesDim(binary.getRHS(), position));
}

static HeldWords getHeldWords(const KernelView &kernel,
                              const LaunchShape &launch) {
  const GroupShape &shape = *kernel.shape;
  double chunks = getElementsSideBySide(shape, launch) / double(launch.vector);
  auto getWords = [&](Value value) {
    int64_t bytes = launch.vector * getElementBytes(value.getType());
    return std::max(1.0, double(bytes) / 4);
  };
  HeldWords held;
  double conditional = 0;
  for (const LeafAccess &access : shape.accesses) {
    bool perColumn = usesDim(access.linear, 1);
    if (!perColumn && !usesDim(access.linear, 0))
      continue; // The same for all elements.
    double words = hasRows(shape) && !perColumn ? 1 : getWords(access.value);
    if (access.guards.empty())
      held.read += words;
    else
      conditional = std::max(conditional, words);
  }
  held.read = chunks * (held.read + conditional);
  for (Value output : kernel.outputs)
    held.written += chunks * getWords(output);
  return held;
}

namespace {
/// The distinct reads of a kernel's inputs, part by part.
class Reads {
public:
  /// `given` are the numbers of `values`.
  Reads(ArrayRef<Value> values, ArrayRef<unsigned> given, OpFactsCache &cache)
      : cache(cache), inputs(cache.scratch->reads), values(values) {
    inputs.clear(cache.getNumValues());
    for (auto [value, number] : llvm::zip_equal(values, given)) {
      bases.push_back(cache.getValue(number).view
                          ? cache.getNumber(lookThroughViews(value))
                          : number);
      inputs[bases.back()];
    }
  }

  /// Those of `ops` as `shape` says, which is no packed one.
  ArrayRef<PlacedRead> find(const GroupShape &shape,
                            ArrayRef<const NumberedOp *> ops) {
    reads.clear();
    next = 0;
    cache.scratch->reduced.clear(cache.getNumValues());
    if (hasRows(shape))
      findReduced(ops, cache);
    for (const LeafAccess &access : shape.accesses)
      add(access, shape.runTimeIndices);
    ++part;
    return reads;
  }
  /// Whether the data say where one of them is.
  bool isDataDependent() const { return dataDependent; }

private:
  /// The number under the views of `value`. Most shapes list accesses in the
  /// order of the inputs.
  unsigned getBase(Value value) {
    if (next < values.size() && values[next] == value)
      return bases[next++];
    return cache.getNumber(lookThroughViews(value));
  }

  void add(const LeafAccess &access, ArrayRef<RunTimeIndex> indices) {
    unsigned base = getBase(access.value);
    InputReads *known = inputs.find(base);
    if (!known)
      return;
    if (known->part != part) {
      *known = {known->distinct, part, access.linear};
    } else {
      auto isSame = [&](const PlacedRead &read) {
        return read.base == base && read.access->linear == access.linear;
      };
      if (known->first == access.linear ||
          (known->several && llvm::any_of(reads, isSame)))
        return;
      known->several = true;
    }
    for (auto [i, index] : llvm::enumerate(indices))
      dataDependent |= !index.loopOf && access.linear.isFunctionOfSymbol(i);
    PlacedRead &read = reads.emplace_back();
    read.access = &access;
    read.indices = indices;
    read.onlyStored = !cache.scratch->reduced.find(base);
    read.base = base;
  }

  OpFactsCache &cache;
  ValueMap<InputReads> &inputs;
  /// The inputs, and their numbers under the views.
  ArrayRef<Value> values;
  SmallVector<unsigned, 16> bases;
  /// The input that the next access may be to.
  size_t next = 0;
  SmallVector<PlacedRead, 16> reads;
  unsigned part = 0;
  bool dataDependent = false;
};
} // namespace

static void addTraffic(KernelTraffic &sum, const KernelTraffic &traffic) {
  sum.loads += traffic.loads;
  sum.stores += traffic.stores;
  llvm::append_range(sum.reads, traffic.reads);
  sum.uniqueLoads += traffic.uniqueLoads - traffic.repeatedLoads;
  sum.uniqueStores += traffic.uniqueStores;
}

/// Scratch memory counts once written and once read.
static void addScratch(KernelCounts &counts, const LaunchShape &launch) {
  double bytes = double(launch.scratchBytes);
  counts.bytesRead += bytes;
  counts.bytesReadSparsely += bytes;
  counts.bytesWritten += bytes;
}

static PartCounts countPart(const KernelView &kernel, const KernelPart &part,
                            const LaunchShape &launch,
                            const KernelTraffic &traffic, OpFactsCache &cache) {
  llvm::SmallDenseSet<Value, 16> read;
  for (Operation *op : part.ops)
    for (Value operand : op->getOperands())
      read.insert(lookThroughViews(operand));
  PartCounts own;
  llvm::copy_if(kernel.inputs, std::back_inserter(own.inputs),
                [&](Value input) { return read.contains(input); });
  own.counts =
      countKernel({part.ops, own.inputs, part.outputs, &part.shape}, &cache);
  // With as many threads as all parts have, and what these ask for.
  own.counts.launch = launch;
  own.counts.traffic = traffic;
  own.counts.held =
      getHeldWords({part.ops, own.inputs, part.outputs, &part.shape}, launch);
  return own;
}

void cost::countSectors(const KernelView &kernel, const KernelFacts &facts,
                        OpFactsCache &cache, KernelCounts &counts) {
  const GroupShape &shape = *kernel.shape;
  Reads reads(kernel.inputs, facts.inputs, cache);
  if (shape.path != KernelPath::Packed) {
    counts.launch = getLaunch(kernel);
    counts.held = getHeldWords(kernel, *counts.launch);
    counts.traffic =
        shape.path == KernelPath::Attention
            ? countAttention(shape, *counts.launch, kernel.inputs,
                             kernel.outputs)
            : countTraffic(shape, *counts.launch, reads.find(shape, facts.ops),
                           kernel.outputs, cache);
    addScratch(counts, *counts.launch);
    counts.staticInstructions *= getElementsSideBySide(shape, *counts.launch);
    counts.dataDependent = reads.isDataDependent();
    return;
  }
  counts.staticInstructions = 0;
  SmallVector<LaunchShape> launches = choosePartLaunches(shape);
  LaunchShape all;
  all.grid = 0;
  SmallVector<KernelTraffic> traffic;
  for (auto [part, launch] : llvm::zip(shape.parts, launches)) {
    auto own = llvm::map_to_vector<16>(
        part.ops, [&](Operation *op) { return &cache.get(op); });
    traffic.push_back(countTraffic(
        part.shape, launch, reads.find(part.shape, own), part.outputs, cache));
    addTraffic(counts.traffic, traffic.back());
    addScratch(counts, launch);
    double lanes = getElementsSideBySide(part.shape, launch);
    for (const NumberedOp *op : own)
      counts.staticInstructions += op->facts->work.instructions * lanes;
    all.grid += launch.grid;
    all.threads = std::max(all.threads, launch.threads);
    all.scratchBytes += launch.scratchBytes;
    all.stagedBytes = std::max(all.stagedBytes, launch.stagedBytes);
  }
  counts.launch = all;
  counts.dataDependent = reads.isDataDependent();
  // Last: it needs the scratch memory of the walk.
  for (auto [part, launch, own] : llvm::zip(shape.parts, launches, traffic))
    counts.parts.push_back(countPart(kernel, part, launch, own, cache));
}
