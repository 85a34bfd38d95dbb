// Attaches the NVVM target that follows from the device.
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/CostModel/Device.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// A chip and the PTX version asked for: 8.3 or the first that knows it.
/// (LLVM aborts on a version that is too old, so none is left to chance.)
struct Chip {
  StringRef name, features;
};

constexpr Chip kChips[] = {
    {"sm_75", "+ptx83"},  {"sm_80", "+ptx83"},  {"sm_86", "+ptx83"},
    {"sm_87", "+ptx83"},  {"sm_89", "+ptx84"},  {"sm_90", "+ptx84"},
    {"sm_90a", "+ptx84"}, {"sm_100", "+ptx86"}, {"sm_100a", "+ptx86"},
    {"sm_120", "+ptx87"},
};

struct AttachTarget : public fuse::impl::AttachTargetPassBase<AttachTarget> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::string name = chip;
    if (name.empty()) {
      FailureOr<DeviceInfo> device = getAttachedDevice(module);
      if (failed(device))
        return signalPassFailure();
      name = device->chip;
    }
    const Chip *found = llvm::find_if(
        kChips, [&](const Chip &candidate) { return candidate.name == name; });
    if (found == std::end(kChips)) {
      InFlightDiagnostic diag = module.emitError()
                                << "expected option 'chip' to be one of ";
      llvm::interleaveComma(kChips, diag,
                            [&](const Chip &known) { diag << known.name; });
      diag << ", but got '" << name << "'";
      return signalPassFailure();
    }
    if (optLevel > 3) {
      module.emitError() << "expected option 'opt-level' to be 0 to 3, but got "
                         << optLevel.getValue();
      return signalPassFailure();
    }
    std::optional<std::string> asked = getFeatures(*found);
    if (!asked || failed(checkClusters(*found)))
      return signalPassFailure();
    Attribute target = NVVM::NVVMTargetAttr::get(
        module.getContext(), static_cast<int>(optLevel), "nvptx64-nvidia-cuda",
        found->name, *asked);
    for (gpu::GPUModuleOp kernels : module.getOps<gpu::GPUModuleOp>())
      if (!kernels.getTargetsAttr())
        kernels.setTargetsAttr(ArrayAttr::get(module.getContext(), target));
  }

private:
  /// Kernels may have been planned for a later device than the chip.
  LogicalResult checkClusters(const Chip &chip) {
    unsigned number = 0;
    StringRef digits = chip.name.drop_front(3);
    if (!digits.consumeInteger(10, number) && number >= 90)
      return success();
    WalkResult result = getOperation().walk([&](gpu::GPUFuncOp function) {
      if (!function->hasAttr("nvvm.cluster_dim"))
        return WalkResult::advance();
      function.emitError() << "kernel '" << function.getName()
                           << "' was planned for a device with clusters, but "
                           << chip.name << " has none";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// The features to ask for; nothing, after an error, if they cannot be had.
  std::optional<std::string> getFeatures(const Chip &chip) {
    if (features.empty())
      return chip.features.str();
    unsigned least = 0, version = 0;
    chip.features.drop_front(4).getAsInteger(10, least);
    StringRef text = features;
    if (text.consume_front("+ptx") && !text.getAsInteger(10, version) &&
        version >= least && version <= 88)
      return features;
    getOperation().emitError()
        << "expected option 'features' to be '" << chip.features
        << "' or a later PTX version up to '+ptx88' for " << chip.name
        << ", but got '" << features << "'";
    return std::nullopt;
  }
};
} // namespace
