// From counters to nanoseconds: residency, then each unit by itself.
#include "Yardstick.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::fuse;

/// Units whose times overlap with that of the slowest one leave so much of it.
static constexpr double kRest = 0.05;
static constexpr double kSectorBytes = 32;
/// Warp instructions that an SM issues, lanes that it shuffles and wavefronts
/// of shared memory, per clock.
static constexpr double kIssue = 4, kShuffleLanes = 32, kWavefronts = 1;
/// Slices of L2, each of which does one atomic per clock.
static constexpr double kSlices = 96;
/// Clocks that a block waits at a barrier, and for a step of shuffles.
static constexpr double kBarrierClocks = 30, kShuffleClocks = 25;

namespace {
/// Counters of a launch by path; what is not there is zero.
class Reader {
public:
  explicit Reader(const llvm::json::Object &object) : object(object) {}
  double get(std::initializer_list<llvm::StringRef> path) const {
    const llvm::json::Object *at = &object;
    for (llvm::StringRef name :
         llvm::ArrayRef(path.begin(), path.size()).drop_back())
      if (!(at = at->getObject(name)))
        return 0;
    return at->getNumber(*(path.end() - 1)).value_or(0);
  }
  double getLanes(llvm::StringRef name) const {
    return get({"by_class", name, "thread"});
  }

private:
  const llvm::json::Object &object;
};

struct Residency {
  /// SMs with a block, warps on each of them, and blocks ÷ those that are
  /// resident on all at once.
  double activeSMs = 1, warps = 1, waves = 1;
  double getTail() const { return waves <= 1 ? 1 : std::ceil(waves) / waves; }
};
} // namespace

static Residency getResidency(const Reader &counters, double warpsPerBlock,
                              const DeviceInfo &device) {
  double blocks = std::max(1.0, counters.get({"blocks"}));
  double resident = std::max(1.0, counters.get({"resident_blocks"}));
  double sms = double(device.smCount);
  Residency result;
  result.activeSMs = std::min(sms, blocks);
  result.warps =
      std::min(resident, std::ceil(blocks / result.activeSMs)) * warpsPerBlock;
  result.waves = blocks / (sms * resident);
  return result;
}

static double getDramTime(const Reader &counters, const Residency &residency,
                          const DeviceInfo &device) {
  double reads = kSectorBytes * counters.get({"caches", "dram_reads"});
  double writes = kSectorBytes * counters.get({"caches", "dram_writes"});
  double peak = double(device.dramGBPerSecond) *
                double(device.dramEfficiencyPermille) / 1000; // Bytes per ns.
  double inFlight = counters.get({"load_run_bytes"});
  double latency = inFlight == 0
                       ? 0
                       : reads * double(device.dramLatencyNs) /
                             (residency.activeSMs * residency.warps * inFlight);
  return std::max((reads + writes) / peak, latency);
}

/// What all units take, one for each; DRAM is the first.
static std::vector<double> getUnitTimes(const Reader &counters,
                                        const Residency &residency,
                                        const DeviceInfo &device) {
  double clocks = double(device.clockMHz) / 1000; // Per ns.
  double sms = residency.activeSMs;
  auto perSM = [&](double work, double perClock) {
    return work / perClock / sms / clocks;
  };
  double l2 = counters.get({"caches", "l2_reads"}) +
              counters.get({"caches", "l2_writes"}) +
              counters.get({"caches", "l2_atomics"}) +
              counters.get({"local_load", "requested"}) +
              counters.get({"local_store", "requested"});
  double wavefronts = counters.get({"shared_load", "wavefronts"}) +
                      counters.get({"shared_store", "wavefronts"}) +
                      counters.get({"shared_atomic", "wavefronts"});
  return {
      getDramTime(counters, residency, device),
      kSectorBytes * l2 /
          (double(device.l2GBPerSecond) * sms / double(device.smCount)),
      perSM(counters.get({"warp_instructions"}), kIssue),
      perSM(counters.getLanes("fp32") + counters.getLanes("fp16"),
            double(device.fmaLanesPerSM)),
      perSM(counters.getLanes("fp64"), double(device.f64LanesPerSM)),
      perSM(counters.getLanes("integer") + counters.getLanes("predicate"),
            double(device.intLanesPerSM)),
      perSM(counters.getLanes("sfu") + counters.getLanes("convert"),
            double(device.sfuLanesPerSM)),
      perSM(counters.getLanes("shuffle"), kShuffleLanes),
      counters.get({"flops", "tensor"}) / double(device.tensorGFlops) *
          double(device.smCount) / sms,
      perSM(wavefronts, kWavefronts),
      counters.get({"atomic_passes"}) / kSlices / clocks,
  };
}

static double getKernelTime(const llvm::json::Object &launch,
                            const llvm::json::Object &object,
                            const DeviceInfo &device) {
  Reader counters(object);
  double warps = std::max(1.0, counters.get({"warps"}));
  double perBlock = 1;
  if (const llvm::json::Array *block = launch.getArray("block"))
    for (const llvm::json::Value &size : *block)
      perBlock *= size.getAsNumber().value_or(1);
  double warpsPerBlock = std::ceil(perBlock / 32);
  Residency residency = getResidency(counters, warpsPerBlock, device);
  std::vector<double> units = getUnitTimes(counters, residency, device);
  double slowest = *std::max_element(units.begin(), units.end()), sum = 0;
  for (double unit : units)
    sum += unit;
  double steps =
      kBarrierClocks * counters.get({"barriers"}) / warps +
      kShuffleClocks * counters.get({"by_class", "shuffle", "warp"}) / warps;
  double waiting =
      std::ceil(residency.waves) * steps / (double(device.clockMHz) / 1000);
  return residency.getTail() * (slowest + kRest * (sum - slowest)) + waiting;
}

std::vector<LaunchTime> fuse::getLaunchTimes(const llvm::json::Object &runtime,
                                             const DeviceInfo &device) {
  std::vector<LaunchTime> times;
  const llvm::json::Array *launches = runtime.getArray("launches");
  for (const llvm::json::Value &value :
       launches ? llvm::ArrayRef(launches->data(), launches->size())
                : llvm::ArrayRef<llvm::json::Value>()) {
    const llvm::json::Object *launch = value.getAsObject();
    if (!launch)
      continue;
    LaunchTime &time = times.emplace_back();
    llvm::StringRef kind = launch->getString("kind").value_or("");
    time.name = launch->getString("name").value_or(kind).str();
    const llvm::json::Object *counters = launch->getObject("counters");
    if (kind == "kernel" && !counters) {
      time.nanoseconds = 1e6 * launch->getNumber("milliseconds").value_or(0);
      continue;
    }
    double bytes = launch->getNumber("bytes").value_or(0);
    double work = counters ? getKernelTime(*launch, *counters, device)
                           : (kind == "copy" ? 2 : 1) * bytes * 1000 /
                                 (double(device.dramGBPerSecond) *
                                  double(device.dramEfficiencyPermille));
    time.nanoseconds =
        std::max(double(device.floorNs), double(device.launchNs) + work);
  }
  return times;
}

double fuse::getTotal(const std::vector<LaunchTime> &launches) {
  double sum = 0;
  for (const LaunchTime &launch : launches)
    sum += launch.nanoseconds;
  return sum;
}
