// Sums of f16 and bf16 in f32, where the user allows it.
#ifndef FUSE_MLIR_TRANSFORMS_WIDENSUMS_H
#define FUSE_MLIR_TRANSFORMS_WIDENSUMS_H

#include "llvm/ADT/StringRef.h"

namespace mlir {
class Operation;
namespace fuse {

/// `"f32"`: sums of f16 and bf16 are kept in f32 and rounded once, products of
/// these not at all; `"source"`: both are rounded as the program says.
inline constexpr llvm::StringLiteral kHalfSumsAttrName = "fuse.half_sums";

/// Rewrites contractions, convolutions and other sums with results of f16 or
/// bf16 below `root` to sums of f32 and a conversion, where `fuse.half_sums` of
/// the operator, or of the innermost function or module around it that has it,
/// is `"f32"`.
void widenHalfSums(Operation *root);

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_TRANSFORMS_WIDENSUMS_H
