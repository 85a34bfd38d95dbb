// Copies what kernels read and what is not ours to place: arguments, constants
// and results of calls.
#include "ImportBuffers.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class BufferImporter {
public:
  BufferImporter(FunctionOpInterface function, const DeviceUses &deviceUses)
      : function(function), deviceUses(deviceUses) {}
  void run();

private:
  void importReadOnly(Value root, const BufferClasses &classes);
  void importCallResult(Value root);
  bool isReadOnly(Value root, const BufferClasses &classes);
  bool mayCalleeWrite(OpOperand &operand, DenseSet<Value> &visited);
  void freeAfterLastUse(Value buffer, ArrayRef<Value> derived);

  FunctionOpInterface function;
  const DeviceUses &deviceUses;
};

} // namespace

FunctionOpInterface fuse::getCallee(Operation *op,
                                    SymbolTableCollection &symbols) {
  CallOpInterface call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return nullptr;
  return dyn_cast_or_null<FunctionOpInterface>(
      call.resolveCallableInTable(&symbols));
}

bool DeviceUses::contains(OpOperand &use) const {
  BufferUse kind = classifyBufferUse(use);
  if (kind == BufferUse::Launch)
    return true;
  return deviceMemory && kind == BufferUse::Call &&
         functions.contains(getCallee(use.getOwner()));
}

Value fuse::allocateLike(OpBuilder &builder, Location loc, Value buffer) {
  MemRefType type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(builder, loc, buffer, dim));
  return memref::AllocOp::create(
      builder, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes, builder.getI64IntegerAttr(64));
}

/// Whether the callee, or what it calls, may write through this argument.
bool BufferImporter::mayCalleeWrite(OpOperand &operand,
                                    DenseSet<Value> &visited) {
  FunctionOpInterface callee = deviceUses.getCallee(operand.getOwner());
  CallOpInterface call = cast<CallOpInterface>(operand.getOwner());
  if (!callee || callee.isExternal() ||
      callee.getNumArguments() != call.getArgOperands().size())
    return true;
  unsigned index =
      operand.getOperandNumber() - call.getArgOperands().getBeginOperandIndex();
  Value argument = callee.getArgument(index);
  if (!visited.insert(argument).second)
    return false;
  BufferClasses classes(callee);
  for (Value value : classes.reachableFrom(argument))
    for (OpOperand &use : value.getUses())
      if (classifyBufferUse(use) == BufferUse::Call
              ? mayCalleeWrite(use, visited)
              : mayWriteBuffer(use))
        return true;
  return false;
}

bool BufferImporter::isReadOnly(Value root, const BufferClasses &classes) {
  for (Value value : classes.reachableFrom(root))
    for (OpOperand &use : value.getUses()) {
      DenseSet<Value> visited;
      if (classifyBufferUse(use) == BufferUse::Call
              ? mayCalleeWrite(use, visited)
              : mayWriteBuffer(use))
        return false;
    }
  return true;
}

/// Frees `buffer` when nothing derived from it is used any more.
void BufferImporter::freeAfterLastUse(Value buffer, ArrayRef<Value> derived) {
  Block *entry = &function.getFunctionBody().front();
  Location loc = buffer.getLoc();
  if (function.getFunctionBody().hasOneBlock()) {
    Operation *last = buffer.getDefiningOp();
    for (Value value : derived)
      for (Operation *user : value.getUsers()) {
        Operation *ancestor = entry->findAncestorOpInBlock(*user);
        if (last->isBeforeInBlock(ancestor))
          last = ancestor;
      }
    OpBuilder builder(last);
    if (!last->hasTrait<OpTrait::IsTerminator>())
      builder.setInsertionPointAfter(last);
    memref::DeallocOp::create(builder, loc, buffer);
    return;
  }
  for (Block &block : function.getFunctionBody())
    if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>()) {
      OpBuilder builder(block.getTerminator());
      memref::DeallocOp::create(builder, loc, buffer);
    }
}

/// Copies an argument or constant before its first use that leads to a kernel,
/// and lets all such uses have the copy.
void BufferImporter::importReadOnly(Value root, const BufferClasses &classes) {
  auto reachesKernel = [&](Value value) {
    return llvm::any_of(classes.reachableFrom(value), [&](Value reached) {
      return llvm::any_of(reached.getUses(), [&](OpOperand &use) {
        return deviceUses.contains(use);
      });
    });
  };
  Block *entry = &function.getFunctionBody().front();
  SmallVector<OpOperand *> moved;
  Operation *first = entry->getTerminator();
  for (OpOperand &use : root.getUses()) {
    Operation *owner = use.getOwner();
    bool moves = deviceUses.contains(use);
    if (!moves && classifyBufferUse(use) == BufferUse::Forward)
      moves = isa<RegionBranchTerminatorOpInterface>(owner)
                  ? reachesKernel(root)
                  : (owner->getNumResults() == 0 ||
                     llvm::any_of(owner->getResults(), reachesKernel) ||
                     owner->getNumRegions() != 0);
    if (!moves)
      continue;
    moved.push_back(&use);
    Operation *ancestor = entry->findAncestorOpInBlock(*owner);
    if (ancestor && ancestor->isBeforeInBlock(first))
      first = ancestor;
  }
  if (moved.empty())
    return;
  OpBuilder builder(first);
  if (!function.getFunctionBody().hasOneBlock())
    builder.setInsertionPointAfterValue(root);
  Location loc = root.getLoc();
  Value copy = allocateLike(builder, loc, root);
  memref::CopyOp::create(builder, loc, root, copy);
  for (OpOperand *use : moved)
    use->set(copy);
  SmallVector<Value> derived = classes.reachableFrom(root);
  derived.front() = copy;
  freeAfterLastUse(copy, derived);
}

/// Moves the result of a call, which is ours alone, to memory we place.
void BufferImporter::importCallResult(Value root) {
  OpBuilder builder(function.getContext());
  builder.setInsertionPointAfterValue(root);
  Location loc = root.getLoc();
  Value copy = allocateLike(builder, loc, root);
  memref::CopyOp::create(builder, loc, root, copy);
  Operation *freeing = memref::DeallocOp::create(builder, loc, root);
  root.replaceUsesWithIf(copy, [&](OpOperand &use) {
    return use.getOwner() != freeing &&
           use.getOwner() != copy.getDefiningOp() &&
           !(isa<memref::CopyOp>(use.getOwner()) &&
             cast<memref::CopyOp>(use.getOwner()).getTarget() == copy) &&
           !isa<memref::DimOp>(use.getOwner());
  });
}

void BufferImporter::run() {
  BufferClasses classes(function);
  SmallVector<Value> readOnly, owned;
  for (const BufferClasses::Class &entry : classes.classes()) {
    for (Value root : entry.roots) {
      Operation *op = root.getDefiningOp();
      bool reached =
          llvm::any_of(classes.reachableFrom(root), [&](Value value) {
            return llvm::any_of(value.getUses(), [&](OpOperand &use) {
              return deviceUses.contains(use);
            });
          });
      if (!reached || !isContiguousBuffer(root))
        continue;
      if (memref::GetGlobalOp global =
              dyn_cast_or_null<memref::GetGlobalOp>(op)) {
        Block &block = function.getFunctionBody().front();
        if (global->getBlock() != &block)
          global->moveBefore(&block, block.begin());
      } else if (deviceUses.deviceMemory) {
        continue;
      } else if (op) {
        if (isa<CallOpInterface>(op))
          owned.push_back(root);
        continue;
      }
      if ((op || cast<BlockArgument>(root).getOwner()->isEntryBlock()) &&
          isReadOnly(root, classes))
        readOnly.push_back(root);
    }
  }
  for (Value root : readOnly)
    importReadOnly(root, classes);
  for (Value root : owned)
    importCallResult(root);
}

void fuse::importBuffers(FunctionOpInterface function,
                         const DeviceUses &deviceUses) {
  BufferImporter(function, deviceUses).run();
}
