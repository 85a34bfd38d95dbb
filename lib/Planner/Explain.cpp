// FusionExplainer: finds the two kernels, what lies between them, and the other
// choice.
#include "fuse-mlir/Planner/Explain.h"

#include "ExplainKernels.h"
#include "fuse-mlir/Planner/OpRoles.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::plan;

Quantity ExplainedSide::getNanoseconds() const {
  int64_t sum = 0;
  for (const Kernel &kernel : kernels) {
    if (!kernel.price.nanoseconds)
      return std::nullopt;
    sum += *kernel.price.nanoseconds;
  }
  return sum;
}

std::optional<PriceRange> ExplainedSide::getRange() const {
  PriceRange sum;
  bool some = false;
  for (const Kernel &kernel : kernels) {
    if (!kernel.price.nanoseconds)
      return std::nullopt;
    int64_t price = *kernel.price.nanoseconds;
    PriceRange own = kernel.price.range.value_or(PriceRange{price, price});
    sum = {sum.low + own.low, sum.high + own.high};
    some |= kernel.price.range.has_value();
  }
  return some ? std::optional(sum) : std::nullopt;
}

double ExplainedSide::getContribution(StringRef name) const {
  double sum = 0;
  for (const Kernel &kernel : kernels)
    for (const CostBreakdown::Contribution &term :
         kernel.price.getContributions())
      if (term.name == name)
        sum += term.nanoseconds;
  return sum;
}

SmallVector<StringRef> FusionExplanation::getTermNames() const {
  SmallVector<StringRef> names;
  bool floors = false;
  auto add = [&](StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name);
  };
  for (const ExplainedSide *side : {&fused, &apart})
    for (const ExplainedSide::Kernel &kernel : side->kernels)
      for (const CostTerm &term : kernel.price.terms) {
        if (term.role == TermRole::Overlapped || term.role == TermRole::Added)
          add(term.name);
        floors |= term.role == TermRole::Floor;
      }
  if (floors)
    add("floor");
  return names;
}

namespace {
/// Looks at one pair of operators in one plan.
class Explainer {
public:
  Explainer(ExplainContext &context, Operation *a, Operation *b)
      : context(context), plan(context.plan) {
    bool inOrder = a->isBeforeInBlock(b);
    result.first = inOrder ? a : b;
    result.second = inOrder ? b : a;
  }

  FusionExplanation run();

private:
  ExplainedSide::Kernel getPlanned(const PlannedGroup &group) const;
  void explainTogether(const PlannedGroup &group);
  void explainApart(const PlannedGroup &first, const PlannedGroup &second);
  void findBetween(const PlannedGroup &first, const PlannedGroup &second,
                   SmallVectorImpl<const PlannedGroup *> &groups);
  void findDecision();

  ExplainContext &context;
  const Plan &plan;
  FusionExplanation result;
};
} // namespace

ExplainedSide::Kernel Explainer::getPlanned(const PlannedGroup &group) const {
  ExplainedSide::Kernel kernel;
  kernel.name = group.name;
  kernel.ops = group.ops;
  kernel.price = context.getPrice(group);
  kernel.price.range = group.range;
  return kernel;
}

void Explainer::explainTogether(const PlannedGroup &group) {
  result.together = true;
  result.fused.kernels.push_back(getPlanned(group));
  // Behind the first operator and what it needs, or before the second one and
  // what needs it.
  const ExplainedSide &early = context.cut(group, result.first, true);
  const ExplainedSide &late = context.cut(group, result.second, false);
  Quantity earlyNs = early.getNanoseconds(), lateNs = late.getNanoseconds();
  bool takeLate = lateNs && (!earlyNs || *lateNs < *earlyNs);
  result.apart = takeLate ? late : early;
}

/// Finds what lies on the ways from `first` to `second`: kernels, which could
/// come along, or what cannot, which is then the rule.
void Explainer::findBetween(const PlannedGroup &first,
                            const PlannedGroup &second,
                            SmallVectorImpl<const PlannedGroup *> &groups) {
  llvm::DenseSet<Operation *> reached(first.ops.begin(), first.ops.end());
  llvm::SetVector<Operation *> between;
  // Forward from the first kernel, kernel by kernel in running order.
  auto items = llvm::find_if(
      plan.order, [&](auto &entry) { return entry.first == first.block; });
  std::vector<SmallVector<Operation *>> steps;
  for (const Plan::Item &item : items->second) {
    SmallVector<Operation *> ops;
    if (item.group < 0)
      ops.push_back(item.op);
    else if (&plan.groups[item.group] != &first)
      llvm::append_range(ops, plan.groups[item.group].ops);
    bool needs = llvm::any_of(ops, [&](Operation *op) {
      return llvm::any_of(context.getSources(op),
                          [&](Operation *s) { return reached.contains(s); });
    });
    if (needs)
      reached.insert(ops.begin(), ops.end());
    steps.push_back(std::move(ops));
  }
  // Backward from the second one.
  llvm::DenseSet<Operation *> needed;
  auto need = [&](ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      for (Operation *source : context.getSources(op))
        needed.insert(source);
  };
  need(second.ops);
  for (size_t i = steps.size(); i-- > 0;) {
    ArrayRef<Operation *> ops = steps[i];
    int64_t number = items->second[i].group;
    const PlannedGroup *group = number < 0 ? nullptr : &plan.groups[number];
    auto isNeeded = [&](Operation *op) { return needed.contains(op); };
    if (group == &first || group == &second || llvm::none_of(ops, isNeeded))
      continue;
    need(ops);
    if (!reached.contains(ops.front()))
      continue;
    if (group && !group->premade &&
        !ops.front()->hasAttr(FuseDialect::kNeverFuseAttrName)) {
      groups.push_back(group);
      llvm::append_range(result.between, ops);
      continue;
    }
    bool boundary = isa<BoundaryOp>(ops.front());
    result.rule = {boundary ? "boundary" : "cycle",
                   "'" + ops.front()->getName().getStringRef().str() +
                       "' lies between, which cannot come along"};
  }
}

void Explainer::explainApart(const PlannedGroup &first,
                             const PlannedGroup &second) {
  SmallVector<const PlannedGroup *> groups;
  findBetween(first, second, groups);
  groups.push_back(&first);
  groups.push_back(&second);
  llvm::sort(groups);
  OpSet all;
  for (const PlannedGroup *group : groups) {
    result.apart.kernels.push_back(getPlanned(*group));
    all.insert(group->ops.begin(), group->ops.end());
  }
  findDecision();
  if (result.rule.rule.empty() && result.decision)
    result.rule = result.decision->violation;
  bool fixed = llvm::any_of(groups, [](const PlannedGroup *group) {
    return group->premade != nullptr;
  });
  if (fixed) {
    if (result.rule.rule.empty())
      result.rule = {"user-group", "a group made by hand is left as it is"};
    return;
  }
  auto isNever = [](Operation *op) {
    return op->hasAttr(FuseDialect::kNeverFuseAttrName);
  };
  if (result.rule.rule.empty() && llvm::any_of(all, isNever))
    result.rule = {"never-fuse", "an operator has 'fuse.never_fuse'"};
  RuleViolation violation;
  SmallVector<Operation *> sorted(all.begin(), all.end());
  llvm::sort(sorted,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  result.fused.kernels.push_back(
      context.makeKernel(sorted, all, "fused", violation));
  if (result.rule.rule.empty())
    result.rule = violation;
}

void Explainer::findDecision() {
  for (const Decision &decision : plan.decisions)
    if ((decision.producer == result.first &&
         decision.consumer == result.second) ||
        (decision.producer == result.second &&
         decision.consumer == result.first))
      if (!result.decision || !decision.violation.rule.empty())
        result.decision = &decision;
}

FusionExplanation Explainer::run() {
  ArrayRef<const PlannedGroup *> first = context.getHolders(result.first);
  ArrayRef<const PlannedGroup *> second = context.getHolders(result.second);
  for (const PlannedGroup *group : first)
    if (llvm::is_contained(second, group)) {
      findDecision();
      explainTogether(*group);
      return std::move(result);
    }
  explainApart(*first.front(), *second.front());
  return std::move(result);
}

FusionExplainer::FusionExplainer(const Plan &plan, Operation *root,
                                 const PlanOptions &options)
    : context(std::make_unique<ExplainContext>(plan, root, options)) {}

FusionExplainer::~FusionExplainer() = default;

FusionExplanation FusionExplainer::explain(Operation *a, Operation *b) {
  return Explainer(*context, a, b).run();
}

const CostBreakdown &FusionExplainer::getPrice(const PlannedGroup &group) {
  return context->getPrice(group);
}

ArrayRef<const PlannedGroup *>
FusionExplainer::getHolders(Operation *op) const {
  return context->getHolders(op);
}

StringRef fuse::getRuleAdvice(StringRef rule) {
  return llvm::StringSwitch<StringRef>(rule)
      .Case("cycle", "what lies between would have to move before the first or "
                     "behind the second operator, or become an operator of a "
                     "kernel")
      .Case("boundary", "the 'fuse.boundary' would have to go")
      .Case("never-fuse", "the attribute 'fuse.never_fuse' would have to go")
      .Case("user-group", "the operators would have to stand in the group made "
                          "by hand, or that group would have to go")
      .Case("opaque", "the operator would have to be one whose elements can be "
                      "computed one by one")
      .Case("block", "the operators would have to stand in one block")
      .Case("shared-reduction", "the results would have to be of one space, or "
                                "each have a reduction of its own")
      .Case("class-pair", "the table in docs/ClassPairs.md would need a role "
                          "for the two classes")
      .Case("output-domain", "all results would have to have the elements, or "
                             "the rows, of one space")
      .Case("row-mismatch", "the reductions would have to run over the same "
                            "rows and columns")
      .Case("nested-reduction", "the reduction would have to be asked for once "
                                "per row, not for each element of another loop")
      .Case("recompute-limit", "fewer elements would have to be computed at "
                               "several places")
      .Case("unsupported-op", "the code generator would have to learn the "
                              "operator")
      .Case("no-output", "somebody outside would have to use a result")
      .Case("register-budget",
            "fewer values would have to be alive at once, or "
            "the budget 'max-registers' be larger")
      .Case("shared-budget", "the budget 'max-shared-bytes' would have to be "
                             "larger")
      .Case("code-budget", "the kernels would have to have less code, or fewer "
                           "elements side by side in a thread")
      .Case("peak-memory", "the budget 'max-peak-bytes' would have to be "
                           "larger")
      .Case("kernel-parameters", "the kernel would have to have fewer operands")
      .Case("policy", "a strategy with other rules would have to be asked for")
      .Case("action", "the debug counter or action handler would have to let "
                      "the decision happen")
      .Default("");
}
