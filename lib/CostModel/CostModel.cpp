// Default quantities of a cost model: counts of the view, documented one by one
// in docs/CostModel.md.
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

CostModel::~CostModel() = default;

/// `value` as a whole number; unknown if it does not fit.
static Quantity toQuantity(double value) {
  if (!(value >= 0) || value > 9e18)
    return std::nullopt;
  return int64_t(std::ceil(value));
}

Quantity CostModel::bytesRead(const KernelView &kernel) const {
  double bytes = 0;
  for (Value input : kernel.inputs) {
    if (!isa<ShapedType>(input.getType()))
      continue; // Scalars are parameters.
    std::optional<double> footprint =
        getFootprint(kernel, input, /*wholeTables=*/true);
    if (!footprint)
      return std::nullopt;
    bytes += *footprint;
  }
  return toQuantity(bytes);
}

Quantity CostModel::bytesWritten(const KernelView &kernel) const {
  double bytes = 0;
  for (Value output : kernel.outputs) {
    std::optional<double> size = getBytes(output.getType());
    if (!size)
      return std::nullopt;
    bytes += *size;
  }
  return toQuantity(bytes);
}

Quantity CostModel::flops(const KernelView &kernel) const {
  KernelCounts counts = countKernel(kernel);
  return counts.known ? toQuantity(counts.flops) : std::nullopt;
}

Quantity CostModel::recomputedFlops(const KernelView &kernel) const {
  KernelCounts counts = countKernel(kernel);
  return counts.known ? toQuantity(counts.recomputedFlops) : std::nullopt;
}

Quantity CostModel::instructions(const KernelView &kernel) const {
  KernelCounts counts = countKernel(kernel);
  if (!counts.known)
    return std::nullopt;
  return toQuantity(counts.instructions + counts.contractionFmas);
}

/// Most values that are alive at once, in 4-byte words per element, when the
/// operators run in program order.
static double getLiveWords(const KernelView &kernel) {
  llvm::DenseMap<Value, size_t> lastUse;
  for (auto [position, op] : llvm::enumerate(kernel.ops))
    for (Value operand : op->getOperands())
      lastUse[lookThroughViews(operand)] = position;
  auto words = [](Value value) {
    return double(llvm::divideCeil(getElementBytes(value.getType()), 4));
  };
  llvm::DenseSet<Value> alive;
  double now = 0, most = 0;
  for (auto [position, op] : llvm::enumerate(kernel.ops)) {
    if (isFree(op))
      continue;
    for (Value operand : op->getOperands()) {
      Value value = lookThroughViews(operand);
      if (isa<ShapedType>(value.getType()) && alive.insert(value).second)
        now += words(value);
    }
    for (Value result : op->getResults())
      if (alive.insert(result).second)
        now += words(result);
    most = std::max(most, now);
    for (Value operand : op->getOperands()) {
      Value value = lookThroughViews(operand);
      if (lastUse.lookup(value) == position && alive.erase(value))
        now -= words(value);
    }
    for (Value result : op->getResults())
      if (!lastUse.count(result) && alive.erase(result))
        now -= words(result); // An output: stored.
  }
  return most;
}

Quantity CostModel::registersPerThread(const KernelView &kernel) const {
  // Index arithmetic, then two registers per pointer for a few in flight.
  double registers = 16;
  registers +=
      2.0 * double(std::min<size_t>(8, kernel.inputs.size() +
                                           kernel.outputs.size()));
  double live = getLiveWords(kernel);
  KernelPath path = kernel.shape ? kernel.shape->path : KernelPath::Pointwise;
  if (path == KernelPath::General) {
    bool contraction = llvm::any_of(kernel.ops, isContraction);
    return toQuantity(registers + live + (contraction ? 64 : 0));
  }
  if (path == KernelPath::Pointwise)
    return toQuantity(registers + live * double(getVectorWidth(kernel)));
  // A row that is kept: its elements per thread, for the row-sized inputs.
  int64_t threads = getThreadsPerRow(*kernel.shape);
  double elements = std::ceil(double(kernel.shape->columns) / double(threads));
  return toQuantity(registers + live + 1.25 * std::min(elements, 32.0) *
                                           std::min(live, 2.0));
}

Quantity CostModel::sharedBytes(const KernelView &kernel) const {
  if (!kernel.shape || kernel.shape->path != KernelPath::Row)
    return 0;
  int64_t warps = getThreadsPerRow(*kernel.shape) / 32;
  if (warps <= 1)
    return 0; // Shuffles suffice.
  // A partial result of each warp for each reduction.
  return int64_t(kernel.shape->roots.size()) * warps * 8;
}

Quantity CostModel::codeBytes(const KernelView &kernel) const {
  KernelCounts counts = countKernel(kernel);
  if (!counts.known)
    return std::nullopt;
  bool unrolled =
      !kernel.shape || kernel.shape->path == KernelPath::Pointwise;
  double lanes = unrolled ? double(getVectorWidth(kernel)) : 1.0;
  return toQuantity(16 * (32 + counts.staticInstructions * lanes));
}

Quantity CostModel::launches(const KernelView &) const { return 1; }

/// Threads of the grid and of a block.
static std::optional<Occupancy> getGrid(const KernelView &kernel) {
  Occupancy grid;
  if (kernel.shape && kernel.shape->path == KernelPath::Row) {
    int64_t perRow = getThreadsPerRow(*kernel.shape);
    int64_t rowsPerBlock = std::max<int64_t>(1, 128 / perRow);
    grid.threadsPerBlock = perRow * rowsPerBlock;
    grid.blocks = llvm::divideCeil(kernel.shape->rows, rowsPerBlock);
  } else {
    double elements = 1;
    for (Value output : kernel.outputs) {
      std::optional<double> count = getElements(output.getType());
      if (!count)
        return std::nullopt;
      elements = std::max(elements, *count);
    }
    int64_t lanes = kernel.shape && kernel.shape->path == KernelPath::General
                        ? 1
                        : getVectorWidth(kernel);
    grid.threadsPerBlock = 256;
    grid.blocks = int64_t(std::ceil(elements / double(256 * lanes)));
  }
  grid.blocks = std::max<int64_t>(1, grid.blocks);
  return grid;
}

std::optional<Occupancy>
CostModel::occupancy(const KernelView &kernel,
                     const DeviceInfo &device) const {
  std::optional<Occupancy> grid = getGrid(kernel);
  Quantity registers = registersPerThread(kernel);
  Quantity shared = sharedBytes(kernel);
  if (!grid || !registers || !shared)
    return std::nullopt;
  int64_t limited = std::min(*registers, device.maxRegistersPerThread);
  int64_t warps = llvm::divideCeil(grid->threadsPerBlock, 32);
  // Registers are allocated in units of 256 per warp.
  int64_t perWarp = llvm::alignTo(std::max<int64_t>(limited, 16) * 32, 256);
  int64_t resident = device.registersPerSM / (perWarp * warps);
  resident = std::min(resident,
                      device.sharedBytesPerSM / (*shared + 1024));
  resident = std::min(resident,
                      device.maxThreadsPerSM / grid->threadsPerBlock);
  grid->residentBlocks =
      std::clamp<int64_t>(resident, 1, device.maxBlocksPerSM);
  return grid;
}
