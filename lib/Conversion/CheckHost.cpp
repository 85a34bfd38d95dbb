// Finds host operations that the lowering to the LLVM dialect left over.
#include "fuse-mlir/Conversion/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CHECKHOSTPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {
struct CheckHost : public fuse::impl::CheckHostPassBase<CheckHost> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (form != "mlir" && form != "llvm") {
      module.emitError() << "expected option 'host' to be 'mlir' or 'llvm', "
                            "but got '"
                         << form << "'";
      return signalPassFailure();
    }
    if (form == "mlir")
      return;
    WalkResult result = module.walk<WalkOrder::PreOrder>([](Operation *op) {
      if (isa<gpu::BinaryOp>(op))
        return WalkResult::skip();
      if (isa<ModuleOp, gpu::LaunchFuncOp>(op) ||
          isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitError() << "expected host code that lowers to the LLVM dialect, "
                         "but got '"
                      << op->getName() << "'";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
