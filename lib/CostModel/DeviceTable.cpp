// The built-in devices, from NVIDIA's data sheets and architecture white papers
// (docs/CostModel.md lists the sources).
#include "fuse-mlir/CostModel/Device.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// What distinguishes the built-in devices; the rest is the same for all.
struct Row {
  StringLiteral name, chip;
  int64_t smCount, clockMHz, dramGBPerSecond;
  int64_t l2MiB, l2GBPerSecond;
  /// Shared memory per multiprocessor, of which a block gets all but 1 KiB (all
  /// of it on an sm_75), and with the L1 that shares its cells.
  int64_t sharedKiB, sharedPerBlockKiB, l1KiB;
  int64_t maxThreadsPerSM, maxBlocksPerSM;
  int64_t fmaLanes, f64Lanes, tensorGFlops;
};
} // namespace

static constexpr Row kRows[] = {
    {"a100", "sm_80", 108, 1410, 2040, 40, 5500, 164, 163, 192, 2048, 32, 64,
     32, 312000},
    {"a100-40", "sm_80", 108, 1410, 1555, 40, 5500, 164, 163, 192, 2048, 32, 64,
     32, 312000},
    {"a100-80", "sm_80", 108, 1410, 2040, 40, 5500, 164, 163, 192, 2048, 32, 64,
     32, 312000},
    {"b200", "sm_100", 148, 1965, 8000, 126, 6600, 228, 227, 256, 2048, 32, 128,
     64, 2250000},
    {"h100", "sm_90", 132, 1830, 3350, 50, 5500, 228, 227, 256, 2048, 32, 128,
     64, 989000},
    {"h100-pcie", "sm_90", 114, 1755, 2000, 50, 4550, 228, 227, 256, 2048, 32,
     128, 64, 756000},
    {"h100-sxm", "sm_90", 132, 1830, 3350, 50, 5500, 228, 227, 256, 2048, 32,
     128, 64, 989000},
    {"h200", "sm_90", 132, 1830, 4800, 50, 5500, 228, 227, 256, 2048, 32, 128,
     64, 989000},
    {"l4", "sm_89", 58, 2040, 300, 48, 1830, 100, 99, 128, 1536, 24, 128, 2,
     121000},
    {"rtx4090", "sm_89", 128, 2520, 1008, 72, 5000, 100, 99, 128, 1536, 24, 128,
     2, 165200},
    {"t4", "sm_75", 40, 1590, 320, 4, 1270, 64, 64, 96, 1024, 16, 64, 2, 65000},
};

SmallVector<StringRef> fuse::getDeviceNames() {
  return llvm::map_to_vector(
      kRows, [](const Row &row) { return StringRef(row.name); });
}

std::optional<DeviceInfo> fuse::lookupDevice(StringRef name) {
  const Row *row = llvm::find_if(
      kRows, [&](const Row &known) { return known.name == name; });
  if (row == std::end(kRows))
    return std::nullopt;
  DeviceInfo device;
  device.name = row->name.str();
  device.chip = row->chip.str();
  device.smCount = row->smCount;
  device.clockMHz = row->clockMHz;
  device.dramGBPerSecond = row->dramGBPerSecond;
  device.l2Bytes = row->l2MiB << 20;
  device.l2GBPerSecond = row->l2GBPerSecond;
  device.sharedBytesPerSM = row->sharedKiB << 10;
  device.sharedBytesPerBlock = row->sharedPerBlockKiB << 10;
  device.l1BytesPerSM = row->l1KiB << 10;
  device.maxThreadsPerSM = row->maxThreadsPerSM;
  device.maxBlocksPerSM = row->maxBlocksPerSM;
  device.fmaLanesPerSM = row->fmaLanes;
  device.f64LanesPerSM = row->f64Lanes;
  device.tensorGFlops = row->tensorGFlops;
  return device;
}
