// Chooses grid, block and layout of a group from its shape and the sizes of its
// operands.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// -1 if a size is dynamic, or there are more than can be counted.
static int64_t countElements(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape()) {
    if (ShapedType::isDynamic(size) ||
        llvm::MulOverflow(elements, size, elements))
      return -1;
  }
  return elements;
}

void fuse::forEachFull(TypeRange types, int64_t space,
                       function_ref<void(RankedTensorType)> use) {
  for (Type type : types)
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (int64_t elements = countElements(tensor);
          elements >= 0 && elements >= space)
        use(tensor);
}

static Footprint getFootprint(const GroupShape &shape, TypeRange inputs,
                              TypeRange outputs) {
  Footprint result;
  int64_t space = shape.rows * shape.columns;
  auto addSize = [&](RankedTensorType type) {
    result.smallest = std::min(result.smallest, bytesOf(type));
    result.largest = std::max(result.largest, bytesOf(type));
  };
  forEachFull(inputs, space, [&](RankedTensorType type) {
    addSize(type);
    ++result.fullInputs;
    result.inputBytes += bytesOf(type) * countElements(type);
  });
  forEachFull(outputs, space, [&](RankedTensorType type) {
    addSize(type);
    result.outputBytes += bytesOf(type) * countElements(type);
  });
  result.resultBytes = getPartialBytes(shape.roots);
  // A space of values that are all computed from smaller operands.
  if (result.fullInputs == 0 && result.outputBytes == 0)
    for (Type type : llvm::concat<const Type>(inputs, outputs))
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        addSize(tensor);
  return result;
}

//===----------------------------------------------------------------------===//
// Flat paths
//===----------------------------------------------------------------------===//

/// Of `vector` neighbours from multiples of it on, how many lie side by side
/// and aligned in memory; all of them if they are one element.
static int64_t getJoined(const GroupShape &shape, AffineExpr linear,
                         int64_t vector) {
  MLIRContext *context = linear.getContext();
  // A whole operand, or a broadcast along whole chunks.
  auto binary = dyn_cast<AffineBinaryOpExpr>(linear);
  if (isa<AffineDimExpr>(linear) ||
      (binary && isa<AffineDimExpr>(binary.getLHS()) &&
       (linear.getKind() == AffineExprKind::Mod ||
        linear.getKind() == AffineExprKind::FloorDiv) &&
       binary.getRHS().isMultipleOf(vector)))
    return vector;
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> symbols(shape.runTimeIndices.size(), zero);
  auto at = [&](int64_t place) {
    AffineExpr value = linear.replaceDimsAndSymbols(
        {getAffineConstantExpr(place, context), zero}, symbols);
    return cast<AffineConstantExpr>(value).getValue();
  };
  int64_t joined = vector;
  for (int64_t chunk : {int64_t(0), int64_t(1), shape.rows / vector / 3}) {
    int64_t first = chunk * vector, start = at(first);
    int64_t step = at(first + 1) - start;
    if (step == 0)
      continue;
    if (step != 1 && step != -1)
      return 1;
    for (int64_t lane = 2; lane < vector; ++lane)
      if (at(first + lane) - start != lane * step)
        joined = std::min(joined, int64_t(llvm::bit_floor(uint64_t(lane))));
    int64_t lowest = step == 1 ? start : start - (vector - 1);
    while (lowest % joined != 0)
      joined /= 2;
  }
  return joined;
}

/// As many neighbours for a thread, up to `most`, as keep the sectors that its
/// accesses ask for low: what is not joined to one access is asked for again by
/// each of them.
static int64_t chooseNeighbours(const GroupShape &shape, int64_t most) {
  SmallVector<std::pair<int64_t, int64_t>> apart;
  int64_t bytes = 0;
  for (const LeafAccess &access : shape.accesses) {
    auto type = cast<RankedTensorType>(access.value.getType());
    if (2 * type.getNumElements() < shape.rows)
      continue;
    bytes += bytesOf(type);
    int64_t joined = getJoined(shape, access.linear, most);
    if (joined < most)
      apart.push_back({joined, bytesOf(type)});
  }
  auto getSectors = [&](int64_t width) {
    int64_t sectors = bytes;
    for (auto [joined, size] : apart)
      if (joined < width)
        sectors +=
            size *
            (std::min(width / joined,
                      std::max<int64_t>(kSectorBytes / (joined * size), 1)) -
             1);
    return sectors;
  };
  int64_t best = most;
  for (int64_t width = most; width >= 1 && !apart.empty(); width /= 2)
    if (getSectors(width) < getSectors(best))
      best = width;
  return best;
}

/// Values of operands that a thread may have at once: half of the registers, as
/// addresses and what is computed need some, too.
static constexpr int64_t kMostLaneValues = 96;

/// `isAlone`: the whole grid is this kernel's.
static LaunchShape chooseFlat(const GroupShape &shape,
                              const Footprint &footprint, bool isAlone) {
  LaunchShape launch;
  int64_t elements = std::max<int64_t>(shape.rows, 1);
  if (shape.path == KernelPath::Pointwise) {
    launch.vector =
        std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
    // Each lane has a value of each operand, and of what lies between them.
    int64_t operands = shape.accesses.size() + shape.outputs.size();
    int64_t widest = launch.vector;
    while (launch.vector > 1 && launch.vector * operands > kMostLaneValues)
      launch.vector /= 2;
    if (elements >= kFullDevice * 256 * launch.vector * 2 &&
        launch.vector < 8 && launch.vector == widest)
      launch.positions = 2;
    // The same elements of a thread, in smaller pieces.
    int64_t vector = chooseNeighbours(shape, launch.vector);
    launch.positions *= launch.vector / vector;
    launch.vector = vector;
  }
  // More blocks a launch does not have.
  while (ceilDiv(elements, 256 * launch.vector * launch.positions) > INT32_MAX)
    launch.positions *= 2;
  int64_t perThread = launch.vector * launch.positions;
  launch.threads = elements >= 132 * 256 * perThread ? 256 : 128;
  launch.threads =
      std::min(launch.threads, roundToWarps(ceilDiv(elements, perThread)));
  if (isAlone && shape.path == KernelPath::Pointwise && launch.positions == 1)
    launch.stride = chooseStride(shape, launch.vector, launch.threads);
  if (launch.stride != 0) {
    launch.positions = 2;
    perThread *= 2;
    // The threads are half as many, for as many multiprocessors.
    if (elements < 132 * 256 * perThread)
      launch.threads = std::min<int64_t>(launch.threads, 128);
  }
  launch.grid = ceilDiv(elements, launch.threads * perThread);
  return launch;
}

//===----------------------------------------------------------------------===//
// All paths
//===----------------------------------------------------------------------===//

/// `mayCluster`: the whole grid is this kernel's.
static LaunchShape chooseOne(const GroupShape &shape, TypeRange inputs,
                             TypeRange outputs, bool mayCluster) {
  if (shape.path == KernelPath::Tile)
    return chooseTile(shape);
  if (shape.path == KernelPath::Attention)
    return chooseAttention(shape);
  Footprint footprint = getFootprint(shape, inputs, outputs);
  if (!shape.sizes.isStatic())
    return chooseDynamic(shape, footprint);
  if (shape.path == KernelPath::Row)
    return chooseRow(shape, footprint, inputs, outputs, mayCluster);
  if (shape.path == KernelPath::Column)
    return chooseColumn(shape, footprint);
  if (shape.path == KernelPath::Mixed)
    return chooseMixed(shape, footprint);
  if (shape.path == KernelPath::Window)
    return chooseWindow(shape, footprint);
  if (shape.path == KernelPath::Box)
    return chooseBoxLaunch(shape);
  return chooseFlat(shape, footprint, /*isAlone=*/mayCluster);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Spreads the work of a block over `threads`, a power of two and not fewer
/// than it has.
static void widenBlock(const GroupShape &shape, int64_t threads,
                       LaunchShape &launch) {
  if (shape.path == KernelPath::Column)
    return widenColumn(shape, threads, launch);
  if (shape.path == KernelPath::Mixed)
    return widenMixed(shape, threads, launch);
  if (shape.path == KernelPath::Box)
    return widenBox(shape, threads, launch);
  if (shape.path == KernelPath::Tile)
    return widenTile(shape, threads, launch);
  launch.threads = threads;
  if (shape.path != KernelPath::Row) {
    int64_t perBlock = threads * launch.positions * launch.vector;
    launch.grid = ceilDiv(std::max<int64_t>(shape.rows, 1), perBlock);
    return;
  }
  bool staged =
      launch.residency == Residency::Shared && launch.rowsPerBlock > 1;
  if (launch.threadsPerRow <= kWarp && !staged) {
    // More rows.
    launch.rowsPerBlock = threads / launch.threadsPerRow;
    launch.grid =
        ceilDiv(std::max<int64_t>(shape.rows, 1), launch.rowsPerBlock);
    return;
  }
  // The same rows, each with more threads.
  int64_t chunks = launch.positions * launch.threadsPerRow;
  launch.threadsPerRow = threads / launch.rowsPerBlock;
  launch.positions = ceilDiv(chunks, launch.threadsPerRow);
}

/// Types of the values that the operators of `part` take from outside.
static SmallVector<Type> getInputTypes(const KernelPart &part) {
  llvm::SmallPtrSet<Operation *, 16> members(part.ops.begin(), part.ops.end());
  llvm::SmallSetVector<Value, 8> inputs;
  for (Operation *op : part.ops)
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()))
        inputs.insert(operand);
  return llvm::map_to_vector(inputs, [](Value v) { return v.getType(); });
}

SmallVector<LaunchShape> fuse::choosePartLaunches(const GroupShape &shape) {
  SmallVector<LaunchShape> launches;
  bool tiles = llvm::all_of(shape.parts, [](const KernelPart &part) {
    return part.shape.path == KernelPath::Tile;
  });
  if (tiles)
    launches = chooseTiles(shape.parts);
  else
    for (const KernelPart &part : shape.parts)
      launches.push_back(chooseOne(part.shape, getInputTypes(part),
                                   ValueRange(part.outputs).getTypes(),
                                   /*mayCluster=*/false));
  int64_t threads = kWarp;
  for (const LaunchShape &launch : launches)
    threads = std::max<int64_t>(threads, llvm::PowerOf2Ceil(launch.threads));
  for (auto [part, launch] : llvm::zip(shape.parts, launches))
    widenBlock(part.shape, threads, launch);
  return launches;
}

static LaunchShape addLaunches(ArrayRef<LaunchShape> launches) {
  LaunchShape sum;
  sum.grid = 0;
  sum.threads = launches.front().threads;
  for (const LaunchShape &launch : launches) {
    sum.grid += launch.grid;
    sum.stagedBytes = std::max(sum.stagedBytes, launch.stagedBytes);
    sum.scratchBytes += launch.scratchBytes;
  }
  return sum;
}

LaunchShape fuse::chooseLaunch(const GroupShape &shape, TypeRange inputs,
                               TypeRange outputs) {
  if (shape.path == KernelPath::Packed)
    return addLaunches(choosePartLaunches(shape));
  return chooseOne(shape, inputs, outputs, /*mayCluster=*/true);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

AffineMap fuse::getLayout(MLIRContext *context, const GroupShape &shape,
                          const LaunchShape &launch) {
  AffineExpr block, thread, position, lane;
  bindDims(context, block, thread, position, lane);
  if (shape.path == KernelPath::Column)
    return getColumnLayout(context, launch);
  if (shape.path == KernelPath::Mixed)
    return getMixedLayout(context, launch);
  if (shape.path == KernelPath::Attention)
    return getAttentionLayout(context, shape, launch);
  if (shape.path == KernelPath::Box)
    return getBoxLayout(context, shape, launch);
  if (shape.path == KernelPath::Tile)
    return getTileLayout(context, shape, launch);
  if (launch.stride != 0) {
    AffineExpr chunk = block * launch.threads + thread;
    int64_t chunks = launch.stride / launch.vector;
    return AffineMap::get(
        4, 0,
        (chunk.floorDiv(chunks) * launch.positions + position) * launch.stride +
            (chunk % chunks) * launch.vector + lane);
  }
  if (shape.path != KernelPath::Row)
    return AffineMap::get(
        4, 0,
        ((block * launch.positions + position) * launch.threads + thread) *
                launch.vector +
            lane);
  AffineExpr row = block.floorDiv(launch.parts) * launch.rowsPerBlock;
  AffineExpr inRow = thread;
  if (launch.parts > 1)
    position = (block % launch.parts) * launch.positions + position;
  if (launch.rowsPerBlock > 1) {
    row = row + thread.floorDiv(launch.threadsPerRow);
    inRow = thread % launch.threadsPerRow;
  }
  AffineExpr column =
      (position * launch.threadsPerRow + inRow) * launch.vector + lane;
  if (launch.shift)
    column = column - (row * shape.columns) % launch.shift;
  return AffineMap::get(4, 0, {row, column}, context);
}
