// Scalars at places of the space of a row kernel, and what they are made of.
#ifndef FUSE_MLIR_LIB_ANALYSIS_PLACEWALKER_H
#define FUSE_MLIR_LIB_ANALYSIS_PLACEWALKER_H

#include "fuse-mlir/Analysis/GroupShape.h"
#include "fuse-mlir/Analysis/StreamedAttention.h"

namespace mlir::fuse {

/// Follows values of the row kernel `part` at places in (row = d0, column =
/// d1).
class PlaceWalker {
public:
  PlaceWalker(const KernelPart &part, const TensorSizes &sizes)
      : part(part), sizes(sizes), members(part.ops.begin(), part.ops.end()) {
    ranges.dims = {IndexRange::ofSize(part.shape.rowExtent),
                   IndexRange::ofSize(part.shape.columnExtent)};
    ranges.symbols.assign(sizes.getNumSymbols(), IndexRange::ofSizeSymbol());
  }

  const IndexRanges &getRanges() const { return ranges; }

  PlacedValue resolve(PlacedValue at) const;
  PlacedValue getOperand(const PlacedValue &at, unsigned number) const;
  Operation *getScalarOp(const PlacedValue &at) const;
  bool isSame(PlacedValue a, PlacedValue b, unsigned depth = 0) const;
  bool isRowValue(PlacedValue at, unsigned depth = 0) const;
  /// Whether the value is an element of the result of the reduction `root`.
  bool isResultOf(PlacedValue at, Operation *root) const;
  /// What `root` combines at a place, if it has one part with one element.
  std::optional<PlacedValue> getElement(Operation *root) const;
  AffineExpr getInteger(PlacedValue at, unsigned depth = 0) const;

private:
  const KernelPart &part;
  const TensorSizes &sizes;
  llvm::SmallPtrSet<Operation *, 16> members;
  IndexRanges ranges;
};

/// Outside of these keys `at` is -inf, chosen, added or scaled, whatever else
/// it is made of: masks by comparing the numbers of key and query.
KeyRange findFinite(const PlaceWalker &walker, PlacedValue at,
                    AffineExpr queries);

/// Outside of these keys `at` is 0: an exponential of -inf, scaled in any way.
KeyRange findNonzero(const PlaceWalker &walker, PlacedValue at,
                     AffineExpr queries);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_PLACEWALKER_H
