// Attention found by structure: contraction, softmax cascade, contraction; and
// two contractions with element-wise operators in between.
#ifndef FUSE_MLIR_ANALYSIS_ATTENTION_H
#define FUSE_MLIR_ANALYSIS_ATTENTION_H

#include "fuse-mlir/Analysis/AnalysisCache.h"

namespace mlir::fuse {

/// The shape of a group that is one attention: path `attention`.
///
/// Legal are: a contraction (scores; with element-wise prologues of both
/// operands: views, transposes, casts, scales, heads that are broadcast to
/// groups of queries); from it to one operand of a second contraction a row
/// kernel (any form of softmax: scale, mask, bias, running or safe maximum), or
/// element-wise operators, or nothing;
/// and what element-wise follows, a transposition of the result included. Not
/// the scores, but anything later may be used outside: weights, statistics of
/// rows. Where the kernel does not visit the keys a tile at a time, those of a
/// query must fit into shared memory. Without a softmax it always does.
///
/// Refuses with `nested-reduction`, or the rule that a stage breaks.
FailureOr<GroupShape> analyzeAttention(ArrayRef<Operation *> ops,
                                       ArrayRef<Value> outputs,
                                       RuleViolation *why,
                                       AnalysisCache &cache);

/// Shared memory that a query takes in the kernel of `shape`, in bytes.
int64_t getBytesPerQuery(const GroupShape &shape);

/// If `first` is the first contraction of an attention: the operators from it
/// to the second one, in program order. Else none. What feeds the two (masks,
/// casts, transpositions) is not among them. Looks at no more than 96
/// operators.
SmallVector<Operation *> findAttention(Operation *first);

/// Whether `op` multiplies and adds by upstream's interface.
bool isContraction(Operation *op);
/// Whether the body of `op` has `math.exp` or `math.exp2`.
bool exponentiates(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_ATTENTION_H
