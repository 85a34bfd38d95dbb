// The unfused reference: upstream's lowering of a model to loops on the CPU.
#ifndef FUSE_RUN_REFERENCE_H
#define FUSE_RUN_REFERENCE_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir::fuse::run {

/// Lowers `module` in place to the LLVM dialect, every structured operator to
/// its own loop nest, with no fusion and in the order that the loops state.
LogicalResult lowerReference(ModuleOp module);

/// Elements that the structured operators go over, summed: a measure of how
/// long the loops run.
int64_t estimateWork(ModuleOp module);

/// Replaces TOSA's scatters, and calls that stand for a scatter, by loops over
/// the updates.
void lowerScatters(ModuleOp module);

/// Replaces each static `tensor.gather` by loops over its indices.
void lowerGathers(ModuleOp module);

/// Whether conversions of this 8-bit float type are lowered to calls.
bool isNarrowFloat(Type type);

/// The function that converts `type` from (`widen`: i32 -> f64) or to
/// (f64 -> i32) its bits.
std::string getNarrowFunction(Type type, bool widen);

/// Replaces scalar conversions of 8-bit floats by calls of these functions.
void lowerNarrowFloats(ModuleOp module);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_REFERENCE_H
