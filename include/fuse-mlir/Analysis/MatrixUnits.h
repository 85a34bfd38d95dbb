// What matrix units (`mma.sync`) can multiply, and which chips have them.
#ifndef FUSE_MLIR_ANALYSIS_MATRIXUNITS_H
#define FUSE_MLIR_ANALYSIS_MATRIXUNITS_H

#include "fuse-mlir/Analysis/LaunchShape.h"

namespace mlir::fuse {

/// How the matrix units multiply the factors of a contraction.
struct MatrixForm {
  /// The factors as they are kept for that: values of the body, before casts that
  /// only widen them.
  Value left, right;
  /// PTX's names of the factors' types: `f16`, `bf16`, `s8`, `u8`, `e4m3`, `e5m2`,
  /// `tf32`, `f64`.
  llvm::StringRef leftType, rightType;
  /// The least compute capability that has it: 80 for sm_80.
  unsigned generation = 80;
  /// Products in a clock ÷ those of f16.
  double rate = 1;
  /// Steps of the sum of one product of fragments, which are 32 bytes.
  int64_t depth = 16;
};

/// The form for `contraction`: sums are f32 of f16, bf16 or 8-bit floats (of f32
/// where `fuse.f32_products` is `"tf32"`), i32 of 8-bit integers, or f64.
std::optional<MatrixForm> matchMatrixForm(const ContractionShape &contraction);

/// The attribute that `mayRoundToTf32` reads.
inline constexpr llvm::StringLiteral kF32ProductsAttrName =
    "fuse.f32_products";

/// Whether factors in f32 of `op` may be rounded to tf32: the nearest of it and
/// what it lies in that has `fuse.f32_products` says so.
bool mayRoundToTf32(Operation *op);

/// The number in the name of a chip: 80 for sm_80.
unsigned getGeneration(llvm::StringRef chip);

/// `launch` without what chips of `generation` do not have.
LaunchShape adaptLaunch(const GroupShape &shape, LaunchShape launch,
                        unsigned generation);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_MATRIXUNITS_H
