// What explanations look up, and hypothetical kernels: members, inputs, outputs
// and price of a set of operators.
#include "ExplainKernels.h"

#include "fuse-mlir/CostModel/KernelCounts.h"
#include "fuse-mlir/Planner/OpRoles.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

/// Whether kernels that use `op` hold a copy of it.
static bool isCopied(Operation *op) {
  return (isFreeOp(op) && !isLargeConstant(op)) || isGeneratorOp(op);
}

/// Calls `use` for all values that `op` and its regions take from outside.
static void forEachValue(Operation *op, function_ref<void(Value)> use) {
  for (Value operand : op->getOperands())
    use(operand);
  for (Region &region : op->getRegions())
    visitUsedValuesDefinedAbove(
        region, [&](OpOperand *operand) { use(operand->get()); });
}

static void collectSources(Operation *op, Block *block, OpSet &sources) {
  forEachValue(op, [&](Value value) {
    Operation *def = value.getDefiningOp();
    if (!def || def->getBlock() != block)
      return;
    if (isCopied(def))
      collectSources(def, block, sources);
    else
      sources.insert(def);
  });
}

ExplainContext::ExplainContext(const Plan &plan, Operation *root,
                               const PlanOptions &asked)
    : plan(plan), assumed(root), options(asked), prices(plan.groups.size()) {
  if (!assumed.isEmpty())
    options.constraints.push_back(&assumed);
  for (const PlannedGroup &group : plan.groups) {
    for (Operation *op : group.ops)
      holders[op].push_back(&group);
    if (group.premade)
      holders[group.premade].push_back(&group);
  }
}

const CostBreakdown &ExplainContext::getPrice(const PlannedGroup &group) {
  std::optional<CostBreakdown> &price = prices[&group - plan.groups.data()];
  if (!price)
    price = explainPrice(group, options, &facts);
  return *price;
}

ArrayRef<const PlannedGroup *> ExplainContext::getHolders(Operation *op) const {
  auto it = holders.find(op);
  if (it == holders.end())
    return {};
  return it->second;
}

const OpSet &ExplainContext::getSources(Operation *op) {
  std::unique_ptr<OpSet> &own = sources[op];
  if (!own) {
    own = std::make_unique<OpSet>();
    collectSources(op, op->getBlock(), *own);
  }
  return *own;
}

ArrayRef<Value> ExplainContext::getUsed(Operation *op) {
  std::unique_ptr<SmallVector<Value>> &own = used[op];
  if (!own) {
    own = std::make_unique<SmallVector<Value>>();
    forEachValue(op, [&](Value value) { own->push_back(value); });
  }
  return *own;
}

/// Those of `ops` (in program order) that need `root`, or that `root` needs
/// (`backward`), `root` included.
OpSet ExplainContext::getSlice(ArrayRef<Operation *> ops, Operation *root,
                               bool backward) {
  OpSet slice;
  slice.insert(root);
  if (!backward) {
    for (Operation *op : ops)
      if (llvm::any_of(getSources(op),
                       [&](Operation *s) { return slice.contains(s); }))
        slice.insert(op);
    return slice;
  }
  OpSet all(ops.begin(), ops.end());
  for (Operation *op : llvm::reverse(ops))
    if (slice.contains(op))
      for (Operation *source : getSources(op))
        if (all.contains(source))
          slice.insert(source);
  return slice;
}

const ExplainedSide &ExplainContext::cut(const PlannedGroup &group,
                                         Operation *root, bool behind) {
  auto [known, isNew] = cuts.try_emplace({&group, root, behind});
  ExplainedSide &side = known->second;
  if (!isNew)
    return side;
  OpSet slice = getSlice(group.ops, root, /*backward=*/behind);
  SmallVector<Operation *> lower, upper;
  for (Operation *op : group.ops)
    (slice.contains(op) == behind ? lower : upper).push_back(op);
  OpSet all(group.ops.begin(), group.ops.end());
  RuleViolation ignored; // A price is a price, also of what must be split.
  side.kernels.push_back(makeKernel(lower, all, "cut 1", ignored));
  side.kernels.push_back(makeKernel(upper, all, "cut 2", ignored));
  return side;
}

namespace {
/// Tells which values of a kernel others need.
class Needs {
public:
  Needs(const OpSet &ops, const OpSet &replaced, Block *block,
        const ExplainContext &context)
      : ops(ops), replaced(replaced), block(block), context(context) {}

  /// Whether somebody outside needs `value`, a result of `def`, also through
  /// views.
  bool isNeeded(Value value, Operation *def) const {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *own = block->findAncestorOpInBlock(*user);
      if (own && isCopied(own))
        return llvm::any_of(own->getResults(), [&](Value result) {
          return isNeeded(result, def);
        });
      return !own || isReadBy(own, def);
    });
  }

private:
  /// Whether `user` reads the result of `def` from memory: it stays on the
  /// host, is in another of the new kernels, or in a kernel of the plan that
  /// stays and does not compute `def` itself.
  bool isReadBy(Operation *user, Operation *def) const {
    if (replaced.contains(user) && !ops.contains(user))
      return true;
    auto readsIt = [&](const PlannedGroup *group) {
      return isKept(group) &&
             !llvm::is_contained(context.getHolders(def), group);
    };
    ArrayRef<const PlannedGroup *> holders = context.getHolders(user);
    return holders.empty() || llvm::any_of(holders, readsIt);
  }
  /// Whether the kernel of the plan is not replaced as a whole.
  bool isKept(const PlannedGroup *group) const {
    auto [known, isNew] = kept.try_emplace(group);
    if (isNew)
      known->second = llvm::any_of(
          group->ops, [&](Operation *op) { return !replaced.contains(op); });
    return known->second;
  }

  const OpSet &ops, &replaced;
  Block *block;
  const ExplainContext &context;
  mutable llvm::SmallDenseMap<const PlannedGroup *, bool, 8> kept;
};
} // namespace

/// The operators of the kernel with what is copied into it: fills, constants,
/// and views of what it computes itself.
SmallVector<Operation *>
ExplainContext::getMembers(ArrayRef<Operation *> ops, const OpSet &own,
                           llvm::SetVector<Value> &inputs) {
  OpSet helpers;
  Block *block = ops.front()->getBlock();
  auto look = [&](Operation *op) {
    for (Value value : getUsed(op)) {
      Value base = cost::lookThroughViews(value);
      Operation *def = base.getDefiningOp();
      bool inside = def && (own.contains(def) || isCopied(def));
      if (!inside && isa<RankedTensorType>(base.getType()))
        inputs.insert(base);
      Operation *direct = value.getDefiningOp();
      if (direct && direct->getBlock() == block && isCopied(direct) &&
          (inside || !cost::isView(direct)) && !own.contains(direct))
        helpers.insert(direct);
    }
  };
  for (Operation *op : llvm::reverse(ops))
    look(op);
  for (size_t i = 0; i < helpers.size(); ++i)
    look(helpers[i]);
  auto before = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  SmallVector<Operation *> sorted = helpers.takeVector(), members;
  llvm::sort(sorted, before);
  std::merge(ops.begin(), ops.end(), sorted.begin(), sorted.end(),
             std::back_inserter(members), before);
  return members;
}

/// See `KernelView::residentInputs`.
static SmallVector<bool> findResident(const Plan &plan, Block *block,
                                      ArrayRef<Operation *> ops,
                                      ArrayRef<Value> inputs,
                                      ArrayRef<Value> outputs) {
  auto it = llvm::find_if(plan.residency,
                          [&](auto &entry) { return entry.first == block; });
  return it == plan.residency.end() ? SmallVector<bool>()
                                    : it->second->find(ops, inputs, outputs);
}

ExplainContext::Priced
ExplainContext::priceKernel(ArrayRef<Operation *> members,
                            ArrayRef<Value> inputs, ArrayRef<Value> outputs,
                            ArrayRef<bool> resident) {
  Priced result;
  RuleViolation shapeViolation;
  FailureOr<GroupShape> shape =
      analyzeGroup(members, outputs, &shapeViolation, analyses);
  GroupView view;
  view.kernel = {members, inputs, outputs,
                 succeeded(shape) ? &*shape : nullptr};
  view.kernel.residentInputs = resident;
  view.shapeViolation = succeeded(shape) ? nullptr : &shapeViolation;
  view.device = options.device;
  for (const GroupConstraint *constraint : options.constraints)
    if (std::optional<RuleViolation> violation = constraint->check(view)) {
      result.rule = *violation;
      break;
    }
  cost::CountedView counted(view.kernel, &facts);
  result.price = options.costModel->explain(counted.get(), options.device);
  result.price.range =
      assumed.getRange(view.kernel, *options.costModel, options.device);
  return result;
}

ExplainedSide::Kernel ExplainContext::makeKernel(ArrayRef<Operation *> ops,
                                                 const OpSet &replaced,
                                                 StringRef name,
                                                 RuleViolation &rule) {
  ExplainedSide::Kernel kernel;
  kernel.name = name.str();
  kernel.ops.assign(ops.begin(), ops.end());
  Block *block = ops.front()->getBlock();
  OpSet own(ops.begin(), ops.end());
  llvm::SetVector<Value> inputs;
  SmallVector<Operation *> members = getMembers(ops, own, inputs);
  SmallVector<Value> outputs;
  Needs needs(own, replaced, block, *this);
  for (Operation *op : kernel.ops)
    for (Value result : op->getResults())
      if (needs.isNeeded(result, op))
        outputs.push_back(result);
  std::vector<const void *> key(members.begin(), members.end());
  for (Value output : outputs)
    key.push_back(output.getAsOpaquePointer());
  auto it = known.find(key);
  if (it == known.end()) {
    SmallVector<bool> resident =
        findResident(plan, block, kernel.ops, inputs.getArrayRef(), outputs);
    it = known
             .emplace(std::move(key), priceKernel(members, inputs.getArrayRef(),
                                                  outputs, resident))
             .first;
  }
  kernel.price = it->second.price;
  rule = it->second.rule;
  return kernel;
}
