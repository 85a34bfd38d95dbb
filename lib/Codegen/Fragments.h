// Fragments of matrices for the matrix units (`mma.sync`, sm_80): which thread
// of a warp holds what, and how they are loaded and multiplied.
//
// A product is 16 rows × 8 columns over 32 bytes of depth (`MatrixForm::depth`
// steps): 16 of f16 or bf16, 32 of 8-bit floats or integers, 8 of tf32, 4 of
// f64. A thread has
// - of the left factor four registers: for 8 rows and half of the depth each,
//   those of the first half first; the four bytes at `lane % 4` of row `lane / 4`,
// - of the right factor two of its columns, likewise,
// - (f64: an element at row or column `lane / 4` and depth `lane % 4` for each
//   eight rows, and for the eight columns),
// - four sums: number c is at row `lane / 4 + 8 * (c / 2)` and column
//   `lane % 4 * 2 + c % 2`.
// The unit adds the products of a step to a sum in an order and with
// roundings of its own, the same in every run: a `reduction` may be evaluated
// in any fixed order (docs/Rationale.md).
#ifndef FUSE_MLIR_LIB_CODEGEN_FRAGMENTS_H
#define FUSE_MLIR_LIB_CODEGEN_FRAGMENTS_H

#include "TileMemory.h"

#include "fuse-mlir/Analysis/MatrixUnits.h"

namespace mlir::fuse {

inline constexpr int64_t kFragmentRows = 16, kFragmentColumns = 8,
                         kFragmentDepth = 16;

/// The registers of 16 rows (`isLeft`) or columns of `tile`, which has a line
/// group of one, from `outer` (a multiple of eight) and `depth` (a multiple of the
/// product's) on: those of one left fragment, or of two right ones after each
/// other.
SmallVector<Value> loadFragment(KernelContext &context, const SharedTile &tile,
                                AffineExpr stage, AffineExpr outer,
                                AffineExpr depth, bool isLeft);

/// How a tile of `element` has to lie so that fragments can be loaded from it.
SharedLayout getFragmentLayout(Type element);

/// The four sums after adding a product.
SmallVector<Value> multiplyFragments(KernelContext &context,
                                     const MatrixForm &form,
                                     ArrayRef<Value> left,
                                     ArrayRef<Value> right,
                                     ArrayRef<Value> sums);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_FRAGMENTS_H
