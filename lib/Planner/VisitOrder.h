// An order of the operators of a block that follows from what they compute, not
// from where they stand: equivalent programs are planned alike.
#ifndef FUSE_MLIR_LIB_PLANNER_VISITORDER_H
#define FUSE_MLIR_LIB_PLANNER_VISITORDER_H

#include "mlir/IR/Block.h"

#include <vector>

namespace mlir::fuse::plan {

/// What a walk over a block asks of an operator.
struct VisitedOp {
  /// Place in the program.
  unsigned place = 0;
  /// Brings memory and tensors together, or stays on the host and does
  /// something that has to happen once and in order.
  bool hasOrder = false;
  /// Has regions that use values from outside.
  bool captures = false;
};

/// The operators of `block` so that each comes after what it needs, memory
/// included: post-order of a walk from the side effects, in the order of the
/// program, and from the terminator through operands. Moving an operator to
/// another place that is as good does not change the order. Linear in the size
/// of the block; what nobody needs comes last but for the terminator.
std::vector<Operation *>
getVisitOrder(Block &block, function_ref<VisitedOp(Operation *)> lookUp);

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_VISITORDER_H
