#ifndef FUSE_MLIR_LIB_TRANSFORMS_MATCHUSERS_H
#define FUSE_MLIR_LIB_TRANSFORMS_MATCHUSERS_H

#include "mlir/IR/Operation.h"

namespace mlir::fuse {

/// Calls `match` for each user of `root`, and for those of each first result
/// that `follows` accepts after its operator matched, in the order of the
/// block: all operands of an operator have been seen before it. False as soon
/// as one does not match or stands in another block.
bool matchUsersInOrder(Operation *root, function_ref<bool(Operation *)> match,
                       function_ref<bool(Value)> follows);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_TRANSFORMS_MATCHUSERS_H
