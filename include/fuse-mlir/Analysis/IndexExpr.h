// Index arithmetic on affine expressions with known ranges. Views, slices and
// layouts all become expressions over a few base variables; two accesses are
// the same element exactly when their simplified expressions are equal.
#ifndef FUSE_MLIR_ANALYSIS_INDEXEXPR_H
#define FUSE_MLIR_ANALYSIS_INDEXEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// Inclusive range of an index.
struct IndexRange {
  /// Stands for "no bound known".
  static constexpr int64_t kUnbounded = int64_t(1) << 56;

  int64_t lo = 0;
  int64_t hi = kUnbounded;

  /// The range `0 .. size - 1`; unbounded above for a dynamic size.
  static IndexRange ofSize(int64_t size);
  bool within(int64_t low, int64_t high) const {
    return lo >= low && hi <= high;
  }
};

/// Ranges of the dimensions and symbols that expressions are made of. A
/// variable beyond the end of its list is unbounded on both sides.
struct IndexRanges {
  llvm::SmallVector<IndexRange> dims;
  llvm::SmallVector<IndexRange> symbols;
};

/// The range of `expr`.
IndexRange getRange(AffineExpr expr, const IndexRanges &ranges);

/// A canonical form of `expr`: equal for expressions whose equality follows
/// from the ranges by the rules below.
/// - terms of a sum are collected and sorted;
/// - `x mod c` and `x floordiv c` drop what the range of `x` decides;
/// - `(x floordiv c) * c + x mod c` is `x`, also under an outer `mod`.
AffineExpr simplifyIndex(AffineExpr expr, const IndexRanges &ranges);

/// The row-major number of the element `index` of an array of `shape`
/// (static). An empty shape gives 0.
AffineExpr linearize(MLIRContext *context, llvm::ArrayRef<AffineExpr> index,
                     llvm::ArrayRef<int64_t> shape, const IndexRanges &ranges);

/// The inverse of `linearize`.
llvm::SmallVector<AffineExpr> delinearize(AffineExpr linear,
                                          llvm::ArrayRef<int64_t> shape,
                                          const IndexRanges &ranges);

/// The coefficient of dimension `dim` in `expr` if `expr` is a sum in which
/// `dim` occurs only as `coefficient * dim`; nothing otherwise.
std::optional<int64_t> getStride(AffineExpr expr, unsigned dim);

/// Whether `expr` takes each value of `0 .. size - 1` exactly once while the
/// dimensions run through their ranges (from 0). Recognises sums of digits:
/// `c * ((d floordiv a) mod n)`; says no to what it does not know.
bool isBijective(AffineExpr expr, int64_t size, const IndexRanges &ranges);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_INDEXEXPR_H
