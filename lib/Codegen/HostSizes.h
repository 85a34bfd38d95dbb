// What host code computes before a launch where sizes are known at run time
// only: the values of size symbols, and the number of blocks.
#ifndef FUSE_MLIR_LIB_CODEGEN_HOSTSIZES_H
#define FUSE_MLIR_LIB_CODEGEN_HOSTSIZES_H

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/IR/FuseOps.h"

namespace mlir::fuse {

/// Host code before `kernel` for the value (index) of each symbol of `sizes`,
/// from the kernel's operands. Operands whose sizes have to be equal are
/// compared: the program ends with an error where they are not.
FailureOr<SmallVector<Value>> emitSizes(KernelOp kernel,
                                        const TensorSizes &sizes);

/// Host code for the number of blocks of a kernel, with `symbols` as the values
/// of its shape's symbols.
Value emitGrid(OpBuilder &builder, Location loc, const GroupShape &shape,
               ScheduleAttr schedule, ArrayRef<Value> symbols);

/// Host code for `expr` with `symbols` as the values of its symbols.
Value emitSize(OpBuilder &builder, Location loc, AffineExpr expr,
               ArrayRef<Value> symbols);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_HOSTSIZES_H
