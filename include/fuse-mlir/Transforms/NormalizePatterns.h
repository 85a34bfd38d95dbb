// Rewrites to the normal form that planning starts from.
#ifndef FUSE_MLIR_TRANSFORMS_NORMALIZEPATTERNS_H
#define FUSE_MLIR_TRANSFORMS_NORMALIZEPATTERNS_H

namespace mlir {
class FunctionOpInterface;
class RewritePatternSet;
namespace fuse {

/// Takes aggregate operators apart (softmax, Winograd transforms, pack and
/// unpack), makes element-wise operators on tensors, `tensor.generate`,
/// `tensor.gather` and splats structured, and static `tensor.reshape` a pair
/// of views.
void populateDecomposePatterns(RewritePatternSet &patterns);

/// Takes transposed convolutions of TOSA apart, and makes its scatters
/// structured: each row of the result looks for the update that hits it.
void populateDecomposeTosaPatterns(RewritePatternSet &patterns);

/// Folds branches that broadcast a dimension if its size is 1, where the size
/// that it is broadcast to is the same one.
void foldRunTimeBroadcasts(FunctionOpInterface function);

/// Drops empty parts of concatenations, and makes one of equal parts a
/// broadcast.
void populateConcatPatterns(RewritePatternSet &patterns);

/// Makes calls that stand for a scatter (`matchScatterCall`) structured: each
/// element of the result takes the updates that hit it, in their order.
void populateScatterPatterns(RewritePatternSet &patterns);

/// Makes generics loops of the host whose results do not share their loops, or
/// keep elements that the body neither writes nor reads, or whose body no thread
/// can run; loops that no result has reductions, others parallel; and the results of a
/// reduction ones of the same order, transposed afterwards.
void populateIrregularResultPatterns(RewritePatternSet &patterns);

/// Lets contractions read what their factors were before they were widened by
/// operators of their own, and widen it in their bodies. Exact: a widened
/// element is the same wherever it is made.
void populateNarrowFactorsPatterns(RewritePatternSet &patterns);

/// Takes concatenations with single elements apart that only reductions of all
/// and slices of the rest read: reductions begin with the elements.
void populateSplitConcatsPatterns(RewritePatternSet &patterns);

/// Makes slices of a contraction that meet in an element-wise operator, and are
/// all that is read of it, contractions of slices of its factor.
void populateSplitContractionsPatterns(RewritePatternSet &patterns);

/// Drops results of `linalg.generic` that have no use, with what only they
/// need of the body, and replaces those that the body does not change by their
/// inits. The other results stay bit for bit the same.
void populateDropDeadResultsPatterns(RewritePatternSet &patterns);

} // namespace fuse
} // namespace mlir

#endif // FUSE_MLIR_TRANSFORMS_NORMALIZEPATTERNS_H
