// Frees what a bufferized function allocates: directly where the lifetime of
// each buffer is plain, by upstream's ownership analysis elsewhere.
#include "DeallocateBuffers.h"

#include "BufferClasses.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Where one buffer of a function ends.
struct Lifetime {
  Value root;
  bool isOwned;    // allocated here, or the result of a call
  Operation *last; // in the block of the root, for owned buffers
  SmallVector<OpOperand *> returned;
};

} // namespace

/// The lifetime of a class of buffers, or nothing if it is not plain.
static std::optional<Lifetime> getLifetime(const BufferClasses::Class &entry,
                                           const BufferClasses &classes) {
  if (entry.roots.size() != 1)
    return std::nullopt;
  Lifetime life = {entry.roots.front(), false, nullptr, {}};
  Operation *def = life.root.getDefiningOp();
  life.isOwned = isa_and_nonnull<memref::AllocOp, CallOpInterface>(def);
  if (!def || !life.isOwned) {
    if (def && !isa<memref::GetGlobalOp>(def))
      return std::nullopt;
    if (!def &&
        !isa<FunctionOpInterface>(life.root.getParentBlock()->getParentOp()))
      return std::nullopt;
  }
  life.last = def;
  Block *block = life.root.getParentBlock();
  for (Value value : classes.reachableFrom(life.root))
    for (OpOperand &use : value.getUses()) {
      BufferUse kind = classifyBufferUse(use);
      // The author of the function frees this one.
      if (kind == BufferUse::Free)
        life.isOwned = false;
      if (kind == BufferUse::Return)
        life.returned.push_back(&use);
      Operation *ancestor = block->findAncestorOpInBlock(*use.getOwner());
      if (!ancestor)
        return std::nullopt;
      if (life.isOwned && life.last->isBeforeInBlock(ancestor))
        life.last = ancestor;
    }
  return life;
}

/// Collects all lifetimes, or nothing if one is not plain.
static std::optional<SmallVector<Lifetime>>
getLifetimes(FunctionOpInterface function) {
  if (!function.getFunctionBody().hasOneBlock())
    return std::nullopt;
  // What these hide cannot be followed.
  WalkResult hides = function.walk([](Operation *op) {
    return isa<bufferization::ToTensorOp, bufferization::ToBufferOp,
               memref::AllocaScopeOp, memref::ReallocOp>(op)
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  if (hides.wasInterrupted())
    return std::nullopt;
  BufferClasses classes(function);
  SmallVector<Lifetime> lifetimes;
  for (const BufferClasses::Class &entry : classes.classes()) {
    std::optional<Lifetime> life = getLifetime(entry, classes);
    if (!life)
      return std::nullopt;
    lifetimes.push_back(std::move(*life));
  }
  return lifetimes;
}

LogicalResult fuse::deallocateBuffers(FunctionOpInterface function,
                                      SymbolTableCollection &symbols) {
  if (function.isExternal())
    return success();
  std::optional<SmallVector<Lifetime>> lifetimes = getLifetimes(function);
  if (!lifetimes) {
    WalkResult frees = function.walk(
        [](memref::DeallocOp) { return WalkResult::interrupt(); });
    if (frees.wasInterrupted()) {
      function.emitWarning("buffers of tensors are not freed in a function "
                           "that frees buffers and has control flow");
      return success();
    }
    return bufferization::deallocateBuffersOwnershipBased(
        function, bufferization::DeallocationOptions(), symbols);
  }
  OpBuilder builder(function.getContext());
  for (Lifetime &life : *lifetimes) {
    Location loc = life.root.getLoc();
    // An owned buffer is given away once; any other result is a copy.
    bool givesAway = life.isOwned && !life.returned.empty() &&
                     isa<MemRefType>(life.root.getType());
    for (OpOperand *use :
         ArrayRef(life.returned).drop_front(givesAway ? 1 : 0)) {
      builder.setInsertionPoint(use->getOwner());
      use->set(bufferization::CloneOp::create(
          builder, use->getOwner()->getLoc(), use->get()));
    }
    if (!life.isOwned || givesAway)
      continue;
    if (life.last->hasTrait<OpTrait::IsTerminator>())
      builder.setInsertionPoint(life.last);
    else
      builder.setInsertionPointAfter(life.last);
    memref::DeallocOp::create(builder, loc, life.root);
  }
  return success();
}
