// The models of this project: quantities to nanoseconds.
#include "fuse-mlir/Analysis/ReductionParts.h"
#include "fuse-mlir/CostModel/AttentionTraffic.h"
#include "fuse-mlir/CostModel/KernelCounts.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

namespace {
/// The terms of an analytic price, in nanoseconds but for `tail`.
struct AnalyticTerms {
  double memory = 0, l2 = 0, l1 = 0, shared = 0;
  double issue = 0, special = 0, f64 = 0, integer = 0, tensor = 0;
  double launch = 0, steps = 0, floor = 0;
  double tail = 1;

  std::array<double, 9> getOverlapped() const {
    return {memory, l2, l1, shared, issue, special, f64, integer, tensor};
  }
  double getLargest() const { return *llvm::max_element(getOverlapped()); }
  /// What overlaps, together.
  double getWork() const {
    double largest = getLargest(), sum = 0;
    for (double term : getOverlapped())
      sum += term;
    return largest + 0.05 * (sum - largest);
  }
  /// The tail, where that of memory is shorter than that of all else.
  void setTails(double ofMemory, double ofOthers);
  /// To at least `factor` times `part` in each that overlaps.
  void raise(const AnalyticTerms &part, double factor);
  /// Whole nanoseconds; unknown if there are too many.
  Quantity getNanoseconds() const;
};

/// The quantities of one kernel that its price rests on.
struct Quantities {
  double dram = 0, l2 = 0, l1 = 0, spilled = 0, bandwidth = 1;
  /// The bandwidth if only what is under way limited it.
  double underWay = 1;
  double slots = 0, special = 0, f64 = 0, integer = 0, tensor = 0, code = 0;
  double wavefronts = 0;
  double reads = 0, launches = 1;
  Occupancy grid;
};
} // namespace

void AnalyticTerms::raise(const AnalyticTerms &part, double factor) {
  for (double AnalyticTerms::*term :
       {&AnalyticTerms::memory, &AnalyticTerms::l2, &AnalyticTerms::l1,
        &AnalyticTerms::shared, &AnalyticTerms::issue, &AnalyticTerms::special,
        &AnalyticTerms::f64, &AnalyticTerms::integer, &AnalyticTerms::tensor})
    this->*term = std::max(this->*term, factor * (part.*term));
}

void AnalyticTerms::setTails(double ofMemory, double ofOthers) {
  AnalyticTerms stretched = *this;
  stretched.memory *= ofMemory / ofOthers;
  double work = getWork();
  tail = work > 0 ? ofOthers * stretched.getWork() / work : ofOthers;
}

Quantity AnalyticTerms::getNanoseconds() const {
  double time = launch + tail * getWork() + steps;
  time = std::max(time, floor);
  if (!(time < 9e18))
    return std::nullopt;
  return int64_t(std::llround(time));
}

/// Asks `model` for everything; nothing if something is unknown.
static std::optional<Quantities> getQuantities(const AnalyticCostModel &model,
                                               const KernelView &kernel,
                                               const DeviceInfo &device) {
  Quantities all;
  bool known = true;
  auto take = [&](double &field, Quantity value) {
    known &= value.has_value();
    field = double(value.value_or(0));
  };
  std::optional<Occupancy> grid = model.occupancy(kernel, device);
  if (!grid)
    return std::nullopt;
  all.grid = *grid;
  double written = 0;
  take(all.dram, model.dramBytes(kernel, device));
  take(written, model.bytesWritten(kernel));
  take(all.l2, model.l2Bytes(kernel, device));
  take(all.l1, model.l1Bytes(kernel));
  take(all.spilled, model.spilledBytesPerThread(kernel, device));
  take(all.bandwidth, model.achievableMBPerSecond(kernel, device));
  DeviceInfo unlimited = device;
  unlimited.dramGBPerSecond = INT32_MAX;
  take(all.underWay, model.achievableMBPerSecond(kernel, unlimited));
  take(all.slots, model.instructions(kernel));
  take(all.special, model.specialSlots(kernel));
  take(all.f64, model.f64Slots(kernel));
  take(all.integer, model.integerSlots(kernel));
  take(all.tensor, model.tensorFlops(kernel));
  take(all.wavefronts, model.sharedWavefronts(kernel));
  take(all.code, model.codeBytes(kernel));
  take(all.launches, model.launches(kernel));
  all.reads = std::max(0.0, all.dram - written);
  if (!known)
    return std::nullopt;
  return all;
}

/// Clocks that a block waits at a barrier, and for a step of shuffles; of an
/// element that waits for the one before it.
static constexpr double kBarrierClocks = 30, kShuffleClocks = 25,
                        kElementClocks = 10;

/// Clocks of the steps of a block that wait for each other: for each reduction
/// of a row the shuffles, and where several warps share the row a barrier and
/// the shuffles of the second stage. On path `mixed` a block
/// does so for one row after the other; sums of columns wait at its end only.
/// Of parts side by side the longest counts. Where the order of elements
/// matters a row is steps as well.
static double getStepClocks(const GroupShape &shape,
                            const KernelCounts &counts) {
  double longest = 0;
  for (auto [part, own] : llvm::zip(shape.parts, counts.parts))
    longest = std::max(longest, getStepClocks(part.shape, own.counts));
  if (!counts.launch)
    return longest;
  const LaunchShape &launch = *counts.launch;
  if (shape.path == KernelPath::Attention && launch.tile)
    return getWalkClocks(shape, launch, kBarrierClocks, kShuffleClocks);
  if (!hasRows(shape))
    return longest;
  int64_t threads = launch.threadsPerRow;
  double clocks = kShuffleClocks *
                  double(llvm::Log2_64_Ceil(std::min<int64_t>(threads, 32)));
  if (threads > 32)
    clocks += kBarrierClocks +
              kShuffleClocks * double(llvm::Log2_64_Ceil(threads / 32));
  double steps = double(shape.roots.size());
  if (shape.singlePass && needOrder(shape.roots))
    return kElementClocks * steps * double(shape.columns);
  if (shape.path == KernelPath::Mixed) {
    double columns = double(shape.columnRoots.size());
    steps = double(launch.steps) * (steps - columns) + columns;
  }
  return steps * clocks;
}

/// Clocks after the last tile of a row that several share: the exchange between
/// blocks, and what the last one loads, beyond the 32 words of a row that a
/// thread has under way (TileRows.cpp). Blocks of a cluster wait for each other
/// and read from each other's shared memory, for each reduction: some 200
/// clocks each on an H100 (Luo et al., "Benchmarking and Dissecting the Nvidia
/// Hopper GPU Architecture", 2024, measure 180 for a read). Of parts side by
/// side the longest counts.
static double getFinishClocks(const GroupShape &shape,
                              const KernelCounts &counts) {
  constexpr double kExchange = 2500, kLoad = 800, kTogether = 32;
  constexpr double kCluster = 400;
  double longest = 0;
  for (auto [part, own] : llvm::zip(shape.parts, counts.parts))
    longest = std::max(longest, getFinishClocks(part.shape, own.counts));
  if (shape.joinsRows)
    return kCluster * double(shape.roots.size() - shape.contractions.size());
  if (!counts.launch || !sharesRows(shape))
    return longest;
  const LaunchShape &launch = *counts.launch;
  double rows = std::ceil(double(launch.tile->rows) / double(launch.threads));
  double words = double(launch.scratchBytes) / double(4 * shape.rows);
  return kExchange + kLoad * (rows * std::ceil(words / kTogether) - 1);
}

/// Bytes that DRAM gives in a nanosecond.
static double getDramRate(const DeviceInfo &device) {
  return double(device.dramGBPerSecond) *
         double(device.dramEfficiencyPermille) / 1000;
}

/// Nanoseconds that `slots` take on `lanes` per multiprocessor.
static double getIssueTime(double slots, double activeSMs, int64_t lanes,
                           const DeviceInfo &device) {
  double clock = double(device.clockMHz) / 1000; // per nanosecond
  return slots / (activeSMs * clock * double(lanes));
}

/// Nanoseconds that `bytes` take from L2, of whose bandwidth each
/// multiprocessor has its share.
static double getL2Time(double bytes, double activeSMs,
                        const DeviceInfo &device) {
  return bytes * double(device.smCount) /
         (double(device.l2GBPerSecond) * activeSMs);
}

/// Nanoseconds that `bytes` take from L1, which gives four sectors per clock.
static double getL1Time(double bytes, double activeSMs,
                        const DeviceInfo &device) {
  double clock = double(device.clockMHz) / 1000; // per nanosecond
  return bytes / (4 * kSectorBytes * activeSMs * clock);
}

/// Nanoseconds that `wavefronts` of shared memory take, one per clock.
static double getSharedTime(double wavefronts, double activeSMs,
                            const DeviceInfo &device) {
  double clock = double(device.clockMHz) / 1000; // per nanosecond
  return wavefronts / (activeSMs * clock);
}

/// Nanoseconds of `flops` on matrix units, which reach about 80 % of the data
/// sheet.
static double getTensorTime(double flops, double activeSMs,
                            const DeviceInfo &device) {
  if (flops == 0 || device.tensorGFlops == 0)
    return 0;
  return flops * double(device.smCount) /
         (0.8 * double(device.tensorGFlops) * activeSMs);
}

namespace {
/// A part of a packed kernel: the terms that multiprocessors share, as if its
/// blocks were on all of them.
struct PartTerms {
  AnalyticTerms terms;
  int64_t blocks = 1;

  /// Nanoseconds of one block, if so many run at a time.
  double getBlockTime(int64_t slots) const {
    return terms.getLargest() * double(slots) / double(blocks);
  }
};
} // namespace

/// How much longer the arithmetic of tiles takes than on all lanes of the
/// multiprocessor that has most blocks: warps are dealt to quarters of it, and
/// some of these have fewer than others.
static double getUnevenness(const Occupancy &grid, const DeviceInfo &device) {
  constexpr double kQuarters = 4;
  double blocks = std::ceil(double(grid.blocks) / double(device.smCount));
  double warps = blocks * std::ceil(double(grid.threadsPerBlock) / 32);
  return std::ceil(warps / kQuarters) * kQuarters / warps;
}

static PartTerms getPartTerms(const AnalyticCostModel &model,
                              const KernelPart &part, const PartCounts &own,
                              const DeviceInfo &device, double fetch,
                              double uneven) {
  double active = double(device.smCount);
  KernelView view{part.ops, own.inputs, part.outputs, &part.shape, &own.counts};
  auto issue = [&](Quantity slots, int64_t lanes) {
    return getIssueTime(double(slots.value_or(0)), active / uneven, lanes,
                        device);
  };
  double l2 = double(model.l2Bytes(view, device).value_or(0));
  double l1 = double(model.l1Bytes(view).value_or(0));
  double tensor = double(model.tensorFlops(view).value_or(0));
  double wavefronts = double(model.sharedWavefronts(view).value_or(0));
  PartTerms result;
  result.blocks = std::max<int64_t>(1, own.counts.launch->grid);
  result.terms.l2 = getL2Time(l2, active, device);
  result.terms.l1 = getL1Time(l1, active, device);
  result.terms.shared = getSharedTime(wavefronts, active, device);
  result.terms.issue =
      fetch * issue(model.instructions(view), device.fmaLanesPerSM);
  result.terms.special = issue(model.specialSlots(view), device.sfuLanesPerSM);
  result.terms.f64 = issue(model.f64Slots(view), device.f64LanesPerSM);
  result.terms.integer = issue(model.integerSlots(view), device.intLanesPerSM);
  result.terms.tensor = getTensorTime(tensor, active / uneven, device);
  return result;
}

/// Of all places that run a block at a time the last one ends after the blocks
/// that take `time` or more, for each such time, as evenly as they can be
/// shared (Graham, Bounds on multiprocessing timing anomalies, 1969).
static double getLongestShare(MutableArrayRef<PartTerms> parts, int64_t slots) {
  llvm::sort(parts, [&](const PartTerms &a, const PartTerms &b) {
    return a.getBlockTime(slots) > b.getBlockTime(slots);
  });
  int64_t blocks = 0;
  double longest = 0;
  for (const PartTerms &part : parts) {
    blocks += part.blocks;
    double each = double(llvm::divideCeil(blocks, slots));
    longest = std::max(longest, each * part.getBlockTime(slots));
  }
  return longest;
}

/// How much longer the parts take than their blocks would if the device were
/// busy to the end: as long as the last wave of equal blocks, or less if the
/// last ones may be short ones. (That few long ones remain is in the terms.)
static double getTailOfParts(MutableArrayRef<PartTerms> parts,
                             const Occupancy &grid, const DeviceInfo &device) {
  double sum = 0;
  for (const PartTerms &part : parts)
    sum += part.terms.getLargest();
  double longest = getLongestShare(parts, device.smCount * grid.residentBlocks);
  return sum > 0 ? std::clamp(longest / sum, 1.0, grid.getTail(device)) : 1;
}

/// A part with few blocks is not faster beside others than it is alone: they
/// leave it as few multiprocessors. And blocks that take differently long are
/// shared unevenly.
static void raiseToParts(const AnalyticCostModel &model,
                         const KernelView &kernel, const DeviceInfo &device,
                         const Occupancy &grid, double fetch, double uneven,
                         AnalyticTerms &terms) {
  bool contracts = kernel.counts->contracts;
  bool hasTail = contracts || grid.getWaves(device) > 1;
  SmallVector<PartTerms> parts;
  for (auto [part, own] :
       llvm::zip_equal(kernel.shape->parts, kernel.counts->parts)) {
    bool few = own.counts.launch && own.counts.launch->grid < device.smCount;
    if (!own.counts.launch || !(few || hasTail))
      continue;
    PartTerms &made = parts.emplace_back(
        getPartTerms(model, part, own, device, fetch, uneven));
    if (few)
      terms.raise(made.terms, double(device.smCount) / double(made.blocks));
    KernelView view{part.ops, own.inputs, part.outputs, &part.shape,
                    &own.counts};
    if (!contracts)
      made.terms.memory = double(model.dramBytes(view, device).value_or(0)) /
                          getDramRate(device);
  }
  // What is bound by arithmetic waits for the multiprocessor that has most.
  if (contracts)
    terms.tail = std::max(1.0, getLongestShare(parts, device.smCount) /
                                   terms.getLargest());
  else if (hasTail)
    terms.tail = getTailOfParts(parts, grid, device);
}

/// How much longer memory takes than if it were busy to the end. Blocks beyond
/// those that keep it busy get nothing from it that they would not get later:
/// of all numbers of blocks that do, the best counts.
static double getTailOfMemory(const Quantities &all, const DeviceInfo &device) {
  Occupancy grid = all.grid;
  double busy = double(grid.residentBlocks) * all.bandwidth / all.underWay;
  double least = grid.getTail(device);
  while (grid.residentBlocks > 1 && double(grid.residentBlocks - 1) >= busy) {
    --grid.residentBlocks;
    least = std::min(least, grid.getTail(device));
  }
  return least;
}

/// The terms of `kernel` on the quantities of `model`; nothing if one of them
/// is unknown.
static std::optional<AnalyticTerms>
getAnalyticTerms(const AnalyticCostModel &model, const KernelView &kernel,
                 const DeviceInfo &device) {
  CountedView view(kernel);
  const KernelView &counted = view.get();
  std::optional<Quantities> all = getQuantities(model, counted, device);
  if (!all)
    return std::nullopt;
  double clock = double(device.clockMHz) / 1000; // per nanosecond
  double active = all->grid.getActiveSMs(device);
  double threads = double(all->grid.blocks) * double(all->grid.threadsPerBlock);

  AnalyticTerms terms;
  terms.memory =
      std::max((all->dram + all->spilled * threads) / getDramRate(device),
               1000 * all->reads / all->bandwidth);
  terms.l2 = getL2Time(all->l2, active, device);
  terms.l1 = getL1Time(all->l1, active, device);
  terms.shared = getSharedTime(all->wavefronts, active, device);
  // Code beyond the instruction cache is fetched again by every warp.
  double fetch = all->code > double(device.instructionCacheBytes) ? 2 : 1;
  // What lies between the products of an attention fills up idle quarters.
  bool isAttention = kernel.shape &&
                     kernel.shape->path == KernelPath::Attention &&
                     !kernel.shape->stages[1].shape.roots.empty();
  double uneven = counted.counts->contracts && !isAttention
                      ? getUnevenness(all->grid, device)
                      : 1;
  auto issue = [&](double slots, int64_t lanes) {
    return getIssueTime(slots, active / uneven, lanes, device);
  };
  terms.issue = fetch * issue(all->slots, device.fmaLanesPerSM);
  terms.special = issue(all->special, device.sfuLanesPerSM);
  terms.f64 = issue(all->f64, device.f64LanesPerSM);
  terms.integer = issue(all->integer, device.intLanesPerSM);
  terms.tensor = getTensorTime(all->tensor, active / uneven, device);
  bool packed = kernel.shape && kernel.shape->path == KernelPath::Packed;
  if (packed)
    raiseToParts(model, counted, device, all->grid, fetch, uneven, terms);
  if (kernel.shape)
    terms.steps = (getStepClocks(*kernel.shape, *counted.counts) *
                       std::max(1.0, all->grid.getWaves(device)) +
                   getFinishClocks(*kernel.shape, *counted.counts)) /
                  clock;
  terms.launch = all->launches * double(model.getAssumptions().graph
                                            ? device.launchNs
                                            : device.streamLaunchNs);
  terms.floor = double(device.floorNs);
  if (!packed && counted.counts->contracts)
    terms.tail = all->grid.getImbalance(device);
  else if (!packed)
    terms.setTails(getTailOfMemory(*all, device), all->grid.getTail(device));
  return terms;
}

Quantity
AnalyticCostModel::estimateNanoseconds(const KernelView &kernel,
                                       const DeviceInfo &device) const {
  std::optional<AnalyticTerms> terms = getAnalyticTerms(*this, kernel, device);
  return terms ? terms->getNanoseconds() : std::nullopt;
}

int64_t AnalyticCostModel::leastNanoseconds(const DeviceInfo &device) const {
  return device.floorNs;
}

CostBreakdown AnalyticCostModel::explain(const KernelView &view,
                                         const DeviceInfo &device) const {
  CountedView counted(view);
  const KernelView &kernel = counted.get();
  CostBreakdown price = CostModel::explain(kernel, device);
  std::optional<AnalyticTerms> terms = getAnalyticTerms(*this, kernel, device);
  if (!terms)
    return price;
  price.terms = {{"memory", terms->memory, TermRole::Overlapped},
                 {"l2", terms->l2, TermRole::Overlapped},
                 {"l1", terms->l1, TermRole::Overlapped},
                 {"shared", terms->shared, TermRole::Overlapped},
                 {"issue", terms->issue, TermRole::Overlapped},
                 {"special", terms->special, TermRole::Overlapped},
                 {"f64", terms->f64, TermRole::Overlapped},
                 {"integer", terms->integer, TermRole::Overlapped},
                 {"tensor", terms->tensor, TermRole::Overlapped},
                 {"tail", terms->tail, TermRole::Factor},
                 {"steps", terms->steps, TermRole::Added},
                 {"launch", terms->launch, TermRole::Added},
                 {"floor", terms->floor, TermRole::Floor}};
  return price;
}

Quantity TrafficCostModel::estimateNanoseconds(const KernelView &kernel,
                                               const DeviceInfo &device) const {
  Quantity moved = bytesMoved(kernel);
  Quantity count = launches(kernel);
  if (!moved || !count)
    return std::nullopt;
  int64_t launch = assumptions.graph ? device.launchNs : device.streamLaunchNs;
  return int64_t(std::llround(double(*count) * double(launch) +
                              double(*moved) / getDramRate(device)));
}

/// A launch.
int64_t TrafficCostModel::leastNanoseconds(const DeviceInfo &device) const {
  return assumptions.graph ? device.launchNs : device.streamLaunchNs;
}

CostBreakdown TrafficCostModel::explain(const KernelView &view,
                                        const DeviceInfo &device) const {
  CountedView counted(view);
  const KernelView &kernel = counted.get();
  CostBreakdown price = CostModel::explain(kernel, device);
  Quantity count = launches(kernel);
  if (!price.nanoseconds || !count)
    return price;
  double launch =
      double(*count) *
      double(assumptions.graph ? device.launchNs : device.streamLaunchNs);
  price.terms = {
      {"memory", double(*price.nanoseconds) - launch, TermRole::Overlapped},
      {"launch", launch, TermRole::Added}};
  return price;
}
