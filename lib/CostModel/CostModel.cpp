// Default quantities of a cost model: counts of the view, documented one by one
// in docs/CostModel.md.
#include "fuse-mlir/CostModel/AttentionTraffic.h"
#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/CostModel/TiledContraction.h"

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

/// Whether code generation makes a kernel of `path` with a tile of `kernel`.
static bool isTiled(const KernelView &kernel, const KernelCounts &counts,
                    KernelPath path = KernelPath::Tile) {
  return kernel.shape && kernel.shape->path == path && counts.launch &&
         counts.launch->tile;
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

namespace {
/// What the contractions of a kernel take.
struct ContractionWork {
  double slots = 0, f64 = 0, integer = 0, tensorFlops = 0, wavefronts = 0;
};
} // namespace

static ContractionWork getContractionWork(const KernelView &kernel,
                                          const KernelCounts &counts) {
  ContractionWork work;
  if (kernel.shape && kernel.shape->path == KernelPath::Packed) {
    for (auto [part, own] :
         llvm::zip_equal(kernel.shape->parts, counts.parts)) {
      KernelView view{part.ops, own.inputs, part.outputs, &part.shape};
      ContractionWork more = getContractionWork(view, own.counts);
      work.slots += more.slots;
      work.f64 += more.f64;
      work.integer += more.integer;
      work.tensorFlops += more.tensorFlops;
      work.wavefronts += more.wavefronts;
    }
    return work;
  }
  bool isAttention = isTiled(kernel, counts, KernelPath::Attention);
  if (!isAttention && !isTiled(kernel, counts)) {
    // A product in a thread's loop: two loads, the multiply-add, two for the
    // addresses.
    work.slots = 5 * (counts.contractionFmas + counts.tensorFlops / 2);
    work.f64 = counts.contractionF64;
    work.integer = counts.contractionInteger;
    return work;
  }
  TileWork tiles = isAttention ? getAttentionWork(*kernel.shape, *counts.launch)
                               : getTileWork(*kernel.shape, *counts.launch);
  work.slots = tiles.slots;
  work.f64 = tiles.f64;
  work.integer = tiles.integer;
  work.tensorFlops = 2 * tiles.halfProducts;
  // What is copied to shared memory is written there once.
  constexpr double kWavefrontBytes = 128;
  work.wavefronts = tiles.wavefronts;
  for (const ReadTraffic &read : counts.traffic.reads)
    work.wavefronts += read.blockLoads * kSectorBytes / kWavefrontBytes;
  return work;
}

/// What contractions take, and `others` of what else the kernel does.
static Quantity getWork(const KernelView &kernel,
                        double ContractionWork::*field,
                        double KernelCounts::*others = nullptr) {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  return toQuantity(getContractionWork(kernel, counts).*field +
                    (others ? counts.*others : 0));
}

Quantity CostModel::instructions(const KernelView &kernel) const {
  return getWork(kernel, &ContractionWork::slots, &KernelCounts::instructions);
}

Quantity CostModel::specialSlots(const KernelView &kernel) const {
  return getCount(kernel, &KernelCounts::special);
}

Quantity CostModel::f64Slots(const KernelView &kernel) const {
  return getWork(kernel, &ContractionWork::f64, &KernelCounts::f64);
}

Quantity CostModel::integerSlots(const KernelView &kernel) const {
  return getWork(kernel, &ContractionWork::integer, &KernelCounts::integer);
}

Quantity CostModel::tensorFlops(const KernelView &kernel) const {
  return getWork(kernel, &ContractionWork::tensorFlops);
}

Quantity CostModel::sharedWavefronts(const KernelView &kernel) const {
  return getWork(kernel, &ContractionWork::wavefronts);
}

//===----------------------------------------------------------------------===//
// Bytes per level
//===----------------------------------------------------------------------===//

Quantity CostModel::l1Bytes(const KernelView &kernel) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known || !counts.launch)
    return bytesMoved(kernel);
  return toQuantity(kSectorBytes *
                    (counts.traffic.loads + counts.traffic.stores));
}

Quantity CostModel::l2Bytes(const KernelView &kernel,
                            const DeviceInfo &device) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  std::optional<Occupancy> grid = occupancy(kernel, device);
  Quantity all = l1Bytes(kernel), shared = sharedBytes(kernel);
  if (!all || !counts.launch || !grid || !shared)
    return all;
  double resident = double(grid->residentBlocks);
  double room = double(device.l1BytesPerSM) - resident * double(*shared);
  // What the blocks of a multiprocessor touch at a time, and what each read
  // asks for if that stays: once per block, or once per multiprocessor.
  double kept = 0;
  for (bool inLoop : {false, true}) {
    double touched = 0, again = 0;
    for (const ReadTraffic &read : counts.traffic.reads) {
      if (read.blockBytes == 0 || read.inLoop != inLoop)
        continue;
      touched +=
          std::min(resident * read.blockBytes, kSectorBytes * read.uniqueLoads);
      again +=
          read.loads - std::min(read.blockLoads,
                                read.uniqueLoads * grid->getActiveSMs(device));
    }
    if (touched <= room)
      kept += again;
  }
  return toQuantity(std::max(0.0, double(*all) - kSectorBytes * kept));
}

Quantity CostModel::partialSectorBytes(const KernelView &kernel) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  double sectors = counts.traffic.uniqueLoads + counts.traffic.uniqueStores;
  return toQuantity(std::max(0.0, kSectorBytes * sectors -
                                      counts.bytesReadSparsely -
                                      counts.bytesWritten));
}

Quantity CostModel::rereadBytes(const KernelView &kernel) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  const KernelTraffic &traffic = counts.traffic;
  return toQuantity(kSectorBytes * (traffic.loads - traffic.uniqueLoads +
                                    traffic.stores - traffic.uniqueStores));
}

Quantity CostModel::residentBytes(const KernelView &kernel,
                                  const DeviceInfo &) const {
  return getCount(kernel, &KernelCounts::bytesResident);
}

Quantity CostModel::dramBytes(const KernelView &kernel,
                              const DeviceInfo &device) const {
  Quantity moved = bytesMoved(kernel);
  Quantity partial = partialSectorBytes(kernel);
  Quantity resident = residentBytes(kernel, device);
  if (!moved || !partial || !resident)
    return std::nullopt;
  return std::max<int64_t>(0, *moved + *partial - *resident);
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

/// Of a kernel with windows, which are unrolled: as many as ptxas takes for
/// loads that are under way at a time, whatever the window is like.
static constexpr int64_t kWindowRegisters = 32;

/// Registers of a kernel with rows: the values alive, in part for each of the
/// elements side by side, and what is read of these; of rows staged in shared
/// memory the elements that a second reduction reads again. On path `mixed` the
/// next row is under way as well, and columns have partial results.
static double getRowRegisters(const KernelView &kernel,
                              const KernelCounts &counts) {
  const GroupShape &shape = *kernel.shape;
  if (!counts.launch)
    return 22;
  const LaunchShape &launch = *counts.launch;
  double elements = getElementsSideBySide(shape, launch);
  if (launch.residency == Residency::Shared && !launch.isLooped(shape.path))
    return shape.roots.size() > 1 ? 24 + 1.8 * std::min(elements, 22.0)
                                  : 16 + 0.5 * elements;
  double perWord = shape.path == KernelPath::Mixed ? 1.03 : 0.19;
  double partials = 0;
  for (Operation *root : shape.columnRoots)
    partials += elements * double(root->getNumResults());
  return 6.8 + perWord * counts.held.read +
         1.6 * std::min(counts.liveWords, 12.0) +
         0.15 * counts.liveWords * elements + (counts.special > 0 ? 1.2 : 0) +
         0.2 * partials;
}

/// Registers of a kernel whose threads own chunks: those that are read and
/// written, the values alive, in part for each of the elements side by side,
/// and what the expansions of functions need. Places in a box take some more.
/// Of many values alive none can do without a register, however few elements a
/// thread takes at once.
static double getChunkRegisters(const KernelView &kernel,
                                const KernelCounts &counts) {
  const HeldWords &held = counts.held;
  bool box = kernel.shape && kernel.shape->path == KernelPath::Box;
  double elements = kernel.shape && counts.launch
                        ? getElementsSideBySide(*kernel.shape, *counts.launch)
                        : 1;
  double fitted = 5.4 + 0.49 * std::min(held.read, 24.0) + 0.5 * held.written +
                  0.33 * counts.liveWords + 0.17 * counts.liveWords * elements +
                  (counts.special > 0 ? 5.9 : 0) + (box ? 4.5 : 0);
  return std::max(fitted, 8 + counts.liveWords);
}

/// Those of the part that needs most, and two for the choice of the part.
static Quantity getPackedRegisters(const CostModel &model,
                                   const KernelView &kernel,
                                   const KernelCounts &counts) {
  int64_t most = 0;
  for (auto [part, own] : llvm::zip_equal(kernel.shape->parts, counts.parts)) {
    KernelView view{part.ops, own.inputs, part.outputs, &part.shape,
                    &own.counts};
    Quantity registers = model.registersPerThread(view);
    if (!registers)
      return std::nullopt;
    most = std::max(most, *registers);
  }
  return most + 2;
}

Quantity CostModel::registersPerThread(const KernelView &kernel) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  double operands = double(kernel.inputs.size() + kernel.outputs.size());
  KernelPath path = kernel.shape ? kernel.shape->path : KernelPath::Pointwise;
  switch (path) {
  case KernelPath::General:
    return toQuantity(22 + std::min(operands, 12.0));
  case KernelPath::Packed:
    return getPackedRegisters(*this, kernel, counts);
  case KernelPath::Row:
  case KernelPath::Column:
  case KernelPath::Mixed:
    return toQuantity(getRowRegisters(kernel, counts));
  case KernelPath::Attention:
    if (!counts.launch)
      return std::nullopt;
    return toQuantity(getAttentionRegisters(*kernel.shape, *counts.launch));
  case KernelPath::Tile:
    if (!isTiled(kernel, counts))
      return std::nullopt;
    return toQuantity(24 + std::min(operands, 12.0) + counts.liveWords +
                      getTileWork(*kernel.shape, *counts.launch).registers);
  case KernelPath::Window:
    return kWindowRegisters;
  case KernelPath::Pointwise:
  case KernelPath::Box:
    return toQuantity(getChunkRegisters(kernel, counts));
  }
  return std::nullopt;
}

Quantity CostModel::spilledBytesPerThread(const KernelView &kernel,
                                          const DeviceInfo &device) const {
  Quantity registers = registersPerThread(kernel);
  if (!registers)
    return std::nullopt;
  // A store and a load of four bytes for each that is too many.
  return 8 * std::max<int64_t>(0, *registers - device.maxRegistersPerThread);
}

/// Bytes of the partial results that threads exchange: one of each warp of a
/// row, or one of each thread and neighbour where rows lie along the threads.
/// Rows that a block visits at once exchange those of each column.
static int64_t getExchangeBytes(const GroupShape &shape,
                                const LaunchShape &launch) {
  auto getPartials = [&](Operation *root) -> int64_t {
    if (llvm::is_contained(shape.columnRoots, root))
      return launch.rowsPerBlock * shape.columns;
    if (launch.threadsPerRow == 1)
      return 1;
    return shape.path == KernelPath::Column ? launch.threads * launch.vector
                                            : launch.threadsPerRow / 32;
  };
  if (!hasRows(shape))
    return 0;
  int64_t bytes = 0;
  for (Operation *root : shape.roots) {
    int64_t partials = getPartials(root);
    bool isColumn = llvm::is_contained(shape.columnRoots, root);
    if (partials <= 1 || (isColumn && launch.rowsPerBlock == 1))
      continue; // Shuffles or registers suffice.
    for (Value result : root->getResults())
      bytes += llvm::alignTo(partials * getElementBytes(result.getType()), 16);
  }
  return bytes;
}

Quantity CostModel::sharedBytes(const KernelView &kernel) const {
  if (!kernel.shape)
    return 0;
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.launch)
    return std::nullopt;
  return counts.launch->stagedBytes +
         getExchangeBytes(*kernel.shape, *counts.launch);
}

Quantity CostModel::codeBytes(const KernelView &kernel) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  if (!counts.known)
    return std::nullopt;
  return toQuantity(16 * (32 + counts.staticInstructions));
}

Quantity CostModel::launches(const KernelView &) const { return 1; }

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

double Occupancy::getActiveSMs(const DeviceInfo &device) const {
  return std::min(double(device.smCount), double(blocks));
}

double Occupancy::getWarpsPerSM(const DeviceInfo &device) const {
  double warps = std::ceil(double(threadsPerBlock) / 32);
  return warps * std::min(double(residentBlocks),
                          double(blocks) / getActiveSMs(device));
}

double Occupancy::getWaves(const DeviceInfo &device) const {
  return double(blocks) / double(device.smCount * residentBlocks);
}

double Occupancy::getTail(const DeviceInfo &device) const {
  double waves = getWaves(device);
  return waves <= 1 ? 1 : std::ceil(waves) / waves;
}

double Occupancy::getImbalance(const DeviceInfo &device) const {
  double each = double(blocks) / double(device.smCount);
  return each <= 1 ? 1 : std::ceil(each) / each;
}

/// Blocks and threads; a thread for each element of the largest output if
/// nobody knows how the kernel would run.
static std::optional<Occupancy> getGrid(const KernelView &kernel,
                                        const KernelCounts &counts) {
  Occupancy grid;
  if (counts.launch) {
    grid.blocks = std::max<int64_t>(1, counts.launch->grid);
    grid.threadsPerBlock = counts.launch->threads;
    return grid;
  }
  double elements = 1;
  for (Value output : kernel.outputs) {
    std::optional<double> count = getElements(output.getType());
    if (!count)
      return std::nullopt;
    elements = std::max(elements, *count);
  }
  grid.threadsPerBlock = 256;
  grid.blocks = int64_t(std::ceil(elements / 256));
  return grid;
}

std::optional<Occupancy> CostModel::occupancy(const KernelView &kernel,
                                              const DeviceInfo &device) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  std::optional<Occupancy> grid = getGrid(kernel, counts);
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

/// Most bytes of loads that a thread of `launch` has under way: as far as there
/// are registers (64 bytes); four iterations of a loop over single elements;
/// the tiles that are copied while one is multiplied.
static double getMostInFlight(const GroupShape &shape,
                              const LaunchShape &launch) {
  if (shape.path == KernelPath::General)
    return 16;
  if (!launch.tile)
    return 64;
  // A single one is on its way half of the time.
  double stages = double(launch.tile->stages);
  double coming = stages > 1 ? stages - 1 : 0.5;
  return double(launch.stagedBytes) * coming / stages / double(launch.threads);
}

/// Bytes of loads that a thread has under way: all of them where its elements
/// are unrolled. Of a sector that is used in part all of it travels.
static double getBytesInFlight(const KernelCounts &counts,
                               const GroupShape *shape, double threads) {
  double most = 64;
  if (shape && counts.launch && shape->path != KernelPath::Packed)
    most = getMostInFlight(*shape, *counts.launch);
  // On average over the blocks of all parts.
  double sum = 0, blocks = 0;
  for (auto [part, own] :
       llvm::zip(shape ? ArrayRef(shape->parts) : ArrayRef<KernelPart>(),
                 counts.parts)) {
    if (!own.counts.launch)
      continue;
    double grid = double(own.counts.launch->grid);
    sum += grid * getMostInFlight(part.shape, *own.counts.launch);
    blocks += grid;
  }
  if (blocks > 0)
    most = sum / blocks;
  double used = std::max(1.0, counts.bytesReadSparsely);
  double travelling = std::max(used, kSectorBytes * counts.traffic.uniqueLoads);
  return std::clamp(travelling / threads, 1.0, most * travelling / used);
}

Quantity CostModel::achievableMBPerSecond(const KernelView &kernel,
                                          const DeviceInfo &device) const {
  KernelCounts storage;
  const KernelCounts &counts = getCounts(kernel, storage);
  std::optional<Occupancy> grid = occupancy(kernel, device);
  if (!counts.known || !grid)
    return std::nullopt;
  double most =
      double(device.dramGBPerSecond) * double(device.dramEfficiencyPermille);
  double threads = double(grid->blocks) * double(grid->threadsPerBlock);
  double flight = 32 * getBytesInFlight(counts, kernel.shape, threads) *
                  grid->getActiveSMs(device) * grid->getWarpsPerSM(device);
  double latency = double(std::max<int64_t>(1, device.dramLatencyNs));
  return std::max<int64_t>(1, int64_t(std::min(most, 1000 * flight / latency)));
}
