// Carries markers and identities of operators over rewrites that drop
// attributes: they travel in the location, which every rewrite hands on.
#ifndef FUSE_MLIR_TRANSFORMS_MARKERTAGS_H
#define FUSE_MLIR_TRANSFORMS_MARKERTAGS_H

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::fuse {

/// Remembers the markers (`fuse.ordinal`, `fuse.must_fuse`, `fuse.never_fuse`,
/// `fuse.class`) of the operators of a function while it is rewritten.
/// `attach` wraps each location in a tag; `detach` finds the tags that the
/// rewrites have copied to new operators, restores the markers there and
/// unwraps the locations. Of several tags on one operator the lowest ordinal
/// counts.
class MarkerTags {
public:
  /// Tags every operator below `root`. An operator without `fuse.ordinal` gets
  /// its pre-order number below `root`, bodies included.
  void attach(Operation *root);

  /// Restores markers and locations below `root`.
  void detach(Operation *root);

private:
  struct Markers {
    IntegerAttr ordinal;
    Attribute mustFuse, neverFuse, opClass, tile, products;
    /// Number of operators that may take `opClass` after the rewrites.
    unsigned carriers = 0;
  };

  /// The numbers of the tags in `loc`, in ascending order.
  SmallVector<unsigned> collect(Location loc) const;
  void restore(Operation *op, ArrayRef<unsigned> tags);

  SmallVector<Markers> table;
};

/// True if `op` stands in the body of a structured operator, that is, works on
/// single elements.
bool isInStructuredBody(Operation *op);

/// Whether the user has said what becomes of `op`: it must or must never be
/// fused, or has a class.
bool hasMarker(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_MLIR_TRANSFORMS_MARKERTAGS_H
