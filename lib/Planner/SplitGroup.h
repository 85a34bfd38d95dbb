// Prices of groups of which no single kernel can be made.
#ifndef FUSE_MLIR_LIB_PLANNER_SPLITGROUP_H
#define FUSE_MLIR_LIB_PLANNER_SPLITGROUP_H

#include "fuse-mlir/Planner/Planner.h"

namespace mlir::fuse::plan {

/// What the kernels cost that isolation makes of a group, all together.
struct SplitCost {
  int64_t kernels = 0;
  Quantity bytesRead, bytesWritten, nanoseconds, registers;
};

/// Plans copies of `members`, of which `outputs` are used outside, for the
/// device of `options`. Nothing if that fails.
std::optional<SplitCost> priceSplit(ArrayRef<Operation *> members,
                                    ArrayRef<Value> outputs,
                                    const PlanOptions &options);

/// Fills in what `group` is emitted as, and its prices.
void describeSplit(PlannedGroup &group, const PlanOptions &options);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_SPLITGROUP_H
