// Counts the sectors that a kernel's warps ask for. The accesses of a few
// blocks are evaluated lane by lane; equal accesses of equal launches are
// looked at once.
#include "CountScratch.h"
#include "WarpAccess.h"

#include "fuse-mlir/Analysis/BoxShape.h"
#include "fuse-mlir/CostModel/TiledContraction.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

/// Iterations of a thread's loop that are looked at.
static constexpr int64_t kIterations = 8;
/// Places of a window that code generation unrolls.
static constexpr int64_t kMostUnrolled = 64;
/// Of L1.
static constexpr int64_t kLineBytes = 128;

size_t TrafficCache::Hash::operator()(const std::vector<int64_t> &key) const {
  return llvm::xxh3_64bits(
      ArrayRef(reinterpret_cast<const uint8_t *>(key.data()),
               key.size() * sizeof(int64_t)));
}

bool cost::hasRows(const GroupShape &shape) {
  return shape.path == KernelPath::Row || shape.path == KernelPath::Column ||
         shape.path == KernelPath::Mixed;
}

static bool hasFullOutput(const GroupShape &shape) {
  return llvm::any_of(shape.outputs,
                      [](const OutputSeed &seed) { return seed.isFull(); });
}

namespace {
/// An access, or several side by side, evaluated over sampled blocks.
class AccessCounter {
public:
  AccessCounter(const GroupShape &shape, const LaunchShape &launch,
                ArrayRef<PlacedAccess> places, int64_t elementBytes,
                bool isStore);
  AccessTraffic run();

private:
  /// A condition; `stride` is by how much the place changes with it, if a
  /// window takes the nearest element where it does not hold.
  struct Limit {
    LaneProgram expr;
    int64_t size, stride;
  };
  /// Where a thread accesses the tensor.
  struct Place {
    LaneProgram linear;
    SmallVector<Limit, 2> limits;
  };
  /// The element of one neighbour in one step and iteration, and the lanes that
  /// access it.
  struct Element {
    Lanes numbers;
    std::array<bool, kWarp> active;
    /// The first number before it is moved to the nearest element.
    int64_t order = 0;
    /// What the numbers are known to be multiples of, if lanes do not say that.
    int64_t alignment = 0;
    bool operator==(const Element &other) const {
      return numbers == other.numbers && active == other.active;
    }
  };
  using Elements = SmallVector<Element, 8>;
  void findLoops();
  void setIteration(int64_t iteration);
  int64_t findStride(const LeafAccess &access, AffineExpr guard);
  void limit(const Limit &limit, ArrayRef<Lanes> place, Element &element) const;
  SampleKind getKind() const;
  void evaluate(const WarpStep &step, Elements &elements) const;
  Elements evaluateTogether(const WarpStep &step, int64_t first);
  void findAlignments(ArrayRef<SampledBlock> blocks);
  static void sortElements(Elements &elements);
  int64_t findWidth(const Elements &elements, size_t first) const;
  double countStep(const WarpStep &step, int64_t first,
                   std::vector<int64_t> &seen);
  int64_t findLoopWidth(const WarpStep &step);
  Lanes evaluateFirst(const WarpStep &step, int64_t iteration);

  const GroupShape &shape;
  const LaunchShape &launch;
  const LeafAccess &access;
  ArrayRef<RunTimeIndex> kinds;
  int64_t elementBytes;
  bool isStore, onlyStored;
  SmallVector<Place, 1> places;
  /// Values of the run-time indices at this moment.
  SmallVector<int64_t> indices;
  /// Loops around the access, outermost first.
  SmallVector<unsigned> loops;
  double trips = 1;
  /// Iterations side by side in the code of a thread: places of its window.
  int64_t together = 1;
  /// Of a window, by place: what the numbers of all threads are multiples of.
  SmallVector<int64_t> alignments;
  /// The place comes from the data.
  bool fromData = false;
};
} // namespace

/// How `access` goes through shared memory, if it does.
static const BoxOperand *findBoxed(const GroupShape &shape,
                                   const LeafAccess &access, bool isStore) {
  for (const BoxOperand &operand : shape.boxed) {
    if (operand.isOutput != isStore)
      continue;
    bool same =
        isStore ? shape.outputs[operand.number].value == access.value
                : shape.accesses[operand.number].value == access.value &&
                      shape.accesses[operand.number].linear == access.linear;
    if (same)
      return &operand;
  }
  return nullptr;
}

AccessCounter::AccessCounter(const GroupShape &shape, const LaunchShape &launch,
                             ArrayRef<PlacedAccess> all, int64_t elementBytes,
                             bool isStore)
    : shape(shape), launch(launch), access(*all.front().access),
      kinds(all.front().indices), elementBytes(elementBytes), isStore(isStore),
      onlyStored(all.front().onlyStored) {
  for (const PlacedAccess &one : all)
    places.push_back({LaneProgram(one.access->linear), {}});
  for (const RunTimeIndex &index : kinds)
    indices.push_back(std::max<int64_t>(index.size / 2, 0));
  for (auto [place, one] : llvm::zip(places, all))
    for (auto &[expr, size] : one.access->guards)
      place.limits.push_back(
          {LaneProgram(expr), size, findStride(*one.access, expr)});
  findLoops();
}

/// By how many elements the place of a window changes with `guard`: what a loop
/// of the window changes that no other condition depends on. 0 if there is
/// none, and on other paths.
int64_t AccessCounter::findStride(const LeafAccess &access, AffineExpr guard) {
  if (shape.path != KernelPath::Window)
    return 0;
  Lanes zero{};
  SmallVector<int64_t> at(kinds.size(), 0);
  auto evaluate = [&](AffineExpr expr) {
    return LaneProgram(expr).run({zero, zero}, at).front();
  };
  for (auto [i, index] : llvm::enumerate(kinds)) {
    if (!index.loopOf || !guard.isFunctionOfSymbol(i) ||
        llvm::count_if(access.guards, [&, i = i](auto &other) {
          return other.first.isFunctionOfSymbol(i);
        }) != 1)
      continue;
    int64_t limited = -evaluate(guard), moved = -evaluate(access.linear);
    at[i] = 1;
    limited += evaluate(guard);
    moved += evaluate(access.linear);
    at[i] = 0;
    if (limited != 0 && moved % limited == 0)
      return moved / limited;
  }
  return 0;
}

/// Leaves out the lanes for which `limit` does not hold, or moves them to the
/// nearest element for which it does.
void AccessCounter::limit(const Limit &limit, ArrayRef<Lanes> place,
                          Element &element) const {
  Lanes values = limit.expr.run(place, indices);
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    int64_t nearest = std::clamp<int64_t>(values[lane], 0, limit.size - 1);
    if (limit.stride != 0)
      element.numbers[lane] += (nearest - values[lane]) * limit.stride;
    else
      element.active[lane] &= nearest == values[lane];
  }
}

/// The loops from the outermost to the innermost one that the place depends on:
/// loads that do not change inside of a loop are hoisted out of it.
void AccessCounter::findLoops() {
  int innermost = -1;
  for (auto [i, index] : llvm::enumerate(kinds)) {
    if (!access.linear.isFunctionOfSymbol(i))
      continue;
    if (index.loopOf)
      innermost = int(i);
    else
      fromData = true;
  }
  for (int i = 0; i <= innermost; ++i) {
    if (kinds[i].loopOf != kinds[innermost].loopOf)
      continue;
    loops.push_back(i);
    trips *= double(kinds[i].size);
  }
  if (shape.path != KernelPath::Window)
    return;
  for (unsigned loop : llvm::reverse(loops)) {
    if (together * kinds[loop].size > kMostUnrolled)
      break;
    together *= kinds[loop].size;
  }
}

void AccessCounter::setIteration(int64_t iteration) {
  for (unsigned loop : llvm::reverse(loops)) {
    int64_t size = std::max<int64_t>(kinds[loop].size, 1);
    indices[loop] = iteration % size;
    iteration /= size;
  }
}

/// Adds the elements of the present iteration.
void AccessCounter::evaluate(const WarpStep &step, Elements &elements) const {
  bool alongColumns = shape.path == KernelPath::Row ||
                      shape.path == KernelPath::Mixed ||
                      (shape.path == KernelPath::Tile && !launch.downRows);
  for (const Place &access : places)
    for (int64_t next = 0; next < step.width; ++next) {
      std::array<Lanes, 2> place{step.row, step.column};
      for (int64_t &lane : place[alongColumns])
        lane += next * step.rowStep;
      Element &element = elements.emplace_back(
          Element{access.linear.run(place, indices), step.exists});
      element.order = element.numbers.front();
      for (const Limit &one : access.limits)
        limit(one, place, element);
    }
}

/// The elements of the iterations from `first` on that are side by side.
AccessCounter::Elements AccessCounter::evaluateTogether(const WarpStep &step,
                                                        int64_t first) {
  Elements elements;
  for (int64_t i = 0; i < together; ++i) {
    if (together > 1)
      setIteration(first + i);
    evaluate(step, elements);
  }
  return elements;
}

/// Code generation joins neighbours only where they are aligned in all threads.
void AccessCounter::findAlignments(ArrayRef<SampledBlock> blocks) {
  for (const SampledBlock &block : blocks)
    for (const WarpStep &step : block.steps) {
      Elements elements = evaluateTogether(step, 0);
      alignments.resize(elements.size(), 16 / elementBytes);
      for (auto [alignment, element] : llvm::zip(alignments, elements))
        for (int64_t number : element.numbers)
          while (number % alignment != 0)
            alignment /= 2;
    }
}

/// Loads may be in any order, and each element is loaded once.
void AccessCounter::sortElements(Elements &elements) {
  auto before = [](const Element &a, const Element &b) {
    return a.order < b.order;
  };
  if (!llvm::is_sorted(elements, before))
    std::sort(elements.begin(), elements.end(), before);
  elements.erase(llvm::unique(elements), elements.end());
}

/// Neighbours from `first` on that become one access of at most 16 bytes:
/// aligned, consecutive, and read by the same lanes.
int64_t AccessCounter::findWidth(const Elements &elements, size_t first) const {
  const Lanes &start = elements[first].numbers;
  const std::array<bool, kWarp> &active = elements[first].active;
  int64_t alignment = elements[first].alignment;
  auto fits = [&](int64_t width) {
    if (alignment != 0 && alignment < width)
      return false;
    for (int64_t i = 0; i < width; ++i) {
      if (elements[first + i].active != active)
        return false;
      for (int64_t lane = 0; lane < kWarp; ++lane)
        if (active[lane] &&
            (start[lane] % width != 0 ||
             elements[first + i].numbers[lane] != start[lane] + i))
          return false;
    }
    return true;
  };
  int64_t left = elements.size() - first;
  int64_t width = std::max<int64_t>(1, 16 / elementBytes);
  while (width > 1 && (width > left || !fits(width)))
    width /= 2;
  return width;
}

/// Sorts the sectors and leaves each once. Mostly they come in order.
template <typename Sectors>
static void sortSectors(Sectors &sectors) {
  if (!llvm::is_sorted(sectors))
    std::sort(sectors.begin(), sectors.end());
  sectors.erase(llvm::unique(sectors), sectors.end());
}

/// Sectors of one step and the iterations from `first` on that are side by
/// side, which are added to `seen`.
double AccessCounter::countStep(const WarpStep &step, int64_t first,
                                std::vector<int64_t> &seen) {
  Elements elements = evaluateTogether(step, first);
  for (auto [element, alignment] : llvm::zip(elements, alignments))
    element.alignment = alignment;
  if (!isStore)
    sortElements(elements);
  // What is the same for all neighbours is read once.
  if (llvm::all_of(elements, [&](const Element &element) {
        return element.numbers == elements.front().numbers;
      }))
    elements.resize(1);
  double count = 0;
  for (size_t i = 0, width; i < elements.size(); i += width) {
    width = findWidth(elements, i);
    SmallVector<int64_t, kWarp> sectors;
    for (int64_t lane = 0; lane < kWarp; ++lane)
      if (elements[i].active[lane])
        sectors.push_back(elements[i].numbers[lane] * elementBytes /
                          kSectorBytes);
    size_t lanes = sectors.size();
    sortSectors(sectors);
    llvm::append_range(seen, sectors);
    // Lanes of which nothing but the data tells the place go anywhere.
    bool anywhere = fromData && sectors.size() == 1;
    count += double(anywhere ? lanes : sectors.size());
  }
  return count;
}

/// The place of the first element of each thread in an iteration.
Lanes AccessCounter::evaluateFirst(const WarpStep &step, int64_t iteration) {
  setIteration(iteration);
  return places.front().linear.run({step.row, step.column}, indices);
}

/// Iterations of which LLVM unrolls the innermost loop: all of a short one,
/// else the largest divisor of its trips up to seven.
static int64_t getUnrolling(int64_t trips) {
  if (trips <= 24)
    return trips;
  for (int64_t factor = 7; factor > 1; --factor)
    if (trips % factor == 0)
      return factor;
  return 1;
}

/// Neighbouring iterations whose reads become one access of at most 16 bytes:
/// consecutive and aligned, within what is unrolled.
int64_t AccessCounter::findLoopWidth(const WarpStep &step) {
  if (loops.empty() || together > 1 || !access.guards.empty())
    return 1;
  int64_t unrolled = getUnrolling(kinds[loops.back()].size);
  int64_t width = std::max<int64_t>(1, 16 / elementBytes);
  while (width > 1 && unrolled % width != 0)
    width /= 2;
  Lanes first = evaluateFirst(step, 0), second = evaluateFirst(step, 1);
  for (int64_t lane = 0; lane < kWarp; ++lane) {
    if (second[lane] != first[lane] + 1)
      return 1;
    while (first[lane] % width != 0)
      width /= 2;
  }
  return width;
}

/// Which threads run the access, and at how many places.
SampleKind AccessCounter::getKind() const {
  SampleKind kind;
  kind.masked = isStore || onlyStored;
  if (shape.path == KernelPath::Box) {
    const BoxOperand *boxed = findBoxed(shape, access, isStore);
    kind.order = boxed ? boxed->order : shape.order;
    kind.vector = boxed ? getBoxWidth(shape, kind.order,
                                      std::max<int64_t>(16 / elementBytes, 1))
                        : launch.vector;
  }
  if (shape.path == KernelPath::Tile && !isStore) {
    kind.perRow = !fromData && !access.linear.isFunctionOfDim(1);
    kind.perColumn = !fromData && !access.linear.isFunctionOfDim(0);
  }
  if (!hasRows(shape))
    return kind;
  // A place that comes from the data may be another one for each element.
  kind.perRow = !fromData && !access.linear.isFunctionOfDim(1);
  kind.perColumn = shape.path == KernelPath::Mixed && !fromData &&
                   !access.linear.isFunctionOfDim(0);
  kind.byOwner = isStore ? kind.perRow : onlyStored && !hasFullOutput(shape);
  return kind;
}

/// Lines of L1 that hold `sectors`, which are sorted.
static int64_t countLines(ArrayRef<int64_t> sectors) {
  int64_t lines = 0, last = -1;
  for (int64_t sector : sectors)
    lines += std::exchange(last, sector * kSectorBytes / kLineBytes) !=
             sector * kSectorBytes / kLineBytes;
  return lines;
}

AccessTraffic AccessCounter::run() {
  AccessTraffic traffic;
  SmallVector<SampledBlock> blocks = sampleBlocks(shape, launch, getKind());
  if (blocks.empty() || blocks.front().steps.empty())
    return traffic;
  if (together > 1)
    findAlignments(blocks);
  int64_t width = together * findLoopWidth(blocks.front().steps.front());
  int64_t iterations =
      int64_t(std::min<double>(trips / double(width), kIterations));
  for (const SampledBlock &block : blocks) {
    std::vector<int64_t> seen;
    double requested = 0, looked = 0;
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      setIteration(iteration * width);
      for (const WarpStep &step : block.steps) {
        double count = countStep(step, iteration * width, seen);
        looked += count;
        requested += count * step.weight;
      }
    }
    sortSectors(seen);
    requested *=
        iterations > 0 ? trips / double(width) / double(iterations) : 0;
    traffic.requested += requested;
    if (looked == 0)
      continue;
    double distinct = std::min(1.0, double(seen.size()) / looked);
    traffic.inBlock += requested * distinct;
    // A line of L1 is taken whole.
    double lines = double(countLines(seen)) / double(seen.size());
    traffic.blockBytes =
        std::max(traffic.blockBytes, requested / block.weight * distinct *
                                         lines * double(kLineBytes));
  }
  if (fromData)
    traffic.inBlock = traffic.requested;
  traffic.requested = std::round(traffic.requested);
  traffic.inBlock = std::round(traffic.inBlock);
  return traffic;
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
                           index.loopOf ? root - shape.roots.begin() : -1});
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

KernelTraffic cost::countTraffic(const GroupShape &shape,
                                 const LaunchShape &launch,
                                 ArrayRef<PlacedRead> reads,
                                 ArrayRef<Value> outputs, OpFactsCache &cache) {
  KernelTraffic traffic;
  int64_t space = shape.rows * shape.columns;
  double passes = countPasses(shape, launch, outputs);
  bool staged = hasRows(shape) && launch.residency == Residency::Shared;
  for (auto [i, read] : llvm::enumerate(reads)) {
    const ValueFacts &base = cache.getValue(read.base);
    if (!base.elements || *base.elements == 0)
      continue;
    bool full = *base.elements == double(space);
    InputReads &all = *cache.scratch->reads.find(read.base);
    AccessTraffic own;
    if (staged && full) {
      // Copied to shared memory once, by whole sectors.
      if (std::exchange(all.copied, true))
        continue;
      own.requested = own.inBlock = getWholeSectors(base);
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
      if (full)
        own.requested *= passes;
    } else {
      own = countAccess(shape, launch, PlacedAccess(read), base.elementBytes,
                        /*isStore=*/false, cache.traffic);
      if (full)
        own.requested *= passes;
    }
    traffic.loads += own.requested;
    // What a tile touches is gone before the next block comes.
    bool inLoop = launch.tile && getTileOperandOf(read);
    double distinct =
        inLoop ? own.requested : std::min(own.requested, getWholeSectors(base));
    traffic.reads.push_back(
        {own.requested, own.inBlock, distinct, own.blockBytes, inLoop});
    all.sectors += own.requested;
  }
  for (const PlacedRead &read : reads) {
    InputReads &all = *cache.scratch->reads.find(read.base);
    traffic.uniqueLoads += std::min(std::exchange(all.sectors, 0),
                                    getWholeSectors(cache.getValue(read.base)));
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
                     : countStore(shape, launch, i, output, cache.traffic);
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
