// fuse-inline-groups: the way back from groups and kernels to plain operators.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/IR/FuseOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_INLINEGROUPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct InlineGroups : fuse::impl::InlineGroupsPassBase<InlineGroups> {
  void runOnOperation() override;
};
} // namespace

/// Puts the body of `op` in its place; `values` stand for its arguments.
static void inlineBody(Operation *op, ValueRange values) {
  Block &body = op->getRegion(0).front();
  for (auto [arg, value] : llvm::zip(body.getArguments(), values))
    arg.replaceAllUsesWith(value);
  Operation *yield = body.getTerminator();
  op->replaceAllUsesWith(yield->getOperands());
  yield->erase();
  op->getBlock()->getOperations().splice(Block::iterator(op),
                                         body.getOperations());
  op->erase();
}

void InlineGroups::runOnOperation() {
  SmallVector<Operation *> found;
  getOperation()->walk([&](Operation *op) {
    if (isa<GroupOp, KernelOp, BoundaryOp>(op) && op != getOperation())
      found.push_back(op);
  });
  for (Operation *op : found) {
    if (BoundaryOp boundary = dyn_cast<BoundaryOp>(op)) {
      boundary.replaceAllUsesWith(boundary.getInput());
      boundary.erase();
    } else {
      // A group has no arguments; a kernel one for each operand.
      inlineBody(op, isa<KernelOp>(op) ? op->getOperands() : ValueRange());
    }
  }
}
