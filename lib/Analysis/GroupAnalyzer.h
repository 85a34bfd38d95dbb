// The analysis of a group whose elements are all in one space. Its parts have
// files of their own: GroupAnalyzer.cpp follows elements and places outputs,
// MixedShape.cpp and SpaceDirection.cpp choose among spaces, GroupShape.cpp has
// the other paths and decides.
#ifndef FUSE_MLIR_LIB_ANALYSIS_GROUPANALYZER_H
#define FUSE_MLIR_LIB_ANALYSIS_GROUPANALYZER_H

#include "SpaceAnalysis.h"

#include "fuse-mlir/Analysis/ContractionShape.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::fuse {

/// What a walk over a group has found so far. To try one of several ways, keep
/// a copy and go back to it.
struct SpaceWalk {
  GroupShape shape;
  IndexRanges ranges;
  llvm::DenseMap<std::pair<Operation *, unsigned>, AffineExpr> unknowns;
  llvm::DenseSet<std::pair<Value, AffineMap>> visited;
  llvm::DenseMap<Value, SmallVector<AffineExpr>> firstDemand;
  /// What each leaf (a value from outside) is read at, first access only.
  llvm::MapVector<Value, AffineExpr> leafAccess;
  llvm::DenseMap<std::pair<Value, AffineExpr>, unsigned> knownAccesses;
};

class GroupAnalyzer : private SpaceWalk {
public:
  /// `sizes` are those of a set of operators that holds `ops`.
  GroupAnalyzer(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                TensorSizes sizes, AnalysisCache &cache)
      : cache(cache), ops(ops), outputs(outputs),
        members(ops.begin(), ops.end()), sizes(std::move(sizes)) {}

  LogicalResult analyze();
  /// See `fuse::analyzeRows`.
  LogicalResult analyzeRows();
  /// See `fuse::analyzeEpilogue`.
  LogicalResult
  analyzeEpilogue(Value source, ArrayRef<AffineExpr> index, AffineExpr rows,
                  AffineExpr columns,
                  const llvm::SmallPtrSetImpl<Operation *> &given);
  /// The shape that an analysis has found, or into `why` the reason.
  FailureOr<GroupShape> conclude(LogicalResult result, RuleViolation *why);

private:
  /// For another walk over the same operators.
  explicit GroupAnalyzer(const GroupAnalyzer *of)
      : cache(of->cache), ops(of->ops), outputs(of->outputs),
        members(of->members), sizes(of->sizes), roots(of->roots),
        windows(of->windows) {}

  LogicalResult refuse(StringRef rule, const Twine &message) {
    violation = {rule.str(), message.str()};
    return failure();
  }
  SpaceWalk &walk() { return *this; }
  MLIRContext *context() const { return ops.front()->getContext(); }
  AffineExpr constant(int64_t value) const {
    return getAffineConstantExpr(value, context());
  }

  // Sizes.
  int64_t countElements(Value value) const {
    return sizes.assume(sizes.getElements(value));
  }
  static std::string print(AffineExpr size);

  // Paths.
  LogicalResult checkOps();
  LogicalResult analyzePointwise();
  bool readsTwice() const;
  LogicalResult analyzeRow();
  LogicalResult placeRows(bool asNeeded);
  LogicalResult analyzeMixed();
  LogicalResult analyzeGeneral();
  LogicalResult analyzeOrderedRow();
  LogicalResult placeRoot(Operation *op, unsigned keptDim);
  LogicalResult placeRoot(Operation *op, unsigned keptDim,
                          SmallVector<AffineExpr> loops);
  LogicalResult placeRootAsNeeded(Operation *op);

  // Contractions.
  LogicalResult analyzeTile();
  LogicalResult analyzeContractions();
  SmallVector<Operation *> findFactorWindows();
  LogicalResult placeTile(SmallVector<ContractionShape> contractions,
                          ArrayRef<Operation *> reductions);
  LogicalResult placeContraction(const ContractionShape &contraction);
  LogicalResult seedTileOutputs();
  LogicalResult seedTileOutput(Value value);
  LogicalResult checkReducedRows(ArrayRef<Operation *> reductions);
  LogicalResult placeReducedRoot(Operation *op);
  AffineExpr findTilePlace(const GroupAnalyzer &other, AffineExpr elements);
  std::optional<SmallVector<AffineExpr>> findTilePlace(Value value);
  void cutColumns(MutableArrayRef<ContractionShape> contractions,
                  ArrayRef<Operation *> reductions);

  // Rows and columns.
  bool startMixed(AffineExpr rows, AffineExpr columns, unsigned keptDim);
  LogicalResult placeMixedRoot(Operation *op);
  LogicalResult placeMixedRoot(Operation *op, unsigned keptDim);
  LogicalResult seedMixedOutputs();
  LogicalResult seedColumnOutput(Value value);

  // Directions.
  bool chooseDirection();
  AffineExpr getNeighbourExtent(AffineExpr access) const;
  AffineExpr getLargestAccess() const;
  AffineExpr getComputedAccess() const;
  double countSectors(unsigned dim) const;
  void chooseNearest();
  bool isSinglePass() const;
  bool isWindow();

  // Following elements.
  void start(KernelPath path, AffineExpr rows, AffineExpr columns);
  LogicalResult demand(Value value, SmallVector<AffineExpr> index);
  LogicalResult visit(Value value, SmallVector<AffineExpr> index);
  void demandLeaf(Value value, ArrayRef<AffineExpr> index);
  LogicalResult demandRoot(Operation *op, ArrayRef<AffineExpr> loops);
  LogicalResult demandOperands(Operation *op, ArrayRef<AffineExpr> loops);
  AffineExpr unknownIndex(Operation *op, unsigned number, AffineExpr size);
  bool usesUnknown(AffineExpr expr) const;

  // Outputs.
  LogicalResult seedOutputs(bool withColumns);
  LogicalResult seedOutput(Value value, bool withColumns);
  LogicalResult seedFullOutput(OutputSeed seed);
  AffineExpr findPlace(Value output);
  AffineExpr findRow(Value output);
  AffineExpr invertAccess(AffineExpr made, AffineExpr known,
                          AffineExpr elements, unsigned dims);
  LogicalResult placeOutput(const OutputSeed &seed);
  bool storesEachOnce(AffineExpr linear, AffineExpr elements, unsigned dims);

  AnalysisCache &cache;
  ArrayRef<Operation *> ops;
  ArrayRef<Value> outputs;
  llvm::SmallPtrSet<Operation *, 16> members;
  const TensorSizes sizes;
  llvm::SmallMapVector<Operation *, RootSizes, 4> roots;
  /// Those that are evaluated wherever they are needed, and are not among
  /// `roots`.
  llvm::SmallPtrSet<Operation *, 4> windows;
  /// Demands that are still to be followed.
  SmallVector<std::pair<Value, SmallVector<AffineExpr>>> pending;
  RuleViolation violation;
  /// Outputs with one element per column are followed.
  bool inColumns = false;
  /// Outputs of element-wise groups are placed by the operands they are made
  /// of.
  bool followOperands = false;
  /// Outputs with an element for each row are placed by the reductions that
  /// they are made of.
  bool followRows = false;
};

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_ANALYSIS_GROUPANALYZER_H
