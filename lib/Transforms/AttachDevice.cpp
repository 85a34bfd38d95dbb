// fuse-attach-device: the device of a plan as attributes of the module.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/CostModel/Device.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Diagnostics.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_ATTACHDEVICEPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct AttachDevice : fuse::impl::AttachDevicePassBase<AttachDevice> {
  using AttachDevicePassBase::AttachDevicePassBase;

  void runOnOperation() override {
    FailureOr<DeviceInfo> device =
        file.empty() ? getByName() : readDeviceFile(file, &getContext());
    if (failed(device) || failed(attachDevice(getOperation(), *device)))
      signalPassFailure();
  }

private:
  FailureOr<DeviceInfo> getByName() {
    std::optional<DeviceInfo> device = lookupDevice(deviceName);
    if (device)
      return *device;
    InFlightDiagnostic diag = getOperation()->emitError("unknown device '")
                              << deviceName << "'; known are ";
    llvm::interleaveComma(getDeviceNames(), diag, [&](StringRef known) {
      diag << "'" << known << "'";
    });
    return diag;
  }
};
} // namespace
