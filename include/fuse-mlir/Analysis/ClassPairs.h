// Which class of operator may join which, in which role, on which condition.
// The one table of the project: the planner asks it, docs/ClassPairs.md is
// printed from it.
#ifndef FUSE_MLIR_ANALYSIS_CLASSPAIRS_H
#define FUSE_MLIR_ANALYSIS_CLASSPAIRS_H

#include "fuse-mlir/IR/FuseDialect.h"

#include "llvm/Support/raw_ostream.h"

namespace mlir::fuse {

/// How two operators stand to each other in one kernel.
enum class FusionRole {
  /// The producer's elements are computed where the consumer reads them; they
  /// are not stored.
  Prologue,
  /// The consumer is computed where the producer's elements are made; the
  /// producer's may be stored as well.
  Epilogue,
  /// Neither needs the other.
  Sibling,
  /// The producer is computed in the consumer's kernel and elsewhere, too.
  Recompute,
};
inline constexpr unsigned kNumFusionRoles = 4;

/// On which condition a pair may share a kernel. The planner's legality rules
/// check the conditions; prices come after.
enum class PairCondition {
  Never,
  Always,
  Priced,
  RowLocal,
  EqualRows,
  OwnElement,
  EqualSpace,
  EqualParallel,
  ShortWindow,
};
inline constexpr unsigned kNumPairConditions = 9;

/// The condition for `producer` and `consumer` (for siblings: in program
/// order) in `role`.
PairCondition getPairCondition(OpClass producer, OpClass consumer,
                               FusionRole role);

llvm::StringLiteral stringifyFusionRole(FusionRole role);
llvm::StringLiteral describeFusionRole(FusionRole role);
/// The id of a condition, as reports print it.
llvm::StringLiteral stringifyPairCondition(PairCondition condition);
llvm::StringLiteral describePairCondition(PairCondition condition);

/// Prints the table as Markdown.
void printClassPairs(llvm::raw_ostream &os);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_CLASSPAIRS_H
