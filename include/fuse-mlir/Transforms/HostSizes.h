// Sizes of values that kernels make, computed without the kernels.
#ifndef FUSE_MLIR_TRANSFORMS_HOSTSIZES_H
#define FUSE_MLIR_TRANSFORMS_HOSTSIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::fuse {

/// Size of dimension `dim` of `value`, in terms of values for which `onHost`
/// gives something: their counterpart outside. Looks through destinations,
/// views, slices, pads and concatenations. Nothing if that is not enough.
std::optional<OpFoldResult>
getHostSize(OpBuilder &builder, Value value, int64_t dim,
            llvm::function_ref<Value(Value)> onHost);

} // namespace mlir::fuse

#endif // FUSE_MLIR_TRANSFORMS_HOSTSIZES_H
