// Moves deallocations up to the last use, so that less memory is in use.
#include "fuse-mlir/Conversion/Passes.h"

#include "BufferClasses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_HOISTDEALLOCSPASS
#include "fuse-mlir/Conversion/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Moves `dealloc` up in its block, which also holds the definition.
static void hoist(memref::DeallocOp dealloc, const BufferClasses &classes) {
  Value buffer = dealloc.getMemref();
  Block *block = dealloc->getBlock();
  Operation *last = buffer.getDefiningOp();
  for (Value value : classes.reachableFrom(buffer))
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block->findAncestorOpInBlock(*user);
      if (!ancestor)
        return;
      if (ancestor != dealloc && last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
  if (last->isBeforeInBlock(dealloc) && !isa<memref::DeallocOp>(last))
    dealloc->moveAfter(last);
}

namespace {
struct HoistDeallocs : public fuse::impl::HoistDeallocsPassBase<HoistDeallocs> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](FunctionOpInterface function) {
      if (function.isExternal())
        return WalkResult::skip();
      SmallVector<memref::DeallocOp> deallocs;
      function.walk([&](memref::DeallocOp op) {
        memref::AllocOp alloc = op.getMemref().getDefiningOp<memref::AllocOp>();
        if (alloc && alloc->getBlock() == op->getBlock())
          deallocs.push_back(op);
      });
      if (deallocs.empty())
        return WalkResult::skip();
      BufferClasses classes(function);
      for (memref::DeallocOp dealloc : deallocs)
        hoist(dealloc, classes);
      return WalkResult::skip();
    });
  }
};
} // namespace
