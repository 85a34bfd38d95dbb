// What a planner may do with an operator: copy it, or make it (part of) a
// kernel.
#ifndef FUSE_MLIR_PLANNER_OPROLES_H
#define FUSE_MLIR_PLANNER_OPROLES_H

#include "mlir/IR/Operation.h"

namespace mlir::fuse {

/// Whether `op` costs nothing wherever it stands: a view, `tensor.empty` or a
/// constant. It is copied to where it is used.
bool isFreeOp(Operation *op);
/// Whether `op` makes a tensor of scalars (fill, splat): copied like a free
/// operator, but a kernel if the host needs the tensor.
bool isGeneratorOp(Operation *op);
/// A constant tensor that is worth an upload: no splat, more than 64 bytes.
bool isLargeConstant(Operation *op);
/// Whether a kernel could compute `op`: an operator on tensors whose elements
/// can be computed one by one, and not classified as opaque. One that is marked as
/// an update in place is what becomes of a kernel's result, not a kernel.
bool isComputeOp(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_OPROLES_H
