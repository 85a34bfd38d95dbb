// Removes the dialect's discardable attributes when their last reader is done.
#include "fuse-mlir/Conversion/Passes.h"
#include "fuse-mlir/IR/FuseDialect.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FUSESTRIPMARKERS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {
struct StripMarkers : public fuse::impl::FuseStripMarkersBase<StripMarkers> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      for (NamedAttribute attr :
           llvm::to_vector(op->getDiscardableAttrs()))
        if (isa_and_nonnull<fuse::FuseDialect>(attr.getNameDialect()))
          op->removeDiscardableAttr(attr.getName());
    });
  }
};
} // namespace
