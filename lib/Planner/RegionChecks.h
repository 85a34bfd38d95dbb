// What is checked of a region before it is planned.
#ifndef FUSE_MLIR_LIB_PLANNER_REGIONCHECKS_H
#define FUSE_MLIR_LIB_PLANNER_REGIONCHECKS_H

#include "mlir/IR/Region.h"

namespace mlir::fuse::plan {

/// Reports the first thing for which there can be no plan: a tensor of 2^63
/// bytes or more, or operators that must share a kernel but stand in different
/// blocks.
LogicalResult checkRegion(Region &region);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_REGIONCHECKS_H
