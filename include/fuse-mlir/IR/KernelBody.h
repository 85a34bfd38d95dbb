// What the body of a kernel computes and where it goes.
#ifndef FUSE_MLIR_IR_KERNELBODY_H
#define FUSE_MLIR_IR_KERNELBODY_H

#include "fuse-mlir/IR/FuseOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::fuse {

/// The mark of a `tensor.insert_slice` that overwrites its destination.
inline constexpr llvm::StringLiteral kInPlaceAttrName = "fuse.in_place";
/// The results of a launch of which the function writes a part only.
inline constexpr llvm::StringLiteral kUpdatesAttrName = "fuse.updates";
/// The name of the kernel that a launch was made of. The function that it
/// launches may have the name of an equal one.
inline constexpr llvm::StringLiteral kKernelNameAttrName = "fuse.kernel_name";

/// Numbers of the results of `launch` that are updates, and whether `operand`
/// is the destination of one.
ArrayRef<int32_t> getUpdates(LaunchOp launch);
bool isUpdate(LaunchOp launch, OpOperand &operand);

/// The insertion that makes result `number` of `kernel` an update: the kernel
/// yields what it computes inserted into the destination of that result, so
/// that the rest of the destination stays as it is. Null if it stores all of
/// it.
tensor::InsertSliceOp getUpdate(KernelOp kernel, unsigned number);

/// What result `number` of `kernel` is stored from: for an update what is
/// inserted, else what is yielded.
Value getStoredValue(KernelOp kernel, unsigned number);

/// The operators of a kernel, and the values that its results are stored from.
struct KernelBody {
  explicit KernelBody(KernelOp kernel);

  SmallVector<Operation *> ops;
  SmallVector<Value> outputs;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_IR_KERNELBODY_H
