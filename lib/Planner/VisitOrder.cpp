// Depth-first walk from the effects and the terminator.
#include "VisitOrder.h"

#include "fuse-mlir/CostModel/KernelCounts.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Calls `use` for the operators of `block` whose results `op` uses; those that
/// its regions use if it `captures` any.
static void forEachNeed(Operation *op, Block &block, bool captures,
                        function_ref<void(Operation *)> use) {
  auto need = [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == &block)
      use(def);
  };
  llvm::for_each(op->getOperands(), need);
  if (!captures)
    return;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      llvm::for_each(inner->getOperands(), need);
    });
}

namespace {
class Walk {
public:
  Walk(Block &block, size_t size, function_ref<VisitedOp(Operation *)> lookUp)
      : block(block), lookUp(lookUp), seen(size) {}

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
  function_ref<VisitedOp(Operation *)> lookUp;
  /// By places.
  llvm::BitVector seen;
};
} // namespace

void Walk::enter(Operation *op, std::vector<Frame> &stack) {
  VisitedOp known = lookUp(op);
  if (seen.test(known.place))
    return;
  seen.set(known.place);
  Frame &frame = stack.emplace_back();
  frame.op = op;
  forEachNeed(op, block, known.captures,
              [&](Operation *def) { frame.needs.push_back(def); });
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
static bool readsMemory(Operation *op, Block &block, bool captures) {
  bool reads = false;
  forEachNeed(op, block, captures, [&](Operation *def) {
    while (cost::isView(def) && def->getOperand(0).getDefiningOp())
      def = def->getOperand(0).getDefiningOp();
    reads |= isa<bufferization::ToTensorOp>(def);
  });
  return reads;
}

std::vector<Operation *>
plan::getVisitOrder(Block &block,
                    function_ref<VisitedOp(Operation *)> lookUp) {
  std::vector<Operation *> effects;
  /// Before each effect, those that read memory since the one before it.
  std::vector<SmallVector<Operation *>> readers(1);
  Operation *last = &block.back();
  bool memory = false;
  size_t size = 0;
  for (Operation &op : block) {
    ++size;
    if (&op == last)
      break;
    VisitedOp known = lookUp(&op);
    if (known.hasOrder) {
      effects.push_back(&op);
      readers.emplace_back();
      memory |= isa<bufferization::ToTensorOp>(op);
    } else if (memory && readsMemory(&op, block, known.captures)) {
      readers.back().push_back(&op);
    }
  }
  auto walkAll = [&](bool withReaders) {
    Walk walk(block, size, lookUp);
    for (auto [effect, before] : llvm::zip(effects, readers)) {
      if (withReaders)
        llvm::for_each(before, [&](Operation *op) { walk.visit(op); });
      walk.visit(effect);
    }
    forEachNeed(last, block, /*captures=*/true,
                [&](Operation *op) { walk.visit(op); });
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
