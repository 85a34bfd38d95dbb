// Which buffers of a function may be the same memory: union-find over what
// views, selects, branches and region operations forward.
#include "BufferClasses.h"

#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::fuse;

static bool isBuffer(Value value) {
  return isa<BaseMemRefType>(value.getType());
}

bool fuse::isContiguousBuffer(Value value) {
  MemRefType type = dyn_cast<MemRefType>(value.getType());
  return type && type.getLayout().isIdentity();
}

/// Calls `forward(operand, target)` for all that `op` forwards.
static void
forEachForwarding(Operation *op,
                  llvm::function_ref<void(OpOperand &, Value)> forward) {
  if (ViewLikeOpInterface view = dyn_cast<ViewLikeOpInterface>(op)) {
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == view.getViewSource())
        return forward(operand, view.getViewDest());
    return;
  }
  // A kernel looks at bits as bytes through a cast of the buffer.
  if (isa<memref::ExtractStridedMetadataOp>(op) ||
      (isa<UnrealizedConversionCastOp>(op) && op->getNumOperands() == 1 &&
       op->getNumResults() == 1))
    return forward(op->getOpOperand(0), op->getResult(0));
  if (isa<arith::SelectOp>(op)) {
    forward(op->getOpOperand(1), op->getResult(0));
    return forward(op->getOpOperand(2), op->getResult(0));
  }
  if (RegionBranchOpInterface regionOp =
          dyn_cast<RegionBranchOpInterface>(op)) {
    RegionBranchSuccessorMapping mapping;
    regionOp.getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, targets] : mapping)
      for (Value target : targets)
        forward(*operand, target);
    return;
  }
  BranchOpInterface branch = dyn_cast<BranchOpInterface>(op);
  if (!branch)
    return;
  for (auto [index, block] : llvm::enumerate(op->getSuccessors())) {
    SuccessorOperands operands = branch.getSuccessorOperands(index);
    unsigned produced = operands.getProducedOperandCount();
    MutableOperandRange range = operands.getMutableForwardedOperands();
    for (OpOperand &operand : range)
      forward(operand, block->getArgument(produced++));
  }
}

static bool isForwarded(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<RegionBranchTerminatorOpInterface>(op) &&
      isa<RegionBranchOpInterface>(op->getParentOp()))
    op = op->getParentOp();
  bool found = false;
  forEachForwarding(op, [&](OpOperand &candidate, Value) {
    found |= &candidate == &operand;
  });
  return found;
}

BufferUse fuse::classifyBufferUse(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<LaunchOp, gpu::LaunchFuncOp>(op))
    return BufferUse::Launch;
  if (op->getDialect() && op->getDialect()->getNamespace() == "gpu")
    return BufferUse::Device;
  if (isa<memref::DeallocOp>(op))
    return BufferUse::Free;
  if (isa<memref::DimOp, memref::RankOp,
          memref::ExtractAlignedPointerAsIndexOp>(op))
    return BufferUse::Inspect;
  if (memref::CopyOp copy = dyn_cast<memref::CopyOp>(op))
    return isContiguousBuffer(copy.getSource()) &&
                   isContiguousBuffer(copy.getTarget())
               ? BufferUse::Copy
               : BufferUse::Host;
  if (isa<CallOpInterface>(op))
    return BufferUse::Call;
  if (op->hasTrait<OpTrait::ReturnLike>() &&
      isa<FunctionOpInterface>(op->getParentOp()))
    return BufferUse::Return;
  return isForwarded(operand) ? BufferUse::Forward : BufferUse::Host;
}

bool fuse::mayWriteBuffer(OpOperand &operand) {
  Operation *op = operand.getOwner();
  switch (classifyBufferUse(operand)) {
  case BufferUse::Forward:
  case BufferUse::Free:
  case BufferUse::Inspect:
  case BufferUse::Return:
    return false;
  case BufferUse::Launch:
    return !isa<LaunchOp>(op) || cast<LaunchOp>(op).isDpsInit(&operand);
  case BufferUse::Copy:
    return operand.getOperandNumber() == 1;
  case BufferUse::Call:
    return true;
  case BufferUse::Device:
  case BufferUse::Host:
    break;
  }
  MemoryEffectOpInterface effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffectsOnValue(operand.get(), instances);
  return llvm::any_of(instances, [](MemoryEffects::EffectInstance &instance) {
    return !isa<MemoryEffects::Read>(instance.getEffect());
  });
}

unsigned BufferClasses::idOf(Value buffer) {
  auto [it, isNew] = ids.try_emplace(buffer, values.size());
  if (isNew) {
    values.push_back(buffer);
    parents.push_back(it->second);
  }
  return it->second;
}

unsigned BufferClasses::find(unsigned id) const {
  while (parents[id] != id)
    id = parents[id] = parents[parents[id]];
  return id;
}

void BufferClasses::link(Value from, Value to) {
  unsigned a = find(idOf(from)), b = find(idOf(to));
  parents[std::max(a, b)] = std::min(a, b);
  forwarded[from].push_back(to);
  targets.insert(to);
}

void BufferClasses::addForwarding(Operation *op) {
  forEachForwarding(op, [&](OpOperand &operand, Value target) {
    if (isBuffer(operand.get()) && isBuffer(target))
      link(operand.get(), target);
  });
}

BufferClasses::BufferClasses(FunctionOpInterface function) {
  auto addAll = [&](ValueRange range) {
    for (Value value : range)
      if (isBuffer(value))
        idOf(value);
  };
  for (Region &region : function->getRegions())
    for (Block &block : region)
      addAll(block.getArguments());
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function.getOperation())
      return;
    addAll(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        addAll(block.getArguments());
    addForwarding(op);
  });
  for (Value value : values) {
    unsigned leader = find(ids[value]);
    auto [it, isNew] = classIndex.try_emplace(leader, all.size());
    if (isNew)
      all.emplace_back();
    Class &entry = all[it->second];
    if (!targets.contains(value))
      entry.roots.push_back(value);
    for (OpOperand &use : value.getUses())
      if (classifyBufferUse(use) != BufferUse::Forward)
        entry.uses.push_back(&use);
  }
}

unsigned BufferClasses::indexOf(Value buffer) const {
  return classIndex.lookup(find(ids.lookup(buffer)));
}

const BufferClasses::Class &BufferClasses::lookup(Value buffer) const {
  return all[indexOf(buffer)];
}

SmallVector<Value> BufferClasses::reachableFrom(Value buffer) const {
  llvm::SetVector<Value> reached;
  reached.insert(buffer);
  for (size_t next = 0; next < reached.size(); ++next) {
    auto it = forwarded.find(reached[next]);
    if (it != forwarded.end())
      reached.insert(it->second.begin(), it->second.end());
  }
  return reached.takeVector();
}
