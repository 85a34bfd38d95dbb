// Index arithmetic on affine expressions with known ranges. Views, slices and
// layouts all become expressions over a few base variables; two accesses are
// the same element exactly when their simplified expressions are equal.
//
// Sizes that only the running program knows are symbols whose range starts at
// 1 or above ("size symbols"). They may multiply, divide and bound: an index
// below the size `s0` is known to satisfy `(d0 * s0 + d1) floordiv s0 = d0`.
// That a size is at least 1 is no assumption: where it is 0 there is no element
// whose index could be asked for.
#ifndef FUSE_MLIR_ANALYSIS_INDEXEXPR_H
#define FUSE_MLIR_ANALYSIS_INDEXEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>

namespace mlir::fuse {

/// Inclusive range of an index.
struct IndexRange {
  /// Stands for "no bound known".
  static constexpr int64_t kUnbounded = int64_t(1) << 56;

  int64_t lo = 0;
  int64_t hi = kUnbounded;
  /// Where the size is known at run time only: the index is below `extent`, a
  /// product of a constant and size symbols. Null otherwise.
  AffineExpr extent = {};

  /// The range `0 .. size - 1`; unbounded above for a dynamic size.
  static IndexRange ofSize(int64_t size);
  /// The range `0 .. extent - 1`.
  static IndexRange ofSize(AffineExpr extent);
  /// The range of a size symbol.
  static IndexRange ofSizeSymbol() { return {1, kUnbounded}; }
  bool within(int64_t low, int64_t high) const {
    return lo >= low && hi <= high;
  }
  bool operator==(const IndexRange &other) const {
    return lo == other.lo && hi == other.hi && extent == other.extent;
  }
};

struct IndexRanges;

/// What `simplifyIndex` has found: analyses of similar groups ask for the same
/// again and again. Not for several threads at once.
class IndexMemo {
public:
  using Results = llvm::DenseMap<AffineExpr, AffineExpr>;
  /// Simplified expressions by what they were, within `ranges`.
  Results &get(const IndexRanges &ranges);

private:
  struct Entry {
    llvm::SmallVector<IndexRange> dims, symbols;
    Results results;
  };
  /// By a hash of the ranges; mostly one of them.
  llvm::DenseMap<uint64_t, llvm::SmallVector<std::unique_ptr<Entry>, 1>>
      entries;
  /// What was asked for last.
  Entry *last = nullptr;
};

/// Ranges of the dimensions and symbols that expressions are made of. A
/// variable beyond the end of its list is unbounded on both sides.
struct IndexRanges {
  llvm::SmallVector<IndexRange> dims;
  llvm::SmallVector<IndexRange> symbols;
  /// Where results are kept, if anywhere.
  IndexMemo *memo = nullptr;
};

/// The range of `expr`.
IndexRange getRange(AffineExpr expr, const IndexRanges &ranges);

/// Whether it follows from the ranges that `0 <= expr < size`. `size` is a
/// constant, size symbols, or their product.
bool isIndexBelow(AffineExpr expr, AffineExpr size, const IndexRanges &ranges);

/// A canonical form of `expr`: equal for expressions whose equality follows
/// from the ranges by the rules below.
/// - terms of a sum are collected and sorted;
/// - `x mod c` and `x floordiv c` drop what the range of `x` decides;
/// - `(x floordiv c) * c + x mod c` is `x`, also under an outer `mod`.
/// - `(x mod (c * d)) floordiv c` is `(x floordiv c) mod d`.
/// A divisor `c` is a positive constant, size symbols, or their product.
AffineExpr simplifyIndex(AffineExpr expr, const IndexRanges &ranges);

/// The row-major number of the element `index` of an array of `shape`:
/// constants and products of size symbols. An empty shape gives 0.
AffineExpr linearize(MLIRContext *context, llvm::ArrayRef<AffineExpr> index,
                     llvm::ArrayRef<AffineExpr> shape,
                     const IndexRanges &ranges);
/// The same for a static shape.
AffineExpr linearize(MLIRContext *context, llvm::ArrayRef<AffineExpr> index,
                     llvm::ArrayRef<int64_t> shape, const IndexRanges &ranges);

/// The inverse of `linearize`.
llvm::SmallVector<AffineExpr> delinearize(AffineExpr linear,
                                          llvm::ArrayRef<AffineExpr> shape,
                                          const IndexRanges &ranges);
llvm::SmallVector<AffineExpr> delinearize(AffineExpr linear,
                                          llvm::ArrayRef<int64_t> shape,
                                          const IndexRanges &ranges);

/// The coefficient of dimension `dim` in `expr` if `expr` is a sum in which
/// `dim` occurs only as `coefficient * dim`; nothing otherwise.
std::optional<int64_t> getStride(AffineExpr expr, unsigned dim);

/// Whether `expr` takes each value of `0 .. size - 1` exactly once while the
/// dimensions run through their ranges (from 0). Recognises sums of digits:
/// `c * ((d floordiv a) mod n)`; says no to what it does not know. `size` is a
/// constant, size symbols, or their product.
bool isBijective(AffineExpr expr, AffineExpr size, const IndexRanges &ranges);
bool isBijective(AffineExpr expr, int64_t size, const IndexRanges &ranges);

/// The dimensions at which `expr` is `value` (in `0 .. size - 1`, an expression
/// of the same variables or others within `ranges`); nothing unless `expr` is
/// known to be bijective.
std::optional<llvm::SmallVector<AffineExpr>>
invertIndex(AffineExpr expr, AffineExpr size, const IndexRanges &ranges,
            AffineExpr value);
std::optional<llvm::SmallVector<AffineExpr>>
invertIndex(AffineExpr expr, int64_t size, const IndexRanges &ranges,
            AffineExpr value);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_INDEXEXPR_H
