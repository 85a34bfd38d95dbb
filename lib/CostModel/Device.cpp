// Devices as DLTI attributes, from which planning reads all that it knows of
// the device, and what their keys may hold.
#include "fuse-mlir/CostModel/Device.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::fuse;

static constexpr StringLiteral kNameKey = "fuse.device";
static constexpr StringLiteral kChipKey = "fuse.chip";

ArrayRef<DeviceKey> fuse::getDeviceKeys() {
  constexpr int64_t kMost = int64_t(1) << 50;
  static constexpr DeviceKey keys[] = {
      {"fuse.sm_count", &DeviceInfo::smCount, 1, 1 << 16},
      {"fuse.clock_mhz", &DeviceInfo::clockMHz, 1, 100000},
      {"fuse.dram_gb_per_s", &DeviceInfo::dramGBPerSecond, 1, 1 << 20},
      {"fuse.dram_efficiency_permille", &DeviceInfo::dramEfficiencyPermille, 1,
       1000},
      {"fuse.dram_latency_ns", &DeviceInfo::dramLatencyNs, 0, 1 << 20},
      {"fuse.l2_bytes", &DeviceInfo::l2Bytes, 0, kMost},
      {"fuse.l2_gb_per_s", &DeviceInfo::l2GBPerSecond, 1, 1 << 20},
      {"fuse.shared_bytes_per_sm", &DeviceInfo::sharedBytesPerSM, 0, 1 << 30},
      {"fuse.shared_bytes_per_block", &DeviceInfo::sharedBytesPerBlock, 0,
       1 << 30},
      {"fuse.l1_bytes_per_sm", &DeviceInfo::l1BytesPerSM, 0, 1 << 30},
      {"fuse.registers_per_sm", &DeviceInfo::registersPerSM, 1024, 1 << 30},
      {"fuse.max_registers_per_thread", &DeviceInfo::maxRegistersPerThread, 16,
       255},
      {"fuse.max_threads_per_sm", &DeviceInfo::maxThreadsPerSM, 32, 1 << 16},
      {"fuse.max_blocks_per_sm", &DeviceInfo::maxBlocksPerSM, 1, 1 << 16},
      {"fuse.max_threads_per_block", &DeviceInfo::maxThreadsPerBlock, 32, 1024},
      {"fuse.fma_lanes_per_sm", &DeviceInfo::fmaLanesPerSM, 1, 1 << 16},
      {"fuse.f64_lanes_per_sm", &DeviceInfo::f64LanesPerSM, 1, 1 << 16},
      {"fuse.int_lanes_per_sm", &DeviceInfo::intLanesPerSM, 1, 1 << 16},
      {"fuse.sfu_lanes_per_sm", &DeviceInfo::sfuLanesPerSM, 1, 1 << 16},
      {"fuse.tensor_gflops", &DeviceInfo::tensorGFlops, 0, kMost},
      {"fuse.instruction_cache_bytes", &DeviceInfo::instructionCacheBytes, 1,
       1 << 30},
      {"fuse.launch_ns", &DeviceInfo::launchNs, 0, 1 << 30},
      {"fuse.stream_launch_ns", &DeviceInfo::streamLaunchNs, 0, 1 << 30},
      {"fuse.floor_ns", &DeviceInfo::floorNs, 0, 1 << 30},
      {"fuse.parameter_bytes", &DeviceInfo::parameterBytes, 1, 1 << 20},
  };
  return keys;
}

/// Whether `chip` is `sm_NN`, perhaps with a letter behind.
static bool isChipName(StringRef chip) {
  if (!chip.consume_front("sm_"))
    return false;
  if (chip.ends_with("a") || chip.ends_with("f"))
    chip = chip.drop_back();
  return !chip.empty() && llvm::all_of(chip, llvm::isDigit);
}

std::optional<std::pair<StringRef, std::string>>
fuse::findContradiction(const DeviceInfo &device) {
  auto atMost = [](int64_t value, StringRef other, int64_t limit) {
    return "to be at most '" + other.str() + "', which is " +
           std::to_string(limit) + ", but got " + std::to_string(value);
  };
  if (!isChipName(device.chip))
    return std::pair(StringRef(kChipKey), "to be a chip such as 'sm_90', but "
                                          "got '" +
                                              device.chip + "'");
  if (device.maxThreadsPerBlock > device.maxThreadsPerSM)
    return std::pair(StringRef("fuse.max_threads_per_block"),
                     atMost(device.maxThreadsPerBlock,
                            "fuse.max_threads_per_sm", device.maxThreadsPerSM));
  if (device.sharedBytesPerBlock > device.sharedBytesPerSM)
    return std::pair(StringRef("fuse.shared_bytes_per_block"),
                     atMost(device.sharedBytesPerBlock,
                            "fuse.shared_bytes_per_sm",
                            device.sharedBytesPerSM));
  if (device.sharedBytesPerSM > device.l1BytesPerSM)
    return std::pair(StringRef("fuse.shared_bytes_per_sm"),
                     atMost(device.sharedBytesPerSM, "fuse.l1_bytes_per_sm",
                            device.l1BytesPerSM));
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
  for (const DeviceKey &key : getDeviceKeys())
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
  for (const DeviceKey &known : getDeviceKeys()) {
    if (key != known.name)
      continue;
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || number.getValue().getSignificantBits() > 62 ||
        number.getValue().getSExtValue() < known.least ||
        number.getValue().getSExtValue() > known.most)
      return op->emitError("expected device key '")
             << key.getValue() << "' to be an integer from " << known.least
             << " to " << known.most << ", but got " << value;
    device.*known.field = number.getValue().getSExtValue();
    return success();
  }
  InFlightDiagnostic diag = op->emitError("unknown device key '")
                            << key.getValue() << "'; known are '" << kNameKey
                            << "', '" << kChipKey << "'";
  for (const DeviceKey &known : getDeviceKeys())
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
    if (std::optional<std::pair<StringRef, std::string>> wrong =
            findContradiction(device))
      return op->emitError("expected device key '")
             << wrong->first << "' " << wrong->second;
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
