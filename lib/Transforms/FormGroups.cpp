// fuse-form-groups: plans, then moves the operators of each kernel into a
// fuse.group. What several groups need is copied into each of them; what nobody
// uses any more is erased at the end.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/PlanRequest.h"
#include "fuse-mlir/Planner/Report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_FORMGROUPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
/// Rewrites one block by a plan.
class BlockRewriter {
public:
  BlockRewriter(const Plan &plan, Block &block) : plan(plan), block(block) {}

  void run(ArrayRef<Plan::Item> items);

private:
  void findHolders(ArrayRef<Plan::Item> items);
  bool mayMove(Operation *op, int64_t group);
  GroupOp wrap(int64_t index);
  void takeIn(Operation *op, int64_t group, OpBuilder &builder,
              IRMapping &mapping);
  void keepUse(OpOperand &use, GroupOp group);
  void mapOuter(Value value, OpBuilder &builder, IRMapping &mapping);
  void place(Operation *op);
  void eraseUnused();

  const Plan &plan;
  Block &block;
  /// Values that groups give, with the results that stand for them.
  SmallVector<std::pair<Value, Value>> results;
  llvm::DenseSet<Operation *> placed;
  /// The group of each operator that groups hold; -1 if several do.
  llvm::DenseMap<Operation *, int64_t> holders;
  /// Of each group that is formed: uses of values of the block.
  llvm::DenseMap<Operation *, SmallVector<OpOperand *, 4>> outerUses;
  /// What `mayMove` found of free operators.
  llvm::DenseMap<Operation *, bool> movable;
};
} // namespace

/// Attributes that say what was predicted.
static CostAttr getCost(const PlannedGroup &group, Builder &b) {
  SmallVector<NamedAttribute> entries;
  auto add = [&](StringRef name, Quantity value) {
    if (value)
      entries.emplace_back(b.getStringAttr(name), b.getI64IntegerAttr(*value));
  };
  add("bytes_read", group.bytesRead);
  add("bytes_written", group.bytesWritten);
  add("flops", group.flops);
  add("predicted_ns", group.nanoseconds);
  if (group.range) {
    add("predicted_ns_least", group.range->low);
    add("predicted_ns_most", group.range->high);
  }
  add("registers", group.registers);
  return CostAttr::get(b.getContext(),
                       DictionaryAttr::get(b.getContext(), entries));
}

/// Calls `use` for all uses of values from outside by `op`, and by its regions
/// if these have any.
static void forEachUse(Operation *op, bool captures,
                       function_ref<void(OpOperand &)> use) {
  for (OpOperand &operand : op->getOpOperands())
    use(operand);
  if (!captures)
    return;
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(region,
                                [&](OpOperand *operand) { use(*operand); });
}

void BlockRewriter::findHolders(ArrayRef<Plan::Item> items) {
  for (const Plan::Item &item : items) {
    if (item.group < 0 || plan.groups[item.group].premade)
      continue;
    for (Operation *op : plan.groups[item.group].members) {
      auto [it, added] = holders.try_emplace(op, item.group);
      if (!added)
        it->second = -1;
    }
  }
}

/// Whether `group` alone needs `op`. Others get the results of a computing
/// operator from the group, but use a free operator itself: it moves only if
/// all that reads it does.
bool BlockRewriter::mayMove(Operation *op, int64_t group) {
  if (holders.lookup(op) != group)
    return false;
  if (!isFreeOp(op) && !isGeneratorOp(op))
    return true;
  auto known = movable.find(op);
  if (known != movable.end())
    return known->second;
  bool all = llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *reader = block.findAncestorOpInBlock(*user);
    return holders.contains(reader) && mayMove(reader, group);
  });
  return movable[op] = all;
}

/// Copies a fill, empty or small constant of an outer block into the group.
void BlockRewriter::mapOuter(Value value, OpBuilder &builder,
                             IRMapping &mapping) {
  Operation *def = value.getDefiningOp();
  if (mapping.contains(value) || !def || def->getBlock() == &block ||
      def->getBlock() == builder.getBlock() || cost::isView(def) ||
      isLargeConstant(def) || !(isFreeOp(def) || isGeneratorOp(def)))
    return;
  for (Value operand : def->getOperands())
    mapOuter(operand, builder, mapping);
  builder.clone(*def, mapping);
}

/// Notes that `group` uses a value of the block.
void BlockRewriter::keepUse(OpOperand &use, GroupOp group) {
  Operation *def = use.get().getDefiningOp();
  if (def && def->getBlock() == &block)
    outerUses[group].push_back(&use);
}

/// Moves `op` to the end of the group, or copies it there.
void BlockRewriter::takeIn(Operation *op, int64_t group, OpBuilder &builder,
                           IRMapping &mapping) {
  bool captures = plan.capturing.contains(op);
  forEachUse(op, captures, [&](OpOperand &use) {
    mapOuter(use.get(), builder, mapping);
  });
  Block *body = builder.getBlock();
  GroupOp wrapped = cast<GroupOp>(body->getParentOp());
  if (!mayMove(op, group)) {
    forEachUse(builder.clone(*op, mapping), captures,
               [&](OpOperand &use) { keepUse(use, wrapped); });
    return;
  }
  op->moveBefore(body, body->end());
  forEachUse(op, captures, [&](OpOperand &use) {
    use.set(mapping.lookupOrDefault(use.get()));
    keepUse(use, wrapped);
  });
}

GroupOp BlockRewriter::wrap(int64_t index) {
  const PlannedGroup &group = plan.groups[index];
  SmallVector<Location> locations;
  for (Operation *op : group.ops)
    locations.push_back(op->getLoc());
  OpBuilder builder(block.getParentOp()->getContext());
  builder.setInsertionPoint(block.getTerminator());
  Builder &b = builder;
  std::string why = "of " + std::to_string(group.ops.size()) + " operator(s)";
  GroupOp wrapped = GroupOp::create(
      builder, builder.getFusedLoc(locations),
      TypeRange(ValueRange(group.outputs)), b.getStringAttr(group.name),
      ClassAttr::get(b.getContext(), group.opClass, why), getCost(group, b));
  builder.createBlock(&wrapped.getBody());
  IRMapping mapping;
  for (Operation *op : group.members)
    takeIn(op, index, builder, mapping);
  SmallVector<Value> yielded;
  for (Value output : group.outputs)
    yielded.push_back(mapping.lookupOrDefault(output));
  YieldOp::create(builder, wrapped.getLoc(), yielded);
  for (auto [output, result] : llvm::zip(group.outputs, wrapped.getResults()))
    results.emplace_back(output, result);
  return wrapped;
}

/// Moves `op` to the end, after the free operators that it needs.
void BlockRewriter::place(Operation *op) {
  SmallVector<std::pair<Operation *, bool>> stack{{op, false}};
  while (!stack.empty()) {
    auto [at, ready] = stack.pop_back_val();
    if (ready) {
      if (at != block.getTerminator())
        at->moveBefore(block.getTerminator());
      continue;
    }
    if (!placed.insert(at).second)
      continue;
    stack.emplace_back(at, true);
    SmallVector<Operation *> needed;
    auto need = [&](OpOperand &use) {
      Operation *def = use.get().getDefiningOp();
      if (def && def->getBlock() == &block)
        needed.push_back(def);
    };
    auto known = outerUses.find(at);
    if (known != outerUses.end())
      llvm::for_each(llvm::make_pointee_range(known->second), need);
    else
      forEachUse(at, isa<GroupOp>(at) || plan.capturing.contains(at), need);
    for (Operation *def : llvm::reverse(needed))
      stack.emplace_back(def, false);
  }
}

/// What was not placed is not needed.
void BlockRewriter::eraseUnused() {
  SmallVector<Operation *> unused;
  for (Operation &op : block.without_terminator())
    if (!placed.contains(&op))
      unused.push_back(&op);
  for (Operation *op : llvm::reverse(unused))
    if (op->use_empty())
      op->erase();
}

void BlockRewriter::run(ArrayRef<Plan::Item> items) {
  findHolders(items);
  SmallVector<Operation *> order;
  for (const Plan::Item &item : items) {
    if (item.group < 0) {
      order.push_back(item.op);
    } else if (GroupOp premade = plan.groups[item.group].premade) {
      order.push_back(premade);
      if (!premade.getGroupName())
        premade.setGroupName(plan.groups[item.group].name);
    } else {
      order.push_back(wrap(item.group));
    }
  }
  // What stays outside of a group, or went into another, reads its results.
  for (auto &[value, result] : results) {
    Operation *group = result.getDefiningOp();
    value.replaceUsesWithIf(result, [&](OpOperand &use) {
      return !group->isProperAncestor(use.getOwner());
    });
  }
  for (Operation *op : order)
    place(op);
  place(block.getTerminator());
  eraseUnused();
}

namespace {
struct FormGroups : fuse::impl::FormGroupsPassBase<FormGroups> {
  using FormGroupsPassBase::FormGroupsPassBase;
  template <typename From, typename To>
  friend void fuse::copyPlanOptions(const From &, To &);

  void runOnOperation() override {
    Operation *op = getOperation();
    auto emitError = [&] { return op->emitError(); };
    PlanRequest request;
    copyPlanOptions(*this, request);
    FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(op, request);
    if (failed(resolved))
      return signalPassFailure();
    if (!report.empty() && failed(checkReportFile(report, emitError)))
      return signalPassFailure();
    LastPlanReport &last = op->getContext()
                               ->getOrLoadDialect<FuseDialect>()
                               ->getSlot<LastPlanReport>();
    resolved->options.wantsDecisions = last.wantsRows || !report.empty() ||
                                       op->getContext()->getRemarkEngine();
    FailureOr<Plan> plan = planOperation(op, resolved->options);
    if (failed(plan))
      return signalPassFailure();
    emitRemarks(*plan, op, resolved->options, "fuse-form-groups");
    PlanReport result =
        makeReport(*plan, op, resolved->options,
                   modelName.empty() ? getModelName(op) : modelName, costModel,
                   last.wantsRows || !report.empty());
    for (auto &[block, items] : plan->order)
      BlockRewriter(*plan, *block).run(items);
    if (!report.empty() &&
        failed(writeReportFile(result.toJSON(), report, emitError)))
      return signalPassFailure();
    std::lock_guard<std::mutex> lock(last.mutex);
    last.report = std::move(result);
  }
};
} // namespace
