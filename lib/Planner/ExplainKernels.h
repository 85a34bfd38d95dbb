// Hypothetical kernels of operators of one block, for explanations: any set of
// operators, not only those that the search has formed.
#ifndef FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H
#define FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H

#include "fuse-mlir/Planner/AssumedShapes.h"
#include "fuse-mlir/Planner/Explain.h"

#include "llvm/ADT/SetVector.h"

namespace mlir::fuse::plan {

using OpSet = llvm::SmallSetVector<Operation *, 16>;

/// The operators whose values `op` uses, views and the like looked through; of
/// the same block.
OpSet getSources(Operation *op);

/// Those of `ops` that need `root`, or that `root` needs (`backward`), `root`
/// included.
OpSet getSlice(const OpSet &ops, Operation *root, bool backward);

/// The kernel of `ops`, computing operators of one block that `plan` has
/// planned, where it and others like it do the work of the plan's kernels of
/// `replaced`; with its price at the sizes of `assumed`. `rule` is set if a
/// constraint refuses it.
ExplainedSide::Kernel makeKernel(const OpSet &ops, const OpSet &replaced,
                                 StringRef name, const Plan &plan,
                                 const PlanOptions &options,
                                 AssumedShapes &assumed, RuleViolation &rule);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_EXPLAINKERNELS_H
