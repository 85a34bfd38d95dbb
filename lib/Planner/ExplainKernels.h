// Hypothetical kernels of operators of one block, for explanations: any set of
// operators, not only those that the search has formed.
#ifndef FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H
#define FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H

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
  /// Those of `ops` that need `root`, or that `root` needs (`backward`), `root`
  /// included.
  OpSet getSlice(const OpSet &ops, Operation *root, bool backward);

  /// The kernel of `ops`, computing operators of one block that the plan holds,
  /// where it and others like it do the work of the plan's kernels of
  /// `replaced`; with its price at the assumed sizes. `rule` is set if a
  /// constraint refuses it.
  ExplainedSide::Kernel makeKernel(const OpSet &ops, const OpSet &replaced,
                                   StringRef name, RuleViolation &rule);

private:
  /// What `makeKernel` finds out about a kernel.
  struct Priced {
    CostBreakdown price;
    RuleViolation rule;
  };
  Priced priceKernel(ArrayRef<Operation *> members, ArrayRef<Value> inputs,
                     ArrayRef<Value> outputs, ArrayRef<bool> resident);

  AssumedShapes assumed;
  /// With `assumed` as a constraint.
  PlanOptions options;
  cost::OpFactsCache facts;
  std::vector<std::optional<CostBreakdown>> prices;
  llvm::DenseMap<Operation *, SmallVector<const PlannedGroup *, 1>> holders;
  llvm::DenseMap<Operation *, std::unique_ptr<OpSet>> sources;
  /// By members and outputs.
  std::map<std::vector<const void *>, Priced> known;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H
