// Links CUDA's libdevice where a kernel calls it, and only there.
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/Target/CudaToolkit.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_LINKLIBDEVICEPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {
struct LinkLibdevice : public fuse::impl::LinkLibdevicePassBase<LinkLibdevice> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    LLVM::CallOp call;
    module.walk([&](LLVM::CallOp candidate) {
      std::optional<StringRef> callee = candidate.getCallee();
      if (!callee || !callee->starts_with("__nv_"))
        return WalkResult::advance();
      call = candidate;
      return WalkResult::interrupt();
    });
    if (!call)
      return;
    std::optional<std::string> library = fuse::findLibdevice();
    if (!library) {
      // Bodies of named operators have no locations of their own.
      Operation *place = call;
      if (isa<UnknownLoc>(call.getLoc()))
        place = call->getParentOfType<LLVM::LLVMFuncOp>();
      place->emitError() << "expected a CUDA toolkit with libdevice.10.bc for '"
                         << *call.getCallee()
                         << "', but found none (set CUDA_HOME)";
      return signalPassFailure();
    }
    link(module, *library);
  }

private:
  /// Adds the file to those that each target of `module` links.
  static void link(gpu::GPUModuleOp module, StringRef library) {
    ArrayAttr targets = module.getTargetsAttr();
    if (!targets)
      return;
    Builder builder(module.getContext());
    SmallVector<Attribute> changed;
    for (Attribute attr : targets) {
      NVVM::NVVMTargetAttr target = dyn_cast<NVVM::NVVMTargetAttr>(attr);
      if (!target) {
        changed.push_back(attr);
        continue;
      }
      SmallVector<Attribute> files;
      if (target.getLink())
        llvm::append_range(files, target.getLink());
      files.push_back(builder.getStringAttr(library));
      changed.push_back(NVVM::NVVMTargetAttr::get(
          module.getContext(), target.getO(), target.getTriple(),
          target.getChip(), target.getFeatures(), target.getFlags(),
          builder.getArrayAttr(files), target.getVerifyTarget()));
    }
    module.setTargetsAttr(builder.getArrayAttr(changed));
  }
};
} // namespace
