// Removes the dialect's discardable attributes when their last reader is done.
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_STRIPMARKERSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

/// How `fuse-bufferize-host` marks results that are arguments.
static constexpr StringLiteral kResultAttrName = "bufferize.result";

/// Where `fuse-attach-device` puts the device.
static constexpr StringLiteral kSystemSpecAttrName = "dlti.target_system_spec";

namespace {
struct StripMarkers : public fuse::impl::StripMarkersPassBase<StripMarkers> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
        if (isa_and_nonnull<fuse::FuseDialect>(attr.getNameDialect()))
          op->removeDiscardableAttr(attr.getName());
      if (device)
        op->removeDiscardableAttr(kSystemSpecAttrName);
      FunctionOpInterface function = dyn_cast<FunctionOpInterface>(op);
      for (unsigned i = 0, e = function ? function.getNumArguments() : 0; i < e;
           ++i)
        if (function.getArgAttr(i, kResultAttrName))
          function.removeArgAttr(i, kResultAttrName);
    });
  }
};
} // namespace
