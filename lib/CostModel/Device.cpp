// The device table, and its translation to and from DLTI attributes. Planning
// reads nothing else about the device.
#include "fuse-mlir/CostModel/Device.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// A key of the device spec, the field it fills and the least legal value.
struct IntegerKey {
  StringLiteral name;
  int64_t DeviceInfo::*field;
  int64_t least;
};
} // namespace

static constexpr StringLiteral kNameKey = "fuse.device";
static constexpr StringLiteral kChipKey = "fuse.chip";

static ArrayRef<IntegerKey> getIntegerKeys() {
  static constexpr IntegerKey keys[] = {
      {"fuse.sm_count", &DeviceInfo::smCount, 1},
      {"fuse.clock_mhz", &DeviceInfo::clockMHz, 1},
      {"fuse.dram_gb_per_s", &DeviceInfo::dramGBPerSecond, 1},
      {"fuse.dram_efficiency_permille", &DeviceInfo::dramEfficiencyPermille, 1},
      {"fuse.dram_latency_ns", &DeviceInfo::dramLatencyNs, 0},
      {"fuse.l2_bytes", &DeviceInfo::l2Bytes, 0},
      {"fuse.l2_gb_per_s", &DeviceInfo::l2GBPerSecond, 1},
      {"fuse.shared_bytes_per_sm", &DeviceInfo::sharedBytesPerSM, 0},
      {"fuse.shared_bytes_per_block", &DeviceInfo::sharedBytesPerBlock, 0},
      {"fuse.registers_per_sm", &DeviceInfo::registersPerSM, 1},
      {"fuse.max_registers_per_thread", &DeviceInfo::maxRegistersPerThread, 1},
      {"fuse.max_threads_per_sm", &DeviceInfo::maxThreadsPerSM, 32},
      {"fuse.max_blocks_per_sm", &DeviceInfo::maxBlocksPerSM, 1},
      {"fuse.max_threads_per_block", &DeviceInfo::maxThreadsPerBlock, 32},
      {"fuse.fma_lanes_per_sm", &DeviceInfo::fmaLanesPerSM, 1},
      {"fuse.f64_lanes_per_sm", &DeviceInfo::f64LanesPerSM, 1},
      {"fuse.int_lanes_per_sm", &DeviceInfo::intLanesPerSM, 1},
      {"fuse.sfu_lanes_per_sm", &DeviceInfo::sfuLanesPerSM, 1},
      {"fuse.tensor_gflops", &DeviceInfo::tensorGFlops, 0},
      {"fuse.instruction_cache_bytes", &DeviceInfo::instructionCacheBytes, 1},
      {"fuse.launch_ns", &DeviceInfo::launchNs, 0},
      {"fuse.floor_ns", &DeviceInfo::floorNs, 0},
      {"fuse.parameter_bytes", &DeviceInfo::parameterBytes, 1},
  };
  return keys;
}

ArrayRef<StringRef> fuse::getDeviceNames() {
  static constexpr StringRef names[] = {"a100", "h100", "h200"};
  return names;
}

std::optional<DeviceInfo> fuse::lookupDevice(StringRef name) {
  DeviceInfo device;
  device.name = name.str();
  if (name == "h200")
    return device;
  if (name == "h100") {
    device.dramGBPerSecond = 3350;
    return device;
  }
  if (name == "a100") {
    device.chip = "sm_80";
    device.smCount = 108;
    device.clockMHz = 1410;
    device.dramGBPerSecond = 2040;
    device.l2Bytes = 40 << 20;
    device.sharedBytesPerSM = 164 << 10;
    device.sharedBytesPerBlock = 163 << 10;
    device.fmaLanesPerSM = 64;
    device.f64LanesPerSM = 32;
    device.tensorGFlops = 312000;
    return device;
  }
  return std::nullopt;
}

Attribute fuse::getDeviceSpec(MLIRContext *context, const DeviceInfo &device) {
  Builder b(context);
  SmallVector<DataLayoutEntryInterface> entries;
  auto add = [&](StringRef key, Attribute value) {
    entries.push_back(DataLayoutEntryAttr::get(b.getStringAttr(key), value));
  };
  add(kNameKey, b.getStringAttr(device.name));
  add(kChipKey, b.getStringAttr(device.chip));
  for (const IntegerKey &key : getIntegerKeys())
    add(key.name, b.getI64IntegerAttr(device.*key.field));
  return TargetDeviceSpecAttr::get(context, entries);
}

/// The device spec of `op` itself; null if there is none.
static TargetDeviceSpecInterface getOwnSpec(Operation *op) {
  auto system = op->getAttrOfType<TargetSystemSpecAttr>(
      DLTIDialect::kTargetSystemDescAttrName);
  if (!system)
    return {};
  StringAttr id = StringAttr::get(op->getContext(), kDeviceId);
  for (DataLayoutEntryInterface entry : system.getEntries())
    if (llvm::dyn_cast_if_present<StringAttr>(entry.getKey()) == id)
      return dyn_cast<TargetDeviceSpecInterface>(entry.getValue());
  return {};
}

/// Reads one entry of a device spec into `device`.
static LogicalResult readEntry(Operation *op, DataLayoutEntryInterface entry,
                               DeviceInfo &device) {
  auto key = llvm::dyn_cast_if_present<StringAttr>(entry.getKey());
  if (!key || !key.getValue().starts_with("fuse."))
    return success(); // Somebody else's.
  Attribute value = entry.getValue();
  if (key == kNameKey || key == kChipKey) {
    auto text = dyn_cast<StringAttr>(value);
    if (!text || text.empty())
      return op->emitError("expected device key '")
             << key.getValue() << "' to be a string, but got " << value;
    (key == kNameKey ? device.name : device.chip) = text.str();
    return success();
  }
  for (const IntegerKey &known : getIntegerKeys()) {
    if (key != known.name)
      continue;
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || number.getValue().getSignificantBits() > 62 ||
        number.getValue().getSExtValue() < known.least)
      return op->emitError("expected device key '")
             << key.getValue() << "' to be an integer of at least "
             << known.least << ", but got " << value;
    device.*known.field = number.getValue().getSExtValue();
    return success();
  }
  InFlightDiagnostic diag = op->emitError("unknown device key '")
                            << key.getValue() << "'; known are '" << kNameKey
                            << "', '" << kChipKey << "'";
  for (const IntegerKey &known : getIntegerKeys())
    diag << ", '" << known.name << "'";
  return diag;
}

FailureOr<DeviceInfo> fuse::getAttachedDevice(Operation *op) {
  DeviceInfo device;
  for (; op; op = op->getParentOp()) {
    TargetDeviceSpecInterface spec = getOwnSpec(op);
    if (!spec)
      continue;
    for (DataLayoutEntryInterface entry : spec.getEntries())
      if (failed(readEntry(op, entry, device)))
        return failure();
    break;
  }
  return device;
}

LogicalResult fuse::attachDevice(Operation *op, const DeviceInfo &device) {
  Attribute spec = getDeviceSpec(op->getContext(), device);
  StringAttr id = StringAttr::get(op->getContext(), kDeviceId);
  SmallVector<DataLayoutEntryInterface> entries;
  if (auto system = op->getAttrOfType<TargetSystemSpecAttr>(
          DLTIDialect::kTargetSystemDescAttrName)) {
    for (DataLayoutEntryInterface entry : system.getEntries()) {
      if (llvm::dyn_cast_if_present<StringAttr>(entry.getKey()) != id) {
        entries.push_back(entry);
        continue;
      }
      if (entry.getValue() == spec)
        return success();
      FailureOr<DeviceInfo> old = getAttachedDevice(op);
      if (failed(old))
        return failure();
      return op->emitError("expected no other device, but got '")
             << old->name << "' attached where '" << device.name
             << "' is asked for";
    }
  }
  entries.push_back(DataLayoutEntryAttr::get(id, spec));
  op->setAttr(DLTIDialect::kTargetSystemDescAttrName,
              TargetSystemSpecAttr::get(op->getContext(), entries));
  return success();
}
