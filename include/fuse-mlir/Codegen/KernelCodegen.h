// From the body of a scheduled kernel to the body of a device function.
#ifndef FUSE_MLIR_CODEGEN_KERNELCODEGEN_H
#define FUSE_MLIR_CODEGEN_KERNELCODEGEN_H

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/Codegen/Combiner.h"
#include "fuse-mlir/Codegen/ElementEmitter.h"
#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace mlir::fuse {

/// What the generators of the paths share: the function being filled, the
/// emitter, and the block and thread numbers as expressions.
struct KernelContext {
  KernelOp kernel;
  ScheduleAttr schedule;
  const GroupShape &shape;
  gpu::GPUFuncOp function;
  ElementEmitter &emitter;
  AffineExpr block, thread;
  /// Dynamic shared memory that the launch has to give.
  int64_t dynamicSharedBytes = 0;

  OpBuilder &builder() { return emitter.getBuilder(); }
  Location loc() { return kernel.getLoc(); }
  /// The block argument that output `number` is stored to.
  Value outArgument(unsigned number) {
    return kernel.getBody().getArgument(kernel.getInputs().size() + number);
  }
  /// `exprs` (in row = d0, column = d1) at an element.
  SmallVector<AffineExpr> at(ArrayRef<AffineExpr> exprs, AffineExpr row,
                             AffineExpr column);
  /// Number of the element of output `number` at row d0 and column d1.
  AffineExpr placeOfOutput(unsigned number);
  /// Emits the reductions that the loop of another one needs, before it.
  void emitInnerRoots(AffineExpr row);
  /// Emits output `number` at an element.
  Value emitOutput(unsigned number, AffineExpr row, AffineExpr column);
  void storeOutput(unsigned number, AffineExpr row, AffineExpr column,
                   Value element);
};

/// Paths `pointwise` and `general`: a thread owns elements of a linear space.
void emitFlatKernel(KernelContext &context);

/// Path `row`.
void emitRowKernel(KernelContext &context);

/// Staging of short rows: a block's rows are one contiguous range of each
/// operand as large as the space. `stageInputs` copies the range of the inputs
/// to shared memory, by whole sectors whatever the length of a row, and makes
/// room for the outputs that are stored row after row; `unstageOutputs` copies
/// these back.
void stageInputs(KernelContext &context, int64_t rowsPerBlock);
void unstageOutputs(KernelContext &context, int64_t rowsPerBlock);

/// Shared memory of `size` elements, aligned for vector accesses.
Value addSharedBuffer(KernelContext &context, int64_t size, Type type);

/// The same in dynamic shared memory, which may be larger.
Value addDynamicBuffer(KernelContext &context, int64_t size, Type type);

/// Combines `value` over the `group` threads (a power of two up to 32, or a
/// multiple of 32 that is the block) that share a row; all get the result.
Value combineAcrossThreads(KernelContext &context, const Combiner &combiner,
                           Value value, int64_t group);

/// Fills `function` with the code of `kernel`. The body must be a group that
/// `shape` describes. Gives the bytes of dynamic shared memory it needs.
FailureOr<int64_t> emitKernel(KernelOp kernel, const GroupShape &shape,
                              gpu::GPUFuncOp function);

} // namespace mlir::fuse

#endif // FUSE_MLIR_CODEGEN_KERNELCODEGEN_H
