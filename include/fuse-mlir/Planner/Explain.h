// Why two operators share a kernel or do not: the kernels of the plan, those of
// the other choice, and both prices term by term. `fuse-explain` prints it.
#ifndef FUSE_MLIR_PLANNER_EXPLAIN_H
#define FUSE_MLIR_PLANNER_EXPLAIN_H

#include "fuse-mlir/Planner/Planner.h"

namespace mlir::fuse {

namespace plan {
class ExplainContext;
} // namespace plan

/// Kernels that do the same work together, and what they cost.
struct ExplainedSide {
  struct Kernel {
    /// Name in the plan; `fused` or `cut` followed by a number if it is not in
    /// the plan.
    std::string name;
    /// Computing operators, in program order.
    SmallVector<Operation *> ops;
    CostBreakdown price;
  };
  std::vector<Kernel> kernels;

  /// Sum of the prices; unknown if one is.
  Quantity getNanoseconds() const;
  /// Sum of the ranges, if a kernel has one; other prices count as they are.
  std::optional<PriceRange> getRange() const;
  /// Sum of what the term `name` brings to the prices.
  double getContribution(StringRef name) const;
};

struct FusionExplanation {
  /// In program order.
  Operation *first = nullptr, *second = nullptr;
  /// They share a kernel.
  bool together = false;
  /// One kernel that holds both: the plan's, or what it would be. Empty if the
  /// rule forbids even to think of it.
  ExplainedSide fused;
  /// The kernels without that fusion: the plan's, or the cheaper of the two
  /// ways to cut the plan's kernel in two between the operators.
  ExplainedSide apart;
  /// What lies between the two and would have to come along.
  SmallVector<Operation *> between;
  /// The rule that keeps them apart; empty if none does.
  RuleViolation rule;
  /// The decision of the search about just these two, if there was one.
  const Decision *decision = nullptr;

  /// Names of the terms of either side, in order.
  SmallVector<StringRef> getTermNames() const;
};

/// Explains one plan. While it lives, unknown sizes are as the planner assumed
/// them (see `AssumedShapes`): nobody else may look at the types. Not
/// thread-safe.
class FusionExplainer {
public:
  /// `plan` is one of what is below `root`, made with `options`; both stay.
  FusionExplainer(const Plan &plan, Operation *root,
                  const PlanOptions &options);
  ~FusionExplainer();

  /// What the plan does with two operators that compute, each in a kernel of
  /// the plan and in one block. Kernels that come up again are priced once.
  FusionExplanation explain(Operation *a, Operation *b);
  /// The price of a kernel of the plan, taken apart.
  const CostBreakdown &getPrice(const PlannedGroup &group);
  /// The kernels of the plan that compute `op`, or its group made by hand.
  ArrayRef<const PlannedGroup *> getHolders(Operation *op) const;

private:
  std::unique_ptr<plan::ExplainContext> context;
};

/// One sentence on what would have to change for `rule` not to refuse; empty
/// for a rule of somebody else's constraint.
StringRef getRuleAdvice(StringRef rule);

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_EXPLAIN_H
