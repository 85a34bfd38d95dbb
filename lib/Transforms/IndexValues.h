// Elements of integer tensors that follow from their own place: counters, and
// what quotients, remainders, views and insertions make of them.
#ifndef FUSE_MLIR_LIB_TRANSFORMS_INDEXVALUES_H
#define FUSE_MLIR_LIB_TRANSFORMS_INDEXVALUES_H

#include "fuse-mlir/Analysis/IndexExpr.h"

#include "mlir/IR/Value.h"

namespace mlir::fuse {

/// The element of `tensor` at `index` (expressions within `ranges`) as an
/// expression of the same variables; null if it is not known.
AffineExpr findIndexValue(Value tensor, llvm::ArrayRef<AffineExpr> index,
                          const IndexRanges &ranges);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_TRANSFORMS_INDEXVALUES_H
