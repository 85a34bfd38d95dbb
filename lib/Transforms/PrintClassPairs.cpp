// fuse-print-class-pairs: the table of which classes may share a kernel.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Analysis/ClassPairs.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PRINTCLASSPAIRSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;

namespace {
struct PrintClassPairs : fuse::impl::PrintClassPairsPassBase<PrintClassPairs> {
  void runOnOperation() override {
    fuse::printClassPairs(llvm::outs());
    markAllAnalysesPreserved();
  }
};
} // namespace
