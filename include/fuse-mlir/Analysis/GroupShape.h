// Whether a set of operators can be one kernel, and how its elements map to
// the rows and columns that threads own. Planner, isolation, schedule selection
// and code generation all ask here.
#ifndef FUSE_MLIR_ANALYSIS_GROUPSHAPE_H
#define FUSE_MLIR_ANALYSIS_GROUPSHAPE_H

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/Analysis/IndexExpr.h"
#include "fuse-mlir/Analysis/TensorSizes.h"
#include "fuse-mlir/IR/FuseDialect.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/MapVector.h"

#include <string>
#include <vector>

namespace mlir::fuse {

/// Why a group is not legal: the id of a rule and a phrase with the values
/// that decided.
struct RuleViolation {
  std::string rule;
  std::string message;
};

/// The element of an output that the owner of (row = d0, column = d1) stores.
struct OutputSeed {
  Value value;
  llvm::SmallVector<AffineExpr> index;
  /// The output has one element per row; `index` depends on d0 only.
  bool perRow = false;
  /// The output has one element per column; `index` depends on d1 only.
  bool perColumn = false;

  /// The output has an element for each place of the space.
  bool isFull() const { return !perRow && !perColumn; }
};

struct KernelPart;

/// An index that only the running kernel knows: the counter of a reduction loop
/// that a thread runs, or a value from the data (a gathered row, an offset).
struct RunTimeIndex {
  /// Values are 0 .. size - 1; dynamic if nothing is known.
  int64_t size = 0;
  /// The reduction whose loop counts; null for a value from the data.
  Operation *loopOf = nullptr;
  /// Of kernels with rows: the data have one for each row.
  bool perRow = false;
  /// The reduction is one of `windows`.
  bool isWindow = false;
};

/// A place from which a kernel reads a tensor that it does not compute.
struct LeafAccess {
  Value value;
  /// Row-major number of the element, in (row = d0, column = d1) and in the
  /// run-time indices (symbols).
  AffineExpr linear;
  /// Conditions under which it is read: each of these expressions lies in
  /// 0 .. size - 1 (at the assumed sizes).
  llvm::SmallVector<std::pair<AffineExpr, int64_t>, 1> guards;
};

/// One axis of the space of path `box`. The number of an element is the sum of
/// its indices times `stride`.
struct BoxAxis {
  int64_t size = 1, stride = 1;
  /// Indices of a block: the box has this many places along the axis.
  int64_t extent = 1;
  /// `size` and `stride` (at the assumed sizes) as sizes.
  AffineExpr places, step;
};

/// An operand of a `box` kernel that passes through shared memory.
struct BoxOperand {
  /// It is `outputs[number]`, else `accesses[number]`.
  bool isOutput = false;
  unsigned number = 0;
  /// The axes that it depends on, by their distance in memory.
  llvm::SmallVector<unsigned, 4> order;
};

/// How a group runs as one kernel.
///
/// - `Pointwise`: no reduction. `rows` is the number of elements of each
///   output, `columns` is 1.
/// - `Row`: every reduction runs over the columns of one rows × columns space.
///   A reduction's value at a row is used at that row only.
/// - `Column`: the same, but the rows are neighbours in memory, not the columns
///   (a reduction over an outer dimension).
/// - `Mixed`: as `Row`, with further reductions over the rows (`columnRoots`).
///   The value of one at a column is used by outputs with one element per
///   column only. Columns are neighbours in memory.
/// - `General`: one thread per element of the outputs; each reduction runs as
///   a sequential loop of the thread. `rows` is the number of elements.
/// - `Window`: as `General`; the reductions are short and run over windows of
///   an operand (pooling, depthwise convolutions).
/// - `Box`: no reduction, and operands with different axes contiguous in memory
///   (transposes). `rows` is the number of elements; `axes` are what it is the
///   product of. A block takes a box of places.
/// - `Tile`: contractions with the same numbers of batches, rows and columns,
///   and perhaps reductions of their rows. `rows` are the rows of all batches, one batch after
///   another, `columns` are columns; a product's element at a place is used at
///   that place only, and each output has an element for each place.
/// - `Packed`: `parts` run side by side, each on blocks of its own. `rows` is
///   the number of places of all parts' spaces, `roots` are those of all parts;
///   `rootLoops` and `outputs` are empty, the parts have them.
/// - `Attention`: `rows` × `columns` are the scores: queries × keys. `stages`
///   are three that each block runs one after another for the queries that it
///   owns: scores, the cascade from these to weights, and the sums of values by
///   weights with what follows. The last stage's outputs leave the chip, and
///   `stored` of the second one.
struct GroupShape {
  KernelPath path = KernelPath::Pointwise;
  /// What they are where sizes are known at run time only: see `sizes.assume`.
  int64_t rows = 0;
  int64_t columns = 1;
  /// The sizes of the group's tensors, and the space in their symbols. The
  /// first symbols of all index expressions are these.
  TensorSizes sizes;
  AffineExpr rowExtent, columnExtent;
  /// Reductions and contractions, in program order.
  llvm::SmallVector<Operation *> roots;
  /// Index of each loop of a root in (d0, d1). On the paths `General` and `Tile`
  /// the entries of reduction loops are null: they are run by the thread.
  llvm::MapVector<Operation *, llvm::SmallVector<AffineExpr>> rootLoops;
  llvm::SmallVector<OutputSeed> outputs;
  std::vector<KernelPart> parts;
  /// Path `Attention`. The loops of the two contractions are in (d0, d1) of
  /// their results and the number of the product, a symbol after those of
  /// `sizes`, which are the same for all stages. The space of the last stage is
  /// queries × elements of a value.
  std::vector<KernelPart> stages;
  /// Path `Attention`: neighbouring rows that use the same keys, and how many
  /// such sets of rows there are.
  int64_t queries = 0;
  AffineExpr queryExtent, headExtent;
  /// Path `Attention`: outputs of the second stage that are outputs of the
  /// kernel: statistics of rows, or values of each score's place.
  llvm::SmallVector<Value> stored;
  /// Path `Mixed`: those of `roots` that run over the rows.
  llvm::SmallVector<Operation *> columnRoots;
  /// Path `Tile`: the roots, in program order.
  llvm::SmallVector<ContractionShape> contractions;
  /// Path `Tile`: reductions over short windows (a depthwise convolution, pooling)
  /// that are evaluated for each element on the way to a factor. They are not
  /// among the roots.
  llvm::SmallVector<Operation *> windows;
  /// Path `Tile`: what follows needs the reductions of whole rows at their
  /// elements, and no warp holds a row: blocks whose tiles lie beside each other
  /// are a cluster, and exchange partial results.
  bool joinsRows = false;
  /// Paths `Column` and `Window`: this many rows from the first one are
  /// neighbours in memory.
  int64_t neighbours = 1;
  /// Path `Column`: `neighbours` (at the assumed sizes) as a size.
  AffineExpr neighbourExtent;
  /// Path `Row` and `Column`: no reduction needs another's result in its loop,
  /// and all outputs have one element per row. Each element of the space is
  /// needed once, and blocks may share a row.
  bool singlePass = false;
  /// Path `Box`: the axes, outermost first; all of them in the order in which
  /// threads lie along them, the fastest first; operands that threads would
  /// access in small pieces in that order.
  llvm::SmallVector<BoxAxis, 4> axes;
  llvm::SmallVector<unsigned, 4> order;
  llvm::SmallVector<BoxOperand, 2> boxed;
  /// Each place once, in the order in which they were found.
  std::vector<LeafAccess> accesses;
  /// What the symbols of `accesses` are.
  llvm::SmallVector<RunTimeIndex> runTimeIndices;
};

/// One part of a packed kernel. Nothing flows between parts: element-wise
/// operators may stand in several, reductions and contractions stand in one.
struct KernelPart {
  /// In program order, with the views, fills and constants that they need.
  llvm::SmallVector<Operation *> ops;
  llvm::SmallVector<Value> outputs;
  /// Pointwise, row or general.
  GroupShape shape;
};

/// The shape of the group of `ops` (in program order, one block) whose values
/// `outputs` are used outside. Sizes that are known at run time only are the
/// same where the operators say so (`TensorSizes`).
///
/// Refuses, with the rule in `why` (which may be null):
/// `no-output`, `unsupported-op`, `output-domain` (an output
/// has neither one element per thread nor one per row), `row-mismatch`
/// (reductions of different row structure), `nested-reduction` (a reduction
/// would be evaluated again for each element of another operator),
/// `shared-reduction` (outputs of different spaces need the same reduction),
/// `recompute-limit` (elements would be computed at too many places).
///
/// One space is tried first. Outputs that do not fit one, or that have nothing
/// in common, become parts of a packed kernel; portions of equally many places
/// are one part where that is legal. What none of these can take may be an attention.
FailureOr<GroupShape> analyzeGroup(ArrayRef<Operation *> ops,
                                   ArrayRef<Value> outputs,
                                   RuleViolation *why = nullptr);

/// Whether a group that breaks this rule is legal but needs several kernels:
/// its elements are computed in stages, or by different threads.
bool needsSeveralKernels(const RuleViolation &violation);

/// Whether code generation knows how to compute elements of `op`'s results.
bool isElementComputable(Operation *op);

/// Whether `op` sums up (or max'es, …) some loop: a linalg operator with at
/// least one reduction iterator.
bool isRootOp(Operation *op);

/// Whether the partial results of `op` over its reduction loops may be combined
/// in any order: each result is updated by one recognised associative combiner
/// whose other operand does not depend on the accumulator. Needed by the row
/// path.
bool hasCombinablePartials(Operation *op);

/// Index expressions of the operands of `op` that are needed for the element
/// `index` of result `resultNumber`. `loops` receives the index of each loop
/// (null for reduction loops) of a linalg operator.
llvm::SmallVector<AffineExpr> getLoopsOfResult(Operation *op,
                                               unsigned resultNumber,
                                               ArrayRef<AffineExpr> index);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_GROUPSHAPE_H
