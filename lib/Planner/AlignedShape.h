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
  explicit AlignedShapes(const PlanGraph &graph);

  /// The shape that `analyzeGroup` finds for `ops`, which are aligned and hang
  /// together, but without `rootLoops`. `reads` and `outputs` are values of the
  /// graph. Nothing if the shape is not plain to see.
  std::optional<GroupShape> make(ArrayRef<unsigned> ops,
                                 ArrayRef<unsigned> reads,
                                 ArrayRef<unsigned> outputs,
                                 const Alignment &alignment,
                                 ArrayRef<Value> skewed);

private:
  /// The spaces in which something has the same index: rows and columns,
  /// negative columns for a space without rows.
  using Space = std::pair<int64_t, int64_t>;
  /// Row-major numbers of the elements that an operator reads in one space, by
  /// operand; null where it does not look at the element.
  struct Accesses {
    Space space;
    SmallVector<AffineExpr, 3> places;
    /// See `isContiguous`; of all operands.
    bool contiguous = true;
  };

  bool takesPath(ArrayRef<unsigned> ops, ArrayRef<unsigned> reads,
                 ArrayRef<unsigned> outputs, const Alignment &alignment,
                 ArrayRef<Value> skewed);
  bool isSinglePass(ArrayRef<unsigned> ops) const;
  void addOutput(unsigned output);
  void addAccesses(unsigned op);
  void addAccess(unsigned base, AffineExpr place);
  const Accesses &getAccesses(unsigned op);
  AffineExpr getAccess(unsigned op, OpOperand &operand) const;
  AffineExpr getPlace(MLIRContext *context, int64_t places) const;
  Space getSpace() const {
    return {shape.rows, shape.path == KernelPath::Row ? columns : -columns};
  }

  const PlanGraph &graph;
  /// Elements of each value of the graph that is a ranked tensor.
  std::vector<int64_t> elements;
  // Of the shape in the making:
  GroupShape shape;
  int64_t columns = 1;
  IndexRanges ranges;
  /// All reads are of neighbours in memory.
  bool contiguous = true;
  /// Numbers of shapes: `input` of the last one that reads the value, `read` of
  /// the last one with an access to it, at `place` for a start.
  struct Mark {
    unsigned input = 0, read = 0;
    AffineExpr place;
  };
  std::vector<Mark> marks;
  unsigned number = 0;

  /// By kind of operator.
  std::vector<SmallVector<Accesses, 1>> accesses;
  using StoreKey = std::tuple<const void *, unsigned, int64_t, int64_t>;
  llvm::DenseMap<StoreKey, SmallVector<AffineExpr>> stores;
};

} // namespace mlir::fuse::plan

#endif // FUSE_MLIR_LIB_PLANNER_ALIGNEDSHAPE_H
