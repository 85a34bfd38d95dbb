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

/// The counts of `kernel`, kept in `storage` if they have to be made.
static const KernelCounts &getCounts(const KernelView &kernel,
                                     KernelCounts &storage) {
  if (kernel.counts)
    return *kernel.counts;
  storage = countKernel(kernel);
  return storage;
}

/// One number of the counts; unknown if a size is.
static Quantity getCount(const KernelView &kernel,
                         double KernelCounts::*field) {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  return counts.known ? toQuantity(counts.*field) : std::nullopt;
}

Quantity CostModel::bytesRead(const KernelView &kernel) const {
  return getCount(kernel, &KernelCounts::bytesRead);
}

Quantity CostModel::bytesMoved(const KernelView &kernel) const {
  Quantity written = bytesWritten(kernel);
  Quantity read = getCount(kernel, &KernelCounts::bytesReadSparsely);
  if (!read || !written)
    return std::nullopt;
  return *read + *written;
}

Quantity CostModel::bytesWritten(const KernelView &kernel) const {
  return getCount(kernel, &KernelCounts::bytesWritten);
}

Quantity CostModel::flops(const KernelView &kernel) const {
  return getCount(kernel, &KernelCounts::flops);
}

Quantity CostModel::recomputedFlops(const KernelView &kernel) const {
  return getCount(kernel, &KernelCounts::recomputedFlops);
}

Quantity CostModel::instructions(const KernelView &kernel) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  return toQuantity(counts.instructions + counts.contractionFmas);
}

Quantity CostModel::registersPerThread(const KernelView &kernel) const {
  // Index arithmetic, then two registers per pointer for a few in flight.
  double registers = 16;
  registers +=
      2.0 *
      double(std::min<size_t>(8, kernel.inputs.size() + kernel.outputs.size()));
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  double live = counts.liveWords;
  KernelPath path = kernel.shape ? kernel.shape->path : KernelPath::Pointwise;
  if (path == KernelPath::General) {
    return toQuantity(registers + live + (counts.contracts ? 64 : 0));
  }
  if (path == KernelPath::Pointwise)
    return toQuantity(registers + live * double(getVectorWidth(kernel)));
  // A row that is kept: its elements per thread, for the row-sized inputs.
  int64_t threads = getThreadsPerRow(*kernel.shape);
  double elements = std::ceil(double(kernel.shape->columns) / double(threads));
  return toQuantity(registers + live +
                    1.25 * std::min(elements, 32.0) * std::min(live, 2.0));
}

Quantity CostModel::spilledBytesPerThread(const KernelView &kernel,
                                          const DeviceInfo &device) const {
  Quantity registers = registersPerThread(kernel);
  if (!registers)
    return std::nullopt;
  // A store and a load of four bytes for each that is too many.
  return 8 * std::max<int64_t>(0, *registers - device.maxRegistersPerThread);
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
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  bool unrolled = !kernel.shape || kernel.shape->path == KernelPath::Pointwise;
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

std::optional<Occupancy> CostModel::occupancy(const KernelView &kernel,
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
  resident = std::min(resident, device.sharedBytesPerSM / (*shared + 1024));
  resident = std::min(resident, device.maxThreadsPerSM / grid->threadsPerBlock);
  grid->residentBlocks =
      std::clamp<int64_t>(resident, 1, device.maxBlocksPerSM);
  return grid;
}
