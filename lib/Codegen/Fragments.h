// Fragments of matrices for the matrix units (`mma.sync`, sm_80): which thread
// of a warp holds what, and how they are loaded and multiplied.
//
// A product is 16 rows × 8 columns, over 16 steps of depth, of f16 or bf16
// elements with f32 sums. A thread has
// - of the left factor 16 × 16 elements' worth of four 32-bit registers,
// - of the right factor 16 × 8 elements' worth of two,
// - four sums: number c is at row `lane / 4 + 8 * (c / 2)` and column
//   `lane % 4 * 2 + c % 2`.
// The unit adds the products of a step of 16 to a sum in an order and with
// roundings of its own, the same in every run: a `reduction` may be evaluated
// in any fixed order (docs/Rationale.md).
#ifndef FUSE_MLIR_LIB_CODEGEN_FRAGMENTS_H
#define FUSE_MLIR_LIB_CODEGEN_FRAGMENTS_H

#include "TileMemory.h"

namespace mlir::fuse {

inline constexpr int64_t kFragmentRows = 16, kFragmentColumns = 8,
                         kFragmentDepth = 16;

/// The registers of `size` × 16 elements of `tile`, which has a line group of
/// one, from `outer` (a multiple of eight) and `depth` (a multiple of 16) on.
/// `isLeft`: 16 rows, the four registers of one fragment. Else 16 columns, two
/// registers for each of two fragments.
SmallVector<Value> loadFragment(KernelContext &context, const SharedTile &tile,
                                AffineExpr stage, AffineExpr outer,
                                AffineExpr depth, bool isLeft);

/// The four sums after adding a product. `element` is f16 or bf16.
SmallVector<Value> multiplyFragments(KernelContext &context, Type element,
                                     ArrayRef<Value> left,
                                     ArrayRef<Value> right,
                                     ArrayRef<Value> sums);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_FRAGMENTS_H
