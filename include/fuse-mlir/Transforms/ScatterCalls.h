// Calls that stand for a scatter. Exporters leave what has no structured form
// as a call of a private function that says in attributes what it was.
#ifndef FUSE_MLIR_TRANSFORMS_SCATTERCALLS_H
#define FUSE_MLIR_TRANSFORMS_SCATTERCALLS_H

#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::fuse {

/// `original` with slices of it replaced by, or added to, those of `updates`:
/// in the order of the updates, slice `k` at the element whose index along
/// dimension `dimensions[j]` is `indices[k][j]`. Dimensions that are not indexed
/// are whole; they are the trailing ones of `updates`, whose first dimension is
/// `k` and whose others are of size 1. What lies outside of `original` is
/// undefined in the source.
struct ScatterCall {
  Value updates, indices, original;
  llvm::SmallVector<int64_t> dimensions;
  bool adds = false;

  /// The dimension of `updates` that runs along dimension `dimension` of
  /// `original`; 0 if none does.
  int64_t getUpdateDimension(int64_t dimension) const;
};

/// What `call` is, if its callee is an external function with the attributes
/// `opaque.op = "tm_tensor.scatter"`, `opaque.attrs` (with the key
/// `dimension_map`) and `opaque.body` (the operations of its body: a yield, and
/// an addition before it if it adds), and of static shapes as above.
std::optional<ScatterCall> matchScatterCall(CallOpInterface call);

} // namespace mlir::fuse

#endif // FUSE_MLIR_TRANSFORMS_SCATTERCALLS_H
