// Depth-first walk from the effects and the terminator.
#include "VisitOrder.h"

#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/OpRoles.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Whether `op` brings memory and tensors together, or stays on the host and does
/// something that has to happen once and in order.
static bool hasOrder(Operation *op) {
  if (isa<bufferization::ToTensorOp>(op))
    return true;
  return !isFreeOp(op) && !isGeneratorOp(op) && !isComputeOp(op) &&
         !isMemoryEffectFree(op);
}

/// Calls `use` for the operators of `block` whose results `op` uses, regions
/// included.
static void forEachNeed(Operation *op, Block &block,
                        function_ref<void(Operation *)> use) {
  auto need = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == &block)
      use(def);
  };
  llvm::for_each(op->getOperands(), need);
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      llvm::for_each(inner->getOperands(), need);
    });
}

namespace {
class Walk {
public:
  explicit Walk(Block &block) : block(block) {}

  /// Appends `root` and what it needs, unless that is there already.
  void visit(Operation *root);
  std::vector<Operation *> order;

private:
  struct Frame {
    Operation *op = nullptr;
    SmallVector<Operation *, 4> needs;
    size_t next = 0;
  };
  void enter(Operation *op, std::vector<Frame> &stack);

  Block &block;
  llvm::DenseSet<Operation *> seen;
};
} // namespace

void Walk::enter(Operation *op, std::vector<Frame> &stack) {
  if (!seen.insert(op).second)
    return;
  Frame &frame = stack.emplace_back();
  frame.op = op;
  forEachNeed(op, block, [&](Operation *def) { frame.needs.push_back(def); });
}

void Walk::visit(Operation *root) {
  std::vector<Frame> stack;
  enter(root, stack);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.next < frame.needs.size()) {
      enter(frame.needs[frame.next++], stack);
      continue;
    }
    order.push_back(frame.op);
    stack.pop_back();
  }
}

/// Whether `op` uses what a `to_tensor` makes, views looked through.
static bool readsMemory(Operation *op, Block &block) {
  bool reads = false;
  forEachNeed(op, block, [&](Operation *def) {
    while (cost::isView(def) && def->getOperand(0).getDefiningOp())
      def = def->getOperand(0).getDefiningOp();
    reads |= isa<bufferization::ToTensorOp>(def);
  });
  return reads;
}

std::vector<Operation *> plan::getVisitOrder(Block &block) {
  std::vector<Operation *> effects;
  /// Before each effect, those that read memory since the one before it.
  std::vector<SmallVector<Operation *>> readers(1);
  Operation *last = &block.back();
  bool memory = false;
  for (Operation &op : block) {
    if (&op == last)
      break;
    if (hasOrder(&op)) {
      effects.push_back(&op);
      readers.emplace_back();
      memory |= isa<bufferization::ToTensorOp>(op);
    } else if (memory && readsMemory(&op, block)) {
      readers.back().push_back(&op);
    }
  }
  auto walkAll = [&](bool withReaders) {
    Walk walk(block);
    for (auto [effect, before] : llvm::zip(effects, readers)) {
      if (withReaders)
        llvm::for_each(before, [&](Operation *op) { walk.visit(op); });
      walk.visit(effect);
    }
    forEachNeed(last, block, [&](Operation *op) { walk.visit(op); });
    for (Operation &op : block)
      walk.visit(&op);
    return std::move(walk.order);
  };
  std::vector<Operation *> order = walkAll(/*withReaders=*/false);
  if (llvm::all_of(readers, [](auto &list) { return list.empty(); }))
    return order;
  // What reads memory has to come before the next effect, in the order that the
  // first walk has found.
  llvm::DenseMap<Operation *, unsigned> rank;
  for (Operation *op : order)
    rank.try_emplace(op, rank.size());
  for (SmallVector<Operation *> &list : readers)
    llvm::sort(list, [&](Operation *a, Operation *b) {
      return rank.lookup(a) < rank.lookup(b);
    });
  return walkAll(/*withReaders=*/true);
}
