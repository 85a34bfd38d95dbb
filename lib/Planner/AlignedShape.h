// Shapes of aligned kernels, written down without following each element.
#ifndef FUSE_MLIR_LIB_PLANNER_ALIGNEDSHAPE_H
#define FUSE_MLIR_LIB_PLANNER_ALIGNEDSHAPE_H

#include "PlanGraph.h"

#include "fuse-mlir/Analysis/IndexExpr.h"

namespace mlir::fuse::plan {

/// Makes shapes of kernels from their alignment. Keeps what it works out for
/// kinds of operators and types.
class AlignedShapes {
public:
  explicit AlignedShapes(const PlanGraph &graph) : graph(graph) {}

  /// The shape that `analyzeGroup` finds for `ops`, which are aligned and hang
  /// together, but without `rootLoops`. Nothing if it is not plain to see.
  std::optional<GroupShape> make(ArrayRef<unsigned> ops, ArrayRef<Value> reads,
                                 ArrayRef<Value> outputs,
                                 const Alignment &alignment,
                                 ArrayRef<Value> skewed);

private:
  /// An index of one kind of operator in one space: the kind, or the type, and
  /// the number of columns, negative for a space without rows.
  using Key = std::tuple<const void *, unsigned, int64_t>;

  bool takesPath(ArrayRef<unsigned> ops, ArrayRef<Value> outputs,
                 const Alignment &alignment, ArrayRef<Value> skewed);
  bool isSinglePass(ArrayRef<unsigned> ops) const;
  void addOutput(Value output);
  void addAccesses(unsigned op);
  AffineExpr getAccess(unsigned op, OpOperand &operand);
  AffineExpr getPlace(MLIRContext *context, int64_t places) const;

  const PlanGraph &graph;
  // Of the shape in the making:
  GroupShape shape;
  int64_t columns = 1;
  IndexRanges ranges;
  llvm::SmallDenseSet<Value, 16> inputs;
  llvm::SmallDenseSet<std::pair<Value, AffineExpr>, 16> seen;

  llvm::DenseMap<Key, AffineExpr> accesses;
  llvm::DenseMap<Key, SmallVector<AffineExpr>> stores;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_ALIGNEDSHAPE_H
