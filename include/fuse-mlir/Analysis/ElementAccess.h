// Which operand elements an element of a result is computed from.
#ifndef FUSE_MLIR_ANALYSIS_ELEMENTACCESS_H
#define FUSE_MLIR_ANALYSIS_ELEMENTACCESS_H

#include "fuse-mlir/Analysis/IndexExpr.h"
#include "fuse-mlir/Analysis/TensorSizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::fuse {

/// Gives an index that only the running program knows (a gathered row, a loop
/// counter, a run-time offset), in `0 .. size - 1` (any if `size` is null): the
/// same expression for the same `op` and `number`.
using UnknownIndexFn = llvm::function_ref<AffineExpr(
    Operation *op, unsigned number, AffineExpr size)>;

/// Receives an operand (a tensor) and the index of the element that is read.
using OperandElementFn = llvm::function_ref<LogicalResult(
    Value operand, llvm::ArrayRef<AffineExpr> index)>;

/// Calls `use` for each operand element (that may be) needed for element
/// `index` of result `resultNumber` of `op`; loops of reductions are unknown
/// indices. Conditional reads (pad, concat, insert) are reported with the index
/// they have when they happen.
LogicalResult forEachOperandElement(Operation *op, unsigned resultNumber,
                                    llvm::ArrayRef<AffineExpr> index,
                                    const IndexRanges &ranges,
                                    const TensorSizes &sizes,
                                    UnknownIndexFn unknown,
                                    OperandElementFn use);

/// The same for one iteration of a linalg operator, given by its loops.
LogicalResult forEachOperandElementOfLoops(
    Operation *op, llvm::ArrayRef<AffineExpr> loops, const IndexRanges &ranges,
    const TensorSizes &sizes, UnknownIndexFn unknown, OperandElementFn use);

/// Whether all bits of what surrounds the source are zero.
bool padsWithZeros(tensor::PadOp op);

/// Whether `region` holds only operators that a thread can run.
bool isBodyComputable(Region &region);

/// Whether an operator that writes a result of `shape` through `map` writes
/// each element, and at one iteration of its parallel loops only: the map has
/// distinct loops, and zeros for dimensions of size 1.
bool writesWholeResult(AffineMap map, llvm::ArrayRef<int64_t> shape);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_ELEMENTACCESS_H
