// Facts about a device that plans are priced with, and their form in the IR: a
// DLTI target device spec with documented `fuse.*` keys (docs/CostModel.md).
#ifndef FUSE_MLIR_COSTMODEL_DEVICE_H
#define FUSE_MLIR_COSTMODEL_DEVICE_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace mlir::fuse {

/// One GPU. Every number is an integer in the unit of its name. The
/// constructor's values are those of an H200 SXM.
struct DeviceInfo {
  std::string name = "h200";
  std::string chip = "sm_90";
  int64_t smCount = 132;
  int64_t clockMHz = 1830;
  /// Data-sheet DRAM bandwidth; `dramEfficiencyPermille` of it is reached.
  int64_t dramGBPerSecond = 4800;
  int64_t dramEfficiencyPermille = 910;
  int64_t dramLatencyNs = 650;
  int64_t l2Bytes = 50 << 20;
  int64_t l2GBPerSecond = 5500;
  int64_t sharedBytesPerSM = 228 << 10;
  int64_t sharedBytesPerBlock = 227 << 10;
  /// L1 and shared memory together: they share their cells.
  int64_t l1BytesPerSM = 256 << 10;
  int64_t registersPerSM = 65536;
  int64_t maxRegistersPerThread = 255;
  int64_t maxThreadsPerSM = 2048;
  int64_t maxBlocksPerSM = 32;
  int64_t maxThreadsPerBlock = 1024;
  int64_t fmaLanesPerSM = 128;
  int64_t f64LanesPerSM = 64;
  int64_t intLanesPerSM = 64;
  int64_t sfuLanesPerSM = 16;
  /// Dense f16/bf16 matrix units.
  int64_t tensorGFlops = 989000;
  int64_t instructionCacheBytes = 128 << 10;
  /// Cost of a launch in a CUDA graph and of one without, and the shortest
  /// kernel there is.
  int64_t launchNs = 1300;
  int64_t streamLaunchNs = 5000;
  int64_t floorNs = 2000;
  /// Largest size of all kernel parameters together.
  int64_t parameterBytes = 32764;
};

/// Names of the devices in the built-in table, sorted.
SmallVector<StringRef> getDeviceNames();

/// The built-in device `name`; nothing if there is none.
std::optional<DeviceInfo> lookupDevice(StringRef name);

/// The device that a JSON file describes: an object of the keys of
/// docs/CostModel.md without their prefix, and `like`, the built-in device that
/// gives the values of keys that are left out (default: the H200). Emits an
/// error at the file's line and column if it is no such object, or if a key,
/// type or value is wrong.
FailureOr<DeviceInfo> readDeviceFile(StringRef path, MLIRContext *context);

/// Whether `device`, where a name or a file is asked for, is a file: it ends in
/// `.json`.
bool isDeviceFile(StringRef device);

/// A fact about a device that a user may give: its key in a device spec, the
/// field that it fills, and the values that can be.
struct DeviceKey {
  StringLiteral name;
  int64_t DeviceInfo::*field;
  int64_t least, most;
};

/// The keys with whole numbers, in the order of the documentation.
/// `fuse.device` and `fuse.chip` are strings.
ArrayRef<DeviceKey> getDeviceKeys();

/// Why `device` cannot be, if a value contradicts another one or its chip is
/// none: the key in question and a phrase. Single values are checked where they
/// are read.
std::optional<std::pair<StringRef, std::string>>
findContradiction(const DeviceInfo &device);

/// The DLTI target device spec that stands for `device`.
Attribute getDeviceSpec(MLIRContext *context, const DeviceInfo &device);

/// Name of the entry of `dlti.target_system_spec` that holds the device.
inline constexpr llvm::StringLiteral kDeviceId = "GPU";

/// The device attached to `op` or the closest operation around it. Without one
/// the H200. A wrong key, type or value is a located error.
FailureOr<DeviceInfo> getAttachedDevice(Operation *op);

/// Attaches `device` to `op`. The same device again is no change; another one
/// is an error.
LogicalResult attachDevice(Operation *op, const DeviceInfo &device);

} // namespace mlir::fuse

#endif // FUSE_MLIR_COSTMODEL_DEVICE_H
