// fuse-form-groups: plans, then wraps the operators of each kernel into a
// fuse.group. Groups get copies; what nobody uses any more is erased at the
// end, so an operator that several kernels recompute needs no special care.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/OpRoles.h"
#include "fuse-mlir/Planner/PlanRequest.h"
#include "fuse-mlir/Planner/Report.h"

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
  void place(Operation *op);
  void placeOperands(Operation *op);
  GroupOp wrap(const PlannedGroup &group);
  void mapValue(Value value, OpBuilder &builder, IRMapping &mapping);
  void eraseUnused();

  const Plan &plan;
  Block &block;
  /// Results of groups by the values that they stand for.
  IRMapping results;
  llvm::DenseSet<Operation *> placed;
  /// Computing operators that groups hold copies of.
  llvm::DenseSet<Operation *> copied;
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
  add("registers", group.registers);
  return CostAttr::get(b.getContext(),
                       DictionaryAttr::get(b.getContext(), entries));
}

/// Calls `use` for all values that `op` and its regions take from outside.
static void forEachValue(Operation *op, function_ref<void(Value)> use) {
  for (Value operand : op->getOperands())
    use(operand);
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(
        region, [&](OpOperand *operand) { use(operand->get()); });
}

/// Moves `op` to the end, after the free operators that it needs.
void BlockRewriter::place(Operation *op) {
  if (!placed.insert(op).second)
    return;
  placeOperands(op);
  op->moveBefore(block.getTerminator());
}

void BlockRewriter::placeOperands(Operation *op) {
  forEachValue(op, [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == &block)
      place(def);
  });
}

/// Makes `value` known to a copy that goes into a group: the result of another
/// group, or a copy of a fill, empty or small constant of an outer block.
void BlockRewriter::mapValue(Value value, OpBuilder &builder,
                             IRMapping &mapping) {
  if (mapping.contains(value))
    return;
  if (Value result = results.lookupOrNull(value)) {
    mapping.map(value, result);
    return;
  }
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() == &block || cost::isView(def) ||
      isLargeConstant(def) || !(isFreeOp(def) || isGeneratorOp(def)))
    return;
  for (Value operand : def->getOperands())
    mapValue(operand, builder, mapping);
  builder.clone(*def, mapping);
}

GroupOp BlockRewriter::wrap(const PlannedGroup &group) {
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
  for (Operation *op : group.members) {
    forEachValue(op, [&](Value value) { mapValue(value, builder, mapping); });
    builder.clone(*op, mapping);
  }
  copied.insert(group.ops.begin(), group.ops.end());
  SmallVector<Value> yielded;
  for (Value output : group.outputs)
    yielded.push_back(mapping.lookup(output));
  YieldOp::create(builder, wrapped.getLoc(), yielded);
  for (auto [output, result] : llvm::zip(group.outputs, wrapped.getResults()))
    results.map(output, result);
  return wrapped;
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
  SmallVector<Operation *> order;
  for (const Plan::Item &item : items) {
    if (item.group < 0) {
      order.push_back(item.op);
      continue;
    }
    const PlannedGroup &group = plan.groups[item.group];
    if (GroupOp premade = group.premade) {
      order.push_back(premade);
      if (!premade.getGroupName())
        premade.setGroupName(group.name);
    } else {
      order.push_back(wrap(group));
    }
  }
  // What stays outside of groups reads the groups' results.
  for (auto &[value, result] : results.getValueMap())
    Value(value).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !copied.contains(block.findAncestorOpInBlock(*use.getOwner()));
    });
  for (Operation *op : order)
    place(op);
  placeOperands(block.getTerminator());
  eraseUnused();
}

namespace {
struct FormGroups : fuse::impl::FormGroupsPassBase<FormGroups> {
  using FormGroupsPassBase::FormGroupsPassBase;

  void runOnOperation() override {
    Operation *op = getOperation();
    auto emitError = [&] { return op->emitError(); };
    PlanRequest request{mode,
                        strategy,
                        costModel,
                        {constraints.begin(), constraints.end()},
                        {assume.begin(), assume.end()}};
    FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(op, request);
    if (failed(resolved))
      return signalPassFailure();
    if (!report.empty() && failed(checkReportFile(report, emitError)))
      return signalPassFailure();
    FailureOr<Plan> plan = planOperation(op, resolved->options);
    if (failed(plan))
      return signalPassFailure();
    emitRemarks(*plan, "fuse-form-groups");
    PlanReport result =
        makeReport(*plan, op, resolved->options,
                   modelName.empty() ? getModelName(op) : modelName, costModel);
    for (auto &[block, items] : plan->order)
      BlockRewriter(*plan, *block).run(items);
    if (!report.empty() &&
        failed(writeReportFile(result.toJSON(), report, emitError)))
      return signalPassFailure();
    op->getContext()
        ->getOrLoadDialect<FuseDialect>()
        ->getSlot<LastPlanReport>()
        .report = std::move(result);
  }
};
} // namespace
