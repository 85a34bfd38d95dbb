// The models of this project: quantities to nanoseconds.
#include "fuse-mlir/CostModel/KernelCounts.h"

#include <cmath>

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::cost;

namespace {
/// What occupancy leaves of the device.
struct Residence {
  double activeSMs = 1, warpsPerSM = 1, waves = 1, tail = 1;
};
} // namespace

static Residence getResidence(const Occupancy &grid, const DeviceInfo &device) {
  Residence result;
  double blocks = double(grid.blocks);
  result.activeSMs = std::min(double(device.smCount), blocks);
  double warps = std::ceil(double(grid.threadsPerBlock) / 32);
  result.warpsPerSM = warps * std::min(double(grid.residentBlocks),
                                       std::ceil(blocks / result.activeSMs));
  result.waves = blocks / double(device.smCount * grid.residentBlocks);
  result.tail = result.waves <= 1 ? 1 : std::ceil(result.waves) / result.waves;
  return result;
}

/// Nanoseconds of global memory: bandwidth, or Little's law on the reads.
static double getMemoryNs(const KernelView &kernel, const DeviceInfo &device,
                          const Residence &residency, double reads,
                          double writes, double spilled) {
  double bandwidth = double(device.dramGBPerSecond) *
                     double(device.dramEfficiencyPermille) / 1000;
  double streaming = (reads + writes + spilled) / bandwidth;
  // A warp has the loads of its vector lanes in flight, up to four operands.
  double operands = std::clamp<double>(double(kernel.inputs.size()), 1, 4);
  double inFlight = 32 * 16 * operands;
  double latency = reads * double(device.dramLatencyNs) /
                   (residency.activeSMs * residency.warpsPerSM * inFlight);
  return std::max(streaming, latency);
}

namespace {
/// The terms of an analytic price, in nanoseconds but for `tail`.
struct AnalyticTerms {
  double memory = 0, l2 = 0, issue = 0, special = 0, f64 = 0, tensor = 0;
  double launch = 0, steps = 0, floor = 0;
  double tail = 1;

  /// Whole nanoseconds; unknown if there are too many.
  Quantity getNanoseconds() const;
};
} // namespace

Quantity AnalyticTerms::getNanoseconds() const {
  double largest = 0, sum = 0;
  for (double term : {memory, l2, issue, special, f64, tensor}) {
    largest = std::max(largest, term);
    sum += term;
  }
  double time = launch + tail * (largest + 0.05 * (sum - largest)) + steps;
  time = std::max(time, floor);
  if (!(time < 9e18))
    return std::nullopt;
  return int64_t(std::llround(time));
}

/// The terms of `kernel` on the quantities of `model`; nothing if one of them
/// is unknown.
static std::optional<AnalyticTerms> getAnalyticTerms(const CostModel &model,
                                                     const KernelView &kernel,
                                                     const DeviceInfo &device) {
  Quantity moved = model.bytesMoved(kernel);
  Quantity writes = model.bytesWritten(kernel);
  Quantity spilled = model.spilledBytesPerThread(kernel, device);
  Quantity code = model.codeBytes(kernel);
  Quantity slots = model.instructions(kernel);
  std::optional<Occupancy> grid = model.occupancy(kernel, device);
  const KernelCounts counts =
      kernel.counts ? *kernel.counts : countKernel(kernel);
  if (!moved || !writes || !spilled || !code || !slots || !grid ||
      !counts.known)
    return std::nullopt;
  Residence residency = getResidence(*grid, device);
  double reads = double(*moved - *writes);

  AnalyticTerms terms;
  double spilledBytes =
      double(*spilled) * double(grid->blocks) * double(grid->threadsPerBlock);
  terms.memory = getMemoryNs(kernel, device, residency, reads, double(*writes),
                             spilledBytes);
  terms.l2 = counts.l2Bytes / double(device.l2GBPerSecond);

  double clock = double(device.clockMHz) / 1000; // per nanosecond
  double perSlot = residency.activeSMs * clock;
  // Code beyond the instruction cache is fetched again by every warp.
  double fetch = double(*code) > double(device.instructionCacheBytes) ? 2 : 1;
  terms.issue =
      fetch * double(*slots) / (perSlot * double(device.fmaLanesPerSM));
  terms.special = counts.special / (perSlot * double(device.sfuLanesPerSM));
  terms.f64 = counts.f64 / (perSlot * double(device.f64LanesPerSM));
  // Matrix units reach about 80 % of the data sheet.
  if (counts.tensorFlops != 0 && device.tensorGFlops != 0)
    terms.tensor =
        counts.tensorFlops / (0.8 * double(device.tensorGFlops) / 1000) / 1000;
  // A barrier takes 30 clocks, each of five shuffle steps 25.
  double roots = kernel.shape && kernel.shape->path == KernelPath::Row
                     ? double(kernel.shape->roots.size())
                     : 0;
  terms.steps = roots * (30 + 5 * 25) / clock *
                std::max(1.0, std::ceil(residency.waves)) *
                (residency.waves > 1 ? 0.25 : 1);
  terms.launch = double(device.launchNs);
  terms.floor = double(device.floorNs);
  terms.tail = residency.tail;
  return terms;
}

Quantity
AnalyticCostModel::estimateNanoseconds(const KernelView &kernel,
                                       const DeviceInfo &device) const {
  std::optional<AnalyticTerms> terms = getAnalyticTerms(*this, kernel, device);
  return terms ? terms->getNanoseconds() : std::nullopt;
}

CostBreakdown AnalyticCostModel::explain(const KernelView &kernel,
                                         const DeviceInfo &device) const {
  CostBreakdown price = CostModel::explain(kernel, device);
  std::optional<AnalyticTerms> terms = getAnalyticTerms(*this, kernel, device);
  if (!terms)
    return price;
  price.terms = {{"memory", terms->memory, TermRole::Overlapped},
                 {"l2", terms->l2, TermRole::Overlapped},
                 {"issue", terms->issue, TermRole::Overlapped},
                 {"special", terms->special, TermRole::Overlapped},
                 {"f64", terms->f64, TermRole::Overlapped},
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
  double bandwidth = double(device.dramGBPerSecond) *
                     double(device.dramEfficiencyPermille) / 1000;
  return int64_t(std::llround(double(*count * device.launchNs) +
                              double(*moved) / bandwidth));
}

CostBreakdown TrafficCostModel::explain(const KernelView &kernel,
                                        const DeviceInfo &device) const {
  CostBreakdown price = CostModel::explain(kernel, device);
  Quantity count = launches(kernel);
  if (!price.nanoseconds || !count)
    return price;
  double launch = double(*count * device.launchNs);
  price.terms = {
      {"memory", double(*price.nanoseconds) - launch, TermRole::Overlapped},
      {"launch", launch, TermRole::Added}};
  return price;
}
