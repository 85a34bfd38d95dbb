// fuse-mark-updates: finds insertions that may overwrite their destination.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/CostModel/OpFacts.h"
#include "fuse-mlir/IR/KernelBody.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Transforms/Functions.h"
#include "fuse-mlir/Transforms/KernelBuilder.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_MARKUPDATESPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {

/// Follows a tensor from one owner to the next: insertions, loops and branches
/// that take the only copy of it and give the next one.
class UpdateFinder {
public:
  /// Marks the insertions on the way of `value` to operand `number` of the
  /// terminator of `block`; nothing if it does not get there.
  void markUpTo(Value value, Block &block, unsigned number);
  /// Marks the insertion that takes `value`, which a host operation made, and
  /// those that follow.
  void markAfter(Value value);

private:
  bool follow(Value value, Block &block, unsigned number);
  Value step(Value value, Block &block);
  Value enterBranches(scf::IfOp op, Value value);

  SmallVector<tensor::InsertSliceOp> found;
};

struct MarkUpdates : fuse::impl::MarkUpdatesPassBase<MarkUpdates> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

/// Whether code generation can write what `op` inserts where it belongs.
static bool isUpdatable(tensor::InsertSliceOp op) {
  RankedTensorType source = op.getSourceType();
  return !op->hasAttr(FuseDialect::kMustFuseAttrName) &&
         !op->hasAttr(FuseDialect::kNeverFuseAttrName) &&
         !(source.hasStaticShape() && source.getNumElements() == 0) &&
         llvm::all_of(op.getMixedStrides(), [](OpFoldResult stride) {
           std::optional<int64_t> known = getConstantIntValue(stride);
           return known && *known > 0;
         });
}

/// The last operation of `block` that uses `value` itself or in a region; null
/// if there is none, or if blocks that follow may use it. (A branch takes a
/// value from around it: what stands outside of the branch is looked at there.)
static Operation *findLastUser(Value value, Block &block) {
  Operation *last = nullptr;
  for (Operation *user : value.getUsers()) {
    Operation *ancestor = block.findAncestorOpInBlock(*user);
    if (!ancestor && value.getParentBlock() == &block)
      return nullptr;
    if (!ancestor)
      continue;
    if (!last || last->isBeforeInBlock(ancestor))
      last = ancestor;
  }
  return last;
}

/// What `op`, a branch that uses `value`, gives in its place.
Value UpdateFinder::enterBranches(scf::IfOp op, Value value) {
  if (op.getElseRegion().empty())
    return {};
  for (OpResult result : op.getResults()) {
    size_t before = found.size();
    unsigned number = result.getResultNumber();
    if (result.getType() == value.getType() &&
        follow(value, *op.thenBlock(), number) &&
        follow(value, *op.elseBlock(), number))
      return result;
    found.truncate(before);
  }
  return {};
}

/// The value that takes the place of `value`: what the last operation that uses
/// it makes of it.
Value UpdateFinder::step(Value value, Block &block) {
  Operation *last = findLastUser(value, block);
  if (!last)
    return {};
  if (tensor::InsertSliceOp insert = dyn_cast<tensor::InsertSliceOp>(last)) {
    if (insert.getDest() != value || insert.getSource() == value ||
        !isUpdatable(insert))
      return {};
    found.push_back(insert);
    return insert.getResult();
  }
  if (scf::IfOp branch = dyn_cast<scf::IfOp>(last))
    return enterBranches(branch, value);
  LoopLikeOpInterface loop = dyn_cast<LoopLikeOpInterface>(last);
  if (!loop)
    return {};
  // The loop's own variable is looked at by itself.
  for (OpOperand &init : loop.getInitsMutable())
    if (init.get() == value && value.hasOneUse())
      return loop.getTiedLoopResult(&init);
  return {};
}

bool UpdateFinder::follow(Value value, Block &block, unsigned number) {
  Operation *end = block.getTerminator();
  while (value) {
    Operation *last = findLastUser(value, block);
    if (!last)
      return false;
    if (last == end)
      return end->getOperand(number) == value &&
             llvm::count(end->getOperands(), value) == 1;
    value = step(value, block);
  }
  return false;
}

/// The operator beside `insert` that computes what it inserts; null if none
/// does.
static Operation *findProducer(tensor::InsertSliceOp insert) {
  Operation *op = cost::lookThroughViews(insert.getSource()).getDefiningOp();
  bool computes = op && op->getBlock() == insert->getBlock() && !isFreeOp(op) &&
                  isComputeOp(op);
  return computes ? op : nullptr;
}

static bool readsDestination(Operation *op, tensor::InsertSliceOp insert) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return cost::lookThroughViews(operand) == insert.getDest();
  });
}

/// Has what `insert` inserts copied by an operator, which is planned and priced
/// like all others.
static void copySource(tensor::InsertSliceOp insert) {
  OpBuilder builder(insert);
  Value source = insert.getSource();
  linalg::CopyOp copy = createCopy(builder, insert.getLoc(), source);
  if (Attribute ordinal = insert->getAttr(FuseDialect::kOrdinalAttrName))
    copy->setAttr(FuseDialect::kOrdinalAttrName, ordinal);
  if (findProducer(insert))
    copy->setAttr(FuseDialect::kNeverFuseAttrName, builder.getUnitAttr());
  insert.getSourceMutable().set(copy.getResult(0));
}

static void mark(ArrayRef<tensor::InsertSliceOp> inserts) {
  for (tensor::InsertSliceOp insert : inserts) {
    insert->setAttr(kInPlaceAttrName, UnitAttr::get(insert.getContext()));
    // A kernel stores its result in place, unless it reads what it would
    // overwrite.
    Operation *producer = findProducer(insert);
    if (!producer || readsDestination(producer, insert))
      copySource(insert);
  }
}

void UpdateFinder::markUpTo(Value value, Block &block, unsigned number) {
  found.clear();
  if (follow(value, block, number))
    mark(found);
}

void UpdateFinder::markAfter(Value value) {
  found.clear();
  Block &block = *value.getParentBlock();
  while (value && isa<RankedTensorType>(value.getType())) {
    value = step(value, block);
    mark(found);
    found.clear();
  }
}

/// Whether the caller leaves the argument to the function.
static bool isWritable(FunctionOpInterface function, unsigned number) {
  auto writable = function.getArgAttrOfType<BoolAttr>(
      number, bufferization::BufferizationDialect::kWritableAttrName);
  return !function.isExternal() && writable && writable.getValue();
}

void MarkUpdates::runOnOperation() {
  UpdateFinder finder;
  for (FunctionOpInterface function : collectFunctions(getOperation())) {
    for (BlockArgument argument : function.getArguments())
      if (isWritable(function, argument.getArgNumber()))
        finder.markAfter(argument);
    function->walk([&](Operation *op) {
      if (scf::ForOp loop = dyn_cast<scf::ForOp>(op)) {
        for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
          if (isa<RankedTensorType>(argument.getType()))
            finder.markUpTo(argument, *loop.getBody(), i);
      } else if (scf::WhileOp loop = dyn_cast<scf::WhileOp>(op)) {
        // What the condition hands on is the variable of the loop again.
        for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments()))
          if (isa<RankedTensorType>(argument.getType()) &&
              i < loop.getBeforeArguments().size() &&
              loop.getConditionOp().getArgs()[i] ==
                  loop.getBeforeArguments()[i])
            finder.markUpTo(argument, *loop.getAfterBody(), i);
      }
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp, CallOpInterface>(op))
        for (Value result : op->getResults())
          finder.markAfter(result);
    });
  }
}
