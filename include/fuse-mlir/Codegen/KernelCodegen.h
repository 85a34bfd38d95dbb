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
/// emitter, and the block and thread numbers as expressions. Of a packed kernel
/// they see one part.
struct KernelContext {
  KernelOp kernel;
  /// The operators and outputs, those of the part if the kernel is packed.
  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  ScheduleAttr schedule;
  const GroupShape &shape;
  gpu::GPUFuncOp function;
  ElementEmitter &emitter;
  /// The number of the block, from 0 for each part.
  AffineExpr block, thread;
  /// Dynamic shared memory that the launch has to give.
  int64_t dynamicSharedBytes = 0;
  /// Parts of a packed kernel: whether all shared memory is dynamic, so that
  /// blocks of different parts use the same bytes.
  bool sharesMemory = false;

  OpBuilder &builder() { return emitter.getBuilder(); }
  Location loc() { return kernel.getLoc(); }
  /// The block argument that output `number` is stored to.
  Value outArgument(unsigned number);
  /// Whether operators or outputs of this part use the block argument `input`.
  bool reads(Value input);
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

/// Path `packed`: `emitPart` fills in the code of each part, in the blocks that
/// belong to it.
void emitPackedKernel(KernelContext &context,
                      function_ref<void(KernelContext &)> emitPart);

/// Staging of short rows: a block's rows are one contiguous range of each
/// operand as large as the space. `stageInputs` copies the range of the inputs
/// to shared memory, by whole sectors whatever the length of a row, and makes
/// room for the outputs that are stored row after row; `unstageOutputs` copies
/// these back.
void stageInputs(KernelContext &context, int64_t rowsPerBlock);
void unstageOutputs(KernelContext &context, int64_t rowsPerBlock);

/// Shared memory of `size` elements, aligned for vector accesses; of its own,
/// or part of the dynamic memory if there is some.
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
