// Launches of reductions whose columns are neighbours in memory: how many
// threads share a row, and what each of them keeps of it.
#include "LaunchChoice.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fuse;

/// Whether the data say where an element of a row is read.
static bool readsByData(const GroupShape &shape) {
  return llvm::any_of(shape.accesses, [&](const LeafAccess &access) {
    for (auto [number, index] : llvm::enumerate(shape.runTimeIndices))
      if (!index.loopOf && access.linear.isFunctionOfSymbol(number))
        return true;
    return false;
  });
}

/// Clocks that a row of `chunks` chunks of `bytes` takes a multiprocessor that
/// has `rows` of them, if a thread has `positions` chunks.
static double getRowClocks(const LaunchShape &launch, const GroupShape &shape,
                           int64_t rows, int64_t chunks, double bytes,
                           int64_t positions) {
  // Instructions for an element; of a thread in an exchange of one warp, and of
  // several.
  constexpr double kElement = 16, kSteps = 20, kExchange = 60;
  // Clocks of a warp's exchange, of a barrier, and of each step between warps;
  // schedulers.
  constexpr double kWarpClocks = 125, kBarrierClocks = 30, kStepClocks = 25,
                   kSchedulers = 4;
  // Until 64 bytes of each thread are there, or 16 elements whose places are.
  constexpr double kMemoryClocks = 1190, kUnderWay = 64, kGathered = 16;
  int64_t warps = ceilDiv(ceilDiv(chunks, positions), kWarp);
  auto reductions = double(shape.roots.size());
  double work = kElement * double(positions * launch.vector);
  double exchange = warps > 1 ? kExchange : kSteps;
  double issue =
      double(rows * warps) * (work + reductions * exchange) / kSchedulers;
  double memory =
      kMemoryClocks * std::max(1.0, double(positions) * bytes / kUnderWay);
  if (readsByData(shape))
    memory += kMemoryClocks *
              std::max(1.0, double(positions * launch.vector) / kGathered);
  double waiting = kWarpClocks;
  if (warps > 1)
    waiting += kBarrierClocks +
               kStepClocks * double(llvm::Log2_64_Ceil(uint64_t(warps)));
  return std::max({issue, work, memory}) + reductions * waiting;
}

/// Chunks of a thread where rows are so few that a multiprocessor has nothing
/// else to do meanwhile: those that take the least time, or the most if the
/// launch takes longer.
static int64_t choosePositionsOfFew(const LaunchShape &launch,
                                    const GroupShape &shape, int64_t rows,
                                    int64_t chunks, int64_t maxPositions,
                                    int64_t inputBytes) {
  int64_t best = 1;
  double least = INFINITY;
  for (int64_t positions = 1; positions <= maxPositions; positions *= 2) {
    double clocks = std::max(
        getRowClocks(launch, shape, ceilDiv(rows, Rates::kMultiprocessors),
                     chunks, double(inputBytes) / double(chunks), positions),
        Rates::kShortest - Rates::kLaunch);
    if (clocks <= least)
      best = positions;
    least = std::min(least, clocks);
  }
  return best;
}

/// Threads of a row and the positions of each, for `chunks` chunks;
/// `inputBytes` is what a row of all inputs takes.
static void splitRow(LaunchShape &launch, const GroupShape &shape, int64_t rows,
                     int64_t chunks, int64_t maxPositions, int64_t inputBytes) {
  launch.residency = Residency::Registers;
  // Up to a warp's registers: no exchange beyond the warp.
  bool manyRows = rows >= 132 * 4;
  if (chunks <= kWarp) {
    launch.threadsPerRow = llvm::PowerOf2Ceil(chunks);
    launch.positions = 1;
    return;
  }
  if (manyRows && chunks <= kWarp * maxPositions &&
      chunks * launch.vector <= kWarp * kRowWords) {
    launch.threadsPerRow = kWarp;
    launch.positions = ceilDiv(chunks, kWarp);
    return;
  }
  // All registers if there are rows for several blocks on each multiprocessor:
  // fewest exchanges; half of them if there are fewer.
  int64_t wanted = rows >= Rates::kMultiprocessors * 16 ? maxPositions
                   : manyRows
                       ? std::max<int64_t>(maxPositions / 2, 1)
                       : choosePositionsOfFew(launch, shape, rows, chunks,
                                              maxPositions, inputBytes);
  launch.positions = std::max(wanted, ceilDiv(chunks, kMaxThreads));
  if (launch.positions > maxPositions) {
    bool fits = inputBytes <= kRowSharedBytes;
    launch.residency = fits ? Residency::Shared : Residency::Reread;
    launch.stagedBytes = fits ? inputBytes : 0;
    launch.threadsPerRow = fits ? kMaxThreads : kMaxThreads / 2;
    launch.positions = ceilDiv(chunks, launch.threadsPerRow);
    return;
  }
  launch.threadsPerRow = roundToWarps(ceilDiv(chunks, launch.positions));
  launch.positions = ceilDiv(chunks, launch.threadsPerRow);
}

/// Long rows of which each element is needed once: looped over, and shared by
/// blocks if there are too few rows to fill the device. False for other rows.
static bool chooseSinglePass(const GroupShape &shape,
                             const Footprint &footprint, int64_t chunks,
                             LaunchShape &launch) {
  constexpr int64_t kThreads = 256;
  int64_t positions = ceilDiv(chunks, kThreads);
  if (!shape.singlePass || positions < 4)
    return false;
  launch.threadsPerRow = kThreads;
  launch.residency = Residency::None;
  splitColumns(launch, shape, footprint, shape.rows, chunks, positions);
  return true;
}

/// Short rows that do not begin at sectors: a block stages a range of rows in
/// shared memory, and few threads, each with many elements, take a row. False
/// if that does not pay or does not fit.
static bool chooseStaged(const GroupShape &shape, const Footprint &footprint,
                         TypeRange inputs, TypeRange outputs,
                         LaunchShape &launch) {
  constexpr int64_t kShortest = 8, kLongest = 128, kSharedBytes = 48 * 1024;
  if (shape.columns <= kShortest || shape.columns > kLongest ||
      shape.columns % (kAccessBytes / footprint.smallest) == 0 ||
      shape.rows < kWarp)
    return false;
  int64_t bytesPerRow = 0;
  int64_t space = shape.rows * shape.columns;
  auto addRow = [&](RankedTensorType type) {
    if (type.getNumElements() == space)
      bytesPerRow += bytesOf(type) * shape.columns;
  };
  forEachFull(inputs, space, addRow);
  forEachFull(outputs, space, addRow);
  launch = LaunchShape();
  launch.residency = Residency::Shared;
  launch.threadsPerRow =
      llvm::PowerOf2Ceil(ceilDiv(shape.columns, kRowWords + 8));
  launch.rowsPerBlock = shape.rows >= 132 * 128 ? 128 : kWarp;
  while (launch.rowsPerBlock > kWarp &&
         launch.rowsPerBlock * bytesPerRow > kSharedBytes)
    launch.rowsPerBlock /= 2;
  launch.positions = ceilDiv(shape.columns, launch.threadsPerRow);
  launch.stagedBytes = launch.rowsPerBlock * bytesPerRow;
  return launch.stagedBytes <= kSharedBytes;
}

/// Whether no operand as large as the space has neighbours along the columns,
/// so that each element of a vector would be an access of its own.
static bool readsApart(const GroupShape &shape) {
  bool isApart = false;
  for (const LeafAccess &access : shape.accesses) {
    auto type = cast<RankedTensorType>(access.value.getType());
    if (type.getNumElements() < shape.rows * shape.columns)
      continue;
    AffineExpr linear = access.linear;
    AffineExpr zero = getAffineConstantExpr(0, linear.getContext());
    AffineExpr one = getAffineConstantExpr(1, linear.getContext());
    AffineExpr step = linear.replaceDims({zero, one}) - //
                      linear.replaceDims({zero, zero});
    if (step == zero || step == one || step == zero - one)
      return false;
    isApart = true;
  }
  return isApart && llvm::none_of(shape.outputs, [](const OutputSeed &seed) {
           return seed.isFull();
         });
}

/// Bytes of a row of all operands as large as the space.
static int64_t getOrderedBytes(const GroupShape &shape) {
  llvm::SmallDenseSet<Value, 4> seen;
  int64_t bytes = 0;
  for (const LeafAccess &access : shape.accesses) {
    auto type = cast<RankedTensorType>(access.value.getType());
    if (type.getNumElements() == shape.rows * shape.columns &&
        seen.insert(access.value).second)
      bytes += bytesOf(type) * shape.columns;
  }
  return bytes;
}

bool fuse::canStageOrdered(const GroupShape &shape) {
  int64_t bytes = getOrderedBytes(shape);
  return bytes > 0 && kWarp * bytes <= kStaticShared;
}

/// A thread for each row, which the block has copied to shared memory.
static LaunchShape chooseOrdered(const GroupShape &shape) {
  constexpr int64_t kMostRows = 128;
  LaunchShape launch;
  int64_t rows = std::max<int64_t>(shape.rows, 1);
  int64_t bytes = getOrderedBytes(shape);
  launch.residency = Residency::Shared;
  launch.rowsPerBlock =
      rows >= Rates::kMultiprocessors * kMostRows ? kMostRows : kWarp;
  while (launch.rowsPerBlock > kWarp &&
         launch.rowsPerBlock * bytes > kStaticShared)
    launch.rowsPerBlock /= 2;
  launch.positions = std::max<int64_t>(shape.columns, 1);
  launch.stagedBytes = launch.rowsPerBlock * bytes;
  launch.threads = launch.rowsPerBlock;
  launch.grid = ceilDiv(rows, launch.rowsPerBlock);
  return launch;
}

LaunchShape fuse::chooseRow(const GroupShape &shape, const Footprint &footprint,
                            TypeRange inputs, TypeRange outputs,
                            bool mayCluster) {
  if (shape.singlePass && needOrder(shape.roots))
    return chooseOrdered(shape);
  LaunchShape launch;
  int64_t rows = std::max<int64_t>(shape.rows, 1);
  int64_t columns = std::max<int64_t>(shape.columns, 1);
  launch.vector =
      readsApart(shape)
          ? 1
          : std::clamp<int64_t>(kAccessBytes / footprint.smallest, 1, 8);
  while (columns % launch.vector != 0)
    launch.vector /= 2;
  // Elements by which a row may begin after a sector's start.
  int64_t perSector = kSectorBytes / footprint.smallest;
  bool misaligned = rows > 1 && columns % (kAccessBytes / footprint.smallest);
  if (misaligned && columns > 4 * kWarp) {
    launch.shift = perSector;
    launch.vector = 1;
  }
  int64_t maxPositions =
      std::max<int64_t>(kRowWords / countHeldWords(shape) / launch.vector, 1);
  int64_t chunks =
      ceilDiv(columns + std::max<int64_t>(launch.shift - 1, 0), launch.vector);
  LaunchShape staged;
  if (chooseSinglePass(shape, footprint, chunks, launch)) {
    launch.threads = launch.threadsPerRow;
    launch.grid = rows * launch.parts;
    return launch;
  }
  int64_t inputBytes = footprint.inputBytes / rows;
  splitRow(launch, shape, rows, chunks, maxPositions, inputBytes);
  if (mayCluster && launch.residency == Residency::Registers)
    spreadOverCluster(shape, chunks, launch);
  else if (mayCluster)
    chooseCluster(shape, chunks, inputBytes, kRowSharedBytes, launch);
  if (chooseStaged(shape, footprint, inputs, outputs, staged))
    launch = staged;
  else if (launch.threadsPerRow <= kWarp)
    // Few rows are for as many multiprocessors.
    launch.rowsPerBlock = std::max<int64_t>(
        kWarp / launch.threadsPerRow,
        std::min<int64_t>(
            128 / launch.threadsPerRow,
            llvm::PowerOf2Ceil(ceilDiv(rows, Rates::kMultiprocessors))));
  launch.threads = launch.threadsPerRow * launch.rowsPerBlock;
  launch.grid = ceilDiv(rows, launch.rowsPerBlock) * launch.parts;
  return launch;
}
