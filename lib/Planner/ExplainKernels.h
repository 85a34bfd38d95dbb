// Hypothetical kernels of operators of one block, for explanations: any set of
// operators, not only those that the search has formed.
#ifndef FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H
#define FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H

#include "fuse-mlir/Analysis/AnalysisCache.h"
#include "fuse-mlir/CostModel/OpFacts.h"
#include "fuse-mlir/Planner/AssumedShapes.h"
#include "fuse-mlir/Planner/Explain.h"

#include "llvm/ADT/SetVector.h"

#include <map>

namespace mlir::fuse::plan {

using OpSet = llvm::SmallSetVector<Operation *, 16>;

/// What all explanations of one plan share; what comes up again is worked out
/// once.
class ExplainContext {
public:
  ExplainContext(const Plan &plan, Operation *root, const PlanOptions &options);

  const Plan &plan;

  /// See `FusionExplainer`.
  const CostBreakdown &getPrice(const PlannedGroup &group);
  ArrayRef<const PlannedGroup *> getHolders(Operation *op) const;

  /// The operators whose values `op` uses, views and the like looked through;
  /// of the same block.
  const OpSet &getSources(Operation *op);
  /// What `op` and its regions use from outside.
  ArrayRef<Value> getUsed(Operation *op);
  /// `group` cut in two before `root` and what needs it or, if `behind`, behind
  /// `root` and what it needs.
  const ExplainedSide &cut(const PlannedGroup &group, Operation *root,
                           bool behind);

  /// The kernel of `ops`, computing operators of one block that the plan holds,
  /// in program order, where it and others like it do the work of the plan's
  /// kernels of `replaced`; with its price at the assumed sizes. `rule` is set
  /// if a constraint refuses it.
  ExplainedSide::Kernel makeKernel(ArrayRef<Operation *> ops,
                                   const OpSet &replaced, StringRef name,
                                   RuleViolation &rule);

private:
  /// What `makeKernel` finds out about a kernel.
  struct Priced {
    CostBreakdown price;
    RuleViolation rule;
  };
  OpSet getSlice(ArrayRef<Operation *> ops, Operation *root, bool backward);
  SmallVector<Operation *> getMembers(ArrayRef<Operation *> ops,
                                      const OpSet &own,
                                      llvm::SetVector<Value> &inputs);
  Priced priceKernel(ArrayRef<Operation *> members, ArrayRef<Value> inputs,
                     ArrayRef<Value> outputs, ArrayRef<bool> resident);

  AssumedShapes assumed;
  /// With `assumed` as a constraint.
  PlanOptions options;
  cost::OpFactsCache facts;
  AnalysisCache analyses;
  std::vector<std::optional<CostBreakdown>> prices;
  llvm::DenseMap<Operation *, SmallVector<const PlannedGroup *, 1>> holders;
  llvm::DenseMap<Operation *, std::unique_ptr<OpSet>> sources;
  llvm::DenseMap<Operation *, std::unique_ptr<SmallVector<Value>>> used;
  /// By kernel of the plan, operator and side.
  std::map<std::tuple<const PlannedGroup *, Operation *, bool>, ExplainedSide>
      cuts;
  /// By members and outputs.
  std::map<std::vector<const void *>, Priced> known;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H
