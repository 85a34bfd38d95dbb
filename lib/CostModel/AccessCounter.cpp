// Sectors of one access: the elements of each warp, step by step, as code
// generation joins them.
#include "AccessCounter.h"

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

bool cost::hasFullOutput(const GroupShape &shape) {
  return llvm::any_of(shape.outputs,
                      [](const OutputSeed &seed) { return seed.isFull(); });
}

const BoxOperand *cost::findBoxed(const GroupShape &shape,
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
    else if (!index.perRow || !hasRows(shape))
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

/// Sectors of one step and the iterations from `first` on that are side by
/// side, which are added to `seen`.
double AccessCounter::countStep(const WarpStep &step, int64_t first,
                                std::vector<int64_t> &seen) {
  Elements elements = evaluateTogether(step, first);
  for (auto [element, alignment] : llvm::zip(elements, alignments))
    element.alignment = alignment;
  int64_t lanes = llvm::count(step.exists, true);
  for (const Element &element : elements) {
    int64_t active = llvm::count(element.active, true);
    done += double(active) * step.weight;
    divided += active < lanes ? double(active) * step.weight : 0;
    all += double(lanes) * step.weight;
  }
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
    size_t asking = sectors.size();
    sortSectors(sectors);
    llvm::append_range(seen, sectors);
    // Lanes of which nothing but the data tells the place go anywhere.
    bool anywhere = fromData && sectors.size() == 1;
    count += double(anywhere ? asking : sectors.size());
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
  if (shape.path != KernelPath::Window)
    for (auto &[expr, size] : access.guards) {
      kind.guardsRows |= expr.isFunctionOfDim(0);
      kind.guardsColumns |= expr.isFunctionOfDim(1);
    }
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

/// Part of the kernel's places at which an access under conditions is done: of
/// 32 x 32 that are spread evenly (Roberts' sequence). 0 where the sample of
/// blocks has to say it.
double AccessCounter::findShare() {
  bool isSpread = hasRows(shape) || shape.path == KernelPath::Pointwise;
  if (!isSpread || fromData || places.size() != 1 ||
      places.front().limits.empty())
    return 0;
  int64_t hits = 0;
  auto pick = [](int64_t number, double step, double size) {
    double place = double(number) * step;
    return int64_t((place - std::floor(place)) * size);
  };
  for (int64_t run = 0; run < kWarp; ++run) {
    setIteration(pick(run, 0.6180339887498949, trips));
    std::array<Lanes, 2> place;
    for (int64_t lane = 0; lane < kWarp; ++lane) {
      int64_t number = run * kWarp + lane;
      place[0][lane] = pick(number, 0.7548776662466927, double(shape.rows));
      place[1][lane] = pick(number, 0.5698402909980532, double(shape.columns));
    }
    Element element{{}, {}};
    element.active.fill(true);
    for (const Limit &one : places.front().limits)
      limit(one, place, element);
    hits += llvm::count(element.active, true);
  }
  return double(hits) / (kWarp * kWarp);
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
  // A few blocks have more or less of a part of a concatenation than all have.
  // Around a pad warps do it in part: they say well enough what they ask for,
  // which is not in proportion to the lanes.
  if (done > 0 && divided < done / 4)
    if (double share = findShare(); share > 0) {
      traffic.requested *= share * all / done;
      traffic.inBlock *= share * all / done;
    }
  if (fromData)
    traffic.inBlock = traffic.requested;
  traffic.requested = std::round(traffic.requested);
  traffic.inBlock = std::round(traffic.inBlock);
  return traffic;
}
