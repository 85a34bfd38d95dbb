// Attention found by structure: contraction, softmax cascade, contraction. Our
// code generator has no kernel for it yet; a planner may be told to assume one.
#ifndef FUSE_MLIR_ANALYSIS_ATTENTION_H
#define FUSE_MLIR_ANALYSIS_ATTENTION_H

#include "fuse-mlir/Analysis/GroupShape.h"

namespace mlir::fuse {

/// The kind in `GroupShape::assumed` and in the option `assume`.
inline constexpr llvm::StringLiteral kAttention = "attention";

/// The shape of a group that is one attention, as the kernel to come will run
/// it: path `general` over the elements of the second contraction, with all
/// reductions in `roots`.
///
/// Legal are: a contraction (scores; with element-wise prologues of both
/// operands: views, transposes, casts, scales, heads that are broadcast to
/// groups of queries); from it to one operand of a second contraction a row
/// kernel (any form of softmax: scale, mask, bias, running or safe maximum);
/// and what element-wise follows, a transposition of the result included.
/// Nothing but results of the second contraction is used outside.
///
/// Refuses with `nested-reduction`, or the rule that a stage breaks.
FailureOr<GroupShape> analyzeAttention(ArrayRef<Operation *> ops,
                                       ArrayRef<Value> outputs,
                                       RuleViolation *why = nullptr);

/// If `first` is the first contraction of an attention: the operators from it
/// to the second one, in program order. Else none. What feeds the two (masks,
/// casts, transpositions) is not among them. Looks at no more than 96
/// operators.
SmallVector<Operation *> findAttention(Operation *first);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_ATTENTION_H
