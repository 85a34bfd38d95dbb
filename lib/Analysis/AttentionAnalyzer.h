// Analysis of two contractions, the second of which needs the first, and of
// what lies between them, as one kernel.
#ifndef FUSE_MLIR_LIB_ANALYSIS_ATTENTIONANALYZER_H
#define FUSE_MLIR_LIB_ANALYSIS_ATTENTIONANALYZER_H

#include "SpaceAnalysis.h"

#include "fuse-mlir/Analysis/ContractionShape.h"

namespace mlir::fuse {

class AttentionAnalyzer {
public:
  AttentionAnalyzer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                    AnalysisCache &cache)
      : cache(cache), ops(ops), outputs(outputs),
        members(ops.begin(), ops.end()), sizes(cache.getSizes(ops)) {}

  FailureOr<GroupShape> run(RuleViolation &why);

private:
  using OpSet = llvm::SmallPtrSet<Operation *, 16>;

  LogicalResult refuse(const Twine &message);
  LogicalResult findRoots();
  LogicalResult findResults();
  LogicalResult findWeights();
  LogicalResult checkScores();
  LogicalResult checkCascade();
  void setRows(GroupShape found);
  LogicalResult checkElementwise(ArrayRef<Value> results);
  bool sumsAlongRows(const OutputSeed &weightsSeed) const;
  LogicalResult findScorePlace();
  /// Whether scores lie in the order of rows and columns.
  bool hasScoresInOrder() const;
  void findQueryExtent();
  LogicalResult checkValues();
  LogicalResult placeScores(GroupShape &stage);
  void placeProducts(linalg::LinalgOp op, SmallVectorImpl<AffineExpr> &loops);
  void findQueries(Operation *root, const GroupShape &stage);
  LogicalResult placeSums(GroupShape &stage, SmallVector<AffineExpr> &result,
                          AffineExpr &columns);
  void setQueries(AffineExpr queries, AffineExpr heads);
  void shareKeys();
  IndexRanges getPlaces(AffineExpr rows, AffineExpr columns) const;
  AffineExpr getProductSymbol() const {
    return getAffineSymbolExpr(sizes.getNumSymbols(), sums->getContext());
  }
  AffineExpr multiply(ArrayRef<AffineExpr> extents) const;
  LogicalResult checkRows(const GroupShape &stage, ArrayRef<AffineExpr> index,
                          const OpSet &given);
  SmallVector<Operation *> slice(ArrayRef<Value> values,
                                 const OpSet &stops) const;
  FailureOr<GroupShape> analyze(ArrayRef<Operation *> stage,
                                ArrayRef<Value> results);

  AnalysisCache &cache;
  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  /// Those of the last stage.
  SmallVector<Value> results;
  OpSet members;
  const TensorSizes sizes;
  RuleViolation violation;
  /// The contractions that make the scores and that sum up the values.
  Operation *scores = nullptr, *sums = nullptr;
  /// The operand of `sums` that is made of the scores.
  OpOperand *weights = nullptr;
  /// Reductions in between.
  SmallVector<Operation *> cascade;
  /// From scores to weights.
  SmallVector<Operation *> cascadeOps;
  GroupShape rows;
  IndexRanges ranges;
  /// The number of the score at a row and a column.
  AffineExpr scorePlace;
  GroupShape shape;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_ATTENTIONANALYZER_H
