// How an update of a reduction is recognised as one that can be split: what the
// two files that do so share.
#ifndef FUSE_MLIR_LIB_ANALYSIS_REDUCTIONMATCHER_H
#define FUSE_MLIR_LIB_ANALYSIS_REDUCTIONMATCHER_H

#include "fuse-mlir/Analysis/ReductionParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fuse {

class ReductionMatcher {
public:
  explicit ReductionMatcher(linalg::LinalgOp op)
      : op(op), accumulators(op.getRegionOutputArgs()),
        yielded(op.getBlock()->getTerminator()->getOperands()),
        taken(yielded.size()) {
    findDependent();
  }

  std::optional<llvm::SmallVector<ReductionPart, 2>> run();

private:
  void findDependent();
  bool isFree(Value value) const { return !dependent.contains(value); }
  bool matchMoments();
  void matchExtremes();
  bool matchPair(unsigned value, unsigned carried);
  bool matchExtreme(Value predicate);
  bool readPredicate(Value predicate, bool negated, ReductionPart &part);
  bool readComparison(arith::CmpFOp compare, bool negated, ReductionPart &part);
  bool readComparison(arith::CmpIOp compare, bool negated, ReductionPart &part);
  bool orientComparison(Value lhs, Value rhs, ReductionPart &part,
                        bool &swapped);
  bool matchUpdate(unsigned number);
  bool matchChoice(unsigned number);
  std::optional<unsigned> numberOf(Value accumulator) const {
    auto it = llvm::find(accumulators, accumulator);
    if (it == accumulators.end())
      return std::nullopt;
    return it - accumulators.begin();
  }
  bool isPosition(Value value);
  /// A type for the number of an iteration of the reduction loops.
  Type getPositionType();

  linalg::LinalgOp op;
  llvm::SmallVector<BlockArgument> accumulators;
  llvm::SmallVector<Value> yielded;
  /// Results that belong to a part.
  llvm::SmallVector<bool> taken;
  /// Values of the body that depend on an accumulator.
  llvm::DenseSet<Value> dependent;
  /// Comparisons of parts found so far: they read accumulators of others.
  llvm::DenseSet<Operation *> comparisons;
  llvm::SmallVector<ReductionPart, 2> parts;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_REDUCTIONMATCHER_H
