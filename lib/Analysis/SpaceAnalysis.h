// The analysis of a group in one space, for those who put groups together from
// several.
#ifndef FUSE_MLIR_LIB_ANALYSIS_SPACEANALYSIS_H
#define FUSE_MLIR_LIB_ANALYSIS_SPACEANALYSIS_H

#include "fuse-mlir/Analysis/AnalysisCache.h"
#include "fuse-mlir/Analysis/ContractionShape.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::fuse {

/// `analyzeGroup` for kernels whose elements are all in one space. `sizes` are
/// those of a set of operators that holds `ops`.
FailureOr<GroupShape> analyzeSpace(ArrayRef<Operation *> ops,
                                   ArrayRef<Value> outputs,
                                   const TensorSizes &sizes, RuleViolation *why,
                                   AnalysisCache &cache);

/// The same for reductions over rows, whatever lies next to each other in
/// memory: what they read is on chip.
FailureOr<GroupShape> analyzeRows(ArrayRef<Operation *> ops,
                                  ArrayRef<Value> outputs,
                                  const TensorSizes &sizes, RuleViolation *why,
                                  AnalysisCache &cache);

/// What follows the reduction that makes `source`, in the rows × columns space
/// of its elements: `ops` must hold all of it, and `given` (which holds the
/// reduction) has what is known when it starts. `index` is the element of
/// `source` in (row = d0, column = d1), and has to name each once. `shape` gets
/// outputs and accesses; a result of a reduction in `given` counts as one.
FailureOr<GroupShape>
analyzeEpilogue(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                const TensorSizes &sizes, Value source,
                ArrayRef<AffineExpr> index, AffineExpr rows, AffineExpr columns,
                const llvm::SmallPtrSetImpl<Operation *> &given,
                RuleViolation *why, AnalysisCache &cache);

/// Whether `op`, or a body that reads tensors from above, has a dynamic size.
bool hasDynamicSize(Operation *op);

/// The loops of `contraction` at (row, column) of its result; null for those of
/// the sum. Rows are those of all batches one after another.
SmallVector<AffineExpr> placeLoops(const ContractionShape &contraction,
                                   const IndexRanges &ranges,
                                   MLIRContext *context);

/// Whether a loop of `op` moves a window over an operand: an index that a
/// parallel and a reduction loop share (pooling, convolutions).
bool slidesWindow(linalg::LinalgOp op);

/// Calls `use` for each value that `op`, its regions included, takes from
/// outside.
void forEachSource(Operation *op, function_ref<void(Value)> use);

/// Whether the outputs hang together: they share an operator or an input of
/// more than one element. Operators that do not are better off on threads of
/// their own.
bool isConnected(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                 AnalysisCache &cache);

/// The group as parts that run side by side. `whole` says why it is not one
/// space, if that was tried.
FailureOr<GroupShape> analyzeParts(ArrayRef<Operation *> ops,
                                   ArrayRef<Value> outputs,
                                   const RuleViolation &whole,
                                   RuleViolation *why, AnalysisCache &cache);

/// The contractions of one space, `shape`, as parts, each with the outputs that
/// need it; fails if some outputs need several of them or parts run no faster.
FailureOr<GroupShape> analyzeContractionsApart(ArrayRef<Operation *> ops,
                                               ArrayRef<Value> outputs,
                                               const GroupShape &shape,
                                               AnalysisCache &cache);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_SPACEANALYSIS_H
