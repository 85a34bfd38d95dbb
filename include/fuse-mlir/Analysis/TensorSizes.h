// Sizes of the tensors that a set of operators works on, where only the running
// program knows some of them. What must be equal for the operators to make
// sense is one expression: operands of a loop, both sides of a reshape, the
// result and the index it was made with. All else of a group reasons in these
// expressions, so two sizes are equal exactly if that is proven.
#ifndef FUSE_MLIR_ANALYSIS_TENSORSIZES_H
#define FUSE_MLIR_ANALYSIS_TENSORSIZES_H

#include "fuse-mlir/Analysis/IndexExpr.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse {

/// Where a size can be read: dimension `dim` of a tensor, or the integer
/// `value` itself if `dim` is negative.
struct SizeSource {
  Value value;
  int64_t dim = -1;

  bool operator==(const SizeSource &other) const {
    return value == other.value && dim == other.dim;
  }
};

/// Expressions are constants, size symbols (`IndexRange::ofSizeSymbol`) and
/// products of both. Symbols are numbered in the order in which the operators
/// meet them, so that equal operators get equal expressions.
class TensorSizes {
public:
  /// Sizes of static shapes only.
  TensorSizes() = default;
  /// Sizes of all that `ops`, in program order, take and make.
  explicit TensorSizes(ArrayRef<Operation *> ops);

  bool isStatic() const { return symbols.empty(); }
  unsigned getNumSymbols() const { return symbols.size(); }
  /// What symbol `number` was first met as.
  const SizeSource &getSymbol(unsigned number) const { return symbols[number]; }
  /// Values with sizes that are not constants, in the order in which they were
  /// met, with what is known of them.
  ArrayRef<std::pair<SizeSource, AffineExpr>> getSources() const {
    return sources;
  }

  /// Dimension `dim` of the tensor `value`.
  AffineExpr getSize(Value value, int64_t dim) const;
  SmallVector<AffineExpr> getShape(Value value) const;
  /// The number of elements of a tensor.
  AffineExpr getElements(Value value) const;
  SmallVector<AffineExpr> getLoops(linalg::LinalgOp op) const;
  /// The product of two sizes; equal products are equal expressions.
  AffineExpr multiply(AffineExpr a, AffineExpr b) const;

  /// Takes symbol `number` as a multiple: it stands for the size ÷ `multiple`
  /// from now on.
  void setMultiple(unsigned number, int64_t multiple);
  int64_t getMultiple(unsigned number) const { return multiples[number]; }

  /// `expr` at the sizes that are assumed where numbers are needed: unequal
  /// ones for different symbols, as long as nothing better is known.
  int64_t assume(AffineExpr expr) const;
  static int64_t getAssumedSize(unsigned symbol);

private:
  friend class SizeSolver;

  AffineExpr withMultiples(AffineExpr expr) const;

  SmallVector<SizeSource> symbols;
  SmallVector<int64_t> multiples;
  SmallVector<std::pair<SizeSource, AffineExpr>> sources;
  llvm::DenseMap<std::pair<Value, int64_t>, AffineExpr> known;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_TENSORSIZES_H
