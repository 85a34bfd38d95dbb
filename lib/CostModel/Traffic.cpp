// Counts the sectors that a kernel's warps ask for. The accesses of a few
// blocks are evaluated lane by lane; equal accesses of equal launches are
// looked at once.
#include "AccessCounter.h"
#include "CountScratch.h"

#include "fuse-mlir/CostModel/TiledContraction.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

size_t TrafficCache::Hash::operator()(const std::vector<int64_t> &key) const {
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(key.data()),
               key.size() * sizeof(int64_t)));
}

bool cost::hasRows(const GroupShape &shape) {
  return shape.path == KernelPath::Row || shape.path == KernelPath::Column ||
         shape.path == KernelPath::Mixed;
}

static int64_t getNumber(AffineExpr expr) {
  return int64_t(reinterpret_cast<intptr_t>(expr.getAsOpaquePointer()));
}

/// What the count of any access depends on.
static void startKey(std::vector<int64_t> &key, const GroupShape &shape,
                     const LaunchShape &launch) {
  key.assign({int64_t(shape.path), shape.rows, shape.columns, launch.grid,
              launch.threads, launch.positions, launch.vector,
              launch.threadsPerRow, launch.rowsPerBlock, launch.shift,
              launch.parts, launch.steps});
  for (const BoxAxis &axis : shape.axes)
    key.insert(key.end(), {axis.size, axis.stride, axis.extent});
  if (launch.tile)
    key.insert(key.end(),
               {launch.tile->rows, launch.tile->columns, launch.tile->rowWarps,
                launch.tile->columnWarps, launch.tile->group,
                launch.tile->parts, int64_t(launch.downRows),
                shape.contractions.front().rows});
}

/// Everything that the count depends on.
static void makeKey(std::vector<int64_t> &key, const GroupShape &shape,
                    const LaunchShape &launch, ArrayRef<PlacedAccess> places,
                    int64_t elementBytes, bool isStore) {
  const PlacedAccess &place = places.front();
  const LeafAccess &access = *place.access;
  startKey(key, shape, launch);
  key.insert(key.end(),
             {elementBytes, int64_t(isStore), int64_t(place.onlyStored),
              int64_t(hasFullOutput(shape))});
  const BoxOperand *boxed = findBoxed(shape, access, isStore);
  llvm::append_range(key, boxed ? boxed->order : shape.order);
  for (const PlacedAccess &other : places) {
    key.insert(key.end(), {getNumber(other.access->linear), -1});
    for (auto &[expr, size] : other.access->guards)
      key.insert(key.end(), {getNumber(expr), size});
  }
  for (auto [i, index] : llvm::enumerate(place.indices)) {
    if (!access.linear.isFunctionOfSymbol(i) && !index.loopOf)
      continue;
    Operation *const *root = llvm::find(shape.roots, index.loopOf);
    key.insert(key.end(), {int64_t(i), index.size,
                           index.loopOf   ? root - shape.roots.begin()
                           : index.perRow ? -2
                                          : -1});
  }
}

AccessTraffic cost::countAccess(const GroupShape &shape,
                                const LaunchShape &launch,
                                ArrayRef<PlacedAccess> accesses,
                                int64_t elementBytes, bool isStore,
                                TrafficCache &cache) {
  makeKey(cache.key, shape, launch, accesses, elementBytes, isStore);
  auto it = cache.known.find(cache.key);
  if (it != cache.known.end())
    return it->second;
  std::vector<int64_t> key = cache.key;
  AccessTraffic traffic =
      AccessCounter(shape, launch, accesses, elementBytes, isStore).run();
  cache.known.emplace(std::move(key), traffic);
  return traffic;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Sectors of the whole of `value`.
static double getWholeSectors(const ValueFacts &value) {
  return std::ceil(value.getBytes().value_or(0) / double(kSectorBytes));
}

/// Where an output is stored: at the thread's own element if the shape does not
/// say.
static LeafAccess getStore(const GroupShape &shape, unsigned number,
                           Value output) {
  LeafAccess access;
  access.value = output;
  MLIRContext *context = output.getContext();
  auto type = cast<RankedTensorType>(output.getType());
  if (shape.outputs.empty()) {
    access.linear = getAffineDimExpr(0, context);
    if (type.getNumElements() == shape.rows * shape.columns)
      access.linear =
          access.linear * shape.columns + getAffineDimExpr(1, context);
    return access;
  }
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(shape.rows),
                 IndexRange::ofSize(shape.columns)};
  access.linear =
      linearize(context, shape.outputs[number].index, type.getShape(), ranges);
  return access;
}

static double countStore(const GroupShape &shape, const LaunchShape &launch,
                         unsigned number, Value output, TrafficCache &cache) {
  startKey(cache.key, shape, launch);
  cache.key.push_back(int64_t(
      reinterpret_cast<intptr_t>(output.getType().getAsOpaquePointer())));
  if (!shape.outputs.empty())
    for (AffineExpr expr : shape.outputs[number].index)
      cache.key.push_back(getNumber(expr));
  auto it = cache.knownStores.find(cache.key);
  if (it != cache.knownStores.end())
    return it->second;
  std::vector<int64_t> key = cache.key;
  LeafAccess access = getStore(shape, number, output);
  double sectors =
      countAccess(shape, launch, PlacedAccess{&access, {}},
                  getElementBytes(output.getType()), /*isStore=*/true, cache)
          .requested;
  cache.knownStores.emplace(std::move(key), sectors);
  return sectors;
}

/// Ranges of what places are made of.
static IndexRanges getRanges(const GroupShape &shape,
                             ArrayRef<PlacedRead> reads) {
  IndexRanges ranges;
  ranges.dims = {IndexRange::ofSize(shape.rows),
                 IndexRange::ofSize(shape.columns)};
  if (!reads.empty())
    for (const RunTimeIndex &index : reads.front().indices)
      ranges.symbols.push_back(IndexRange::ofSize(index.size));
  return ranges;
}

/// Sectors from the first to the last one that places can be in: a slice has
/// few.
static double getSpan(AffineExpr linear, const IndexRanges &ranges,
                      const ValueFacts &base) {
  IndexRange range = getRange(linear, ranges);
  double whole = getWholeSectors(base);
  if (range.hi >= IndexRange::kUnbounded || range.lo < 0)
    return whole;
  auto getSector = [&](int64_t element) {
    return std::floor(double(element * base.elementBytes) / kSectorBytes);
  };
  return std::min(whole, getSector(range.hi) - getSector(range.lo) + 1);
}

/// How often a row that is not kept is read: for each reduction and for the
/// outputs, unless all of them share one loop.
static double countPasses(const GroupShape &shape, const LaunchShape &launch,
                          ArrayRef<Value> outputs) {
  bool kept = launch.residency == Residency::Registers ||
              launch.residency == Residency::Shared;
  if (!hasRows(shape) || kept || shape.singlePass)
    return 1;
  return double(shape.roots.size()) + (hasFullOutput(shape) ? 1 : 0);
}

/// Whether a thread does `b` beside `a`, another read of the same operand.
static bool areSideBySide(const PlacedRead &a, const PlacedRead &b) {
  AffineExpr one = a.access->linear, other = b.access->linear;
  if (a.base != b.base || one.isFunctionOfDim(0) != other.isFunctionOfDim(0) ||
      one.isFunctionOfDim(1) != other.isFunctionOfDim(1))
    return false;
  for (auto [i, index] : llvm::enumerate(a.indices)) {
    bool uses = one.isFunctionOfSymbol(i);
    if (uses != other.isFunctionOfSymbol(i) || (uses && index.loopOf))
      return false;
  }
  return true;
}

/// `reads[first]` and those that threads do with it.
static SmallVector<PlacedAccess, 1> getSideBySide(ArrayRef<PlacedRead> reads,
                                                  size_t first) {
  SmallVector<PlacedAccess, 1> accesses = {reads[first]};
  for (const PlacedRead &read : reads.drop_front(first + 1))
    if (areSideBySide(reads[first], read))
      accesses.push_back(read);
  return accesses;
}

namespace {
/// The accesses of one kernel, of which many are alike: what the last one was
/// is known without a key.
class AccessCounts {
public:
  AccessCounts(const GroupShape &shape, const LaunchShape &launch,
               TrafficCache &cache)
      : shape(shape), launch(launch), cache(cache) {}

  /// A read that stands alone.
  const AccessTraffic &getRead(const PlacedRead &read, int64_t elementBytes) {
    bool isPlain = shape.boxed.empty() && read.indices.empty() &&
                   read.access->guards.empty();
    std::tuple<AffineExpr, int64_t, bool> own{read.access->linear, elementBytes,
                                              read.onlyStored};
    if (isPlain && lastRead == own)
      return traffic;
    lastRead = isPlain ? own : std::tuple<AffineExpr, int64_t, bool>();
    traffic = countAccess(shape, launch, PlacedAccess(read), elementBytes,
                          /*isStore=*/false, cache);
    return traffic;
  }
  /// Sectors that the store of an output asks for.
  double getStore(unsigned number, Value output) {
    ArrayRef<AffineExpr> index;
    if (!shape.outputs.empty())
      index = shape.outputs[number].index;
    if (lastStored != output.getType() || lastIndex != index)
      stored = countStore(shape, launch, number, output, cache);
    lastStored = output.getType();
    lastIndex = index;
    return stored;
  }

private:
  const GroupShape &shape;
  const LaunchShape &launch;
  TrafficCache &cache;
  /// Place, bytes of an element, and whether it is only stored.
  std::tuple<AffineExpr, int64_t, bool> lastRead;
  AccessTraffic traffic;
  Type lastStored;
  ArrayRef<AffineExpr> lastIndex;
  double stored = 0;
};
} // namespace

KernelTraffic cost::countTraffic(const GroupShape &shape,
                                 const LaunchShape &launch,
                                 ArrayRef<PlacedRead> reads,
                                 ArrayRef<Value> outputs, OpFactsCache &cache) {
  KernelTraffic traffic;
  IndexRanges ranges = getRanges(shape, reads);
  int64_t space = shape.rows * shape.columns;
  double passes = countPasses(shape, launch, outputs);
  bool staged = hasRows(shape) && launch.residency == Residency::Shared;
  AccessCounts counts(shape, launch, cache.traffic);
  for (auto [i, read] : llvm::enumerate(reads)) {
    const ValueFacts &base = cache.getValue(read.base);
    if (!base.elements || *base.elements == 0)
      continue;
    bool full = *base.elements == double(space);
    // Of a row that is not kept its elements are read again, also those of a
    // part of it.
    auto isOfRow = [&](const PlacedRead &one) {
      return one.access->linear.isFunctionOfDim(1) &&
             (full || (!one.access->guards.empty() &&
                       one.access->linear.isFunctionOfDim(0)));
    };
    InputReads &all = *cache.scratch->reads.find(read.base);
    double whole = getWholeSectors(base);
    double span = full ? whole : getSpan(read.access->linear, ranges, base);
    all.span += span;
    AccessTraffic own;
    if (staged && full) {
      // Copied to shared memory once, by whole sectors.
      if (std::exchange(all.copied, true))
        continue;
      own.requested = own.inBlock = whole;
    } else if (launch.tile && getTileOperandOf(read)) {
      auto isKept = [&, &read = read](const PlacedRead &earlier) {
        return earlier.base == read.base && getTileOperandOf(earlier) &&
               isSharedFactor(shape, earlier, read);
      };
      if (llvm::any_of(reads.take_front(i), isKept))
        continue;
      own = countOperand(shape, launch, reads, i, cache);
    } else if (all.several && shape.boxed.empty()) {
      auto isBeside = [&, &read = read](const PlacedRead &earlier) {
        return areSideBySide(earlier, read);
      };
      if (llvm::any_of(reads.take_front(i), isBeside))
        continue;
      own = countAccess(shape, launch, getSideBySide(reads, i),
                        base.elementBytes, /*isStore=*/false, cache.traffic);
      if (isOfRow(read))
        own.requested *= passes;
    } else {
      own = counts.getRead(read, base.elementBytes);
      if (isOfRow(read))
        own.requested *= passes;
    }
    traffic.loads += own.requested;
    // What a tile touches is gone before the next block comes.
    bool inLoop = launch.tile && getTileOperandOf(read);
    double distinct = inLoop
                          ? own.requested
                          : std::min(own.requested, all.several ? whole : span);
    traffic.reads.push_back(
        {own.requested, own.inBlock, distinct, own.blockBytes, inLoop});
    all.sectors += own.requested;
  }
  for (const PlacedRead &read : reads) {
    InputReads &all = *cache.scratch->reads.find(read.base);
    double whole = getWholeSectors(cache.getValue(read.base));
    double bound = std::min(std::exchange(all.span, 0), whole);
    double own = std::min(std::exchange(all.sectors, 0), bound);
    double before =
        std::exchange(all.distinct, std::min(all.distinct + own, whole));
    traffic.uniqueLoads += own;
    traffic.repeatedLoads += own - (all.distinct - before);
  }
  for (auto [i, output] : llvm::enumerate(outputs)) {
    const ValueFacts &facts = cache.getValue(cache.getNumber(output));
    if (!facts.elements || *facts.elements == 0)
      continue;
    double whole = getWholeSectors(facts);
    bool copiedBack =
        staged && launch.rowsPerBlock > 1 && *facts.elements == double(space);
    double own = copiedBack || shape.outputs[i].perColumn
                     ? whole
                     : counts.getStore(i, output);
    traffic.stores += own;
    traffic.uniqueStores += std::min(own, whole);
  }
  // Partial results that blocks leave for the last one of them.
  double scratch = std::ceil(double(launch.scratchBytes) / kSectorBytes);
  traffic.loads += scratch;
  traffic.stores += scratch;
  traffic.uniqueLoads += scratch;
  traffic.uniqueStores += scratch;
  return traffic;
}
