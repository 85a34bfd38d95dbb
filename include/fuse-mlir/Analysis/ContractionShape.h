// Contractions by their maps and bodies: which loops of an operator are rows,
// columns, batches and sums of products.
#ifndef FUSE_MLIR_ANALYSIS_CONTRACTIONSHAPE_H
#define FUSE_MLIR_ANALYSIS_CONTRACTIONSHAPE_H

#include "fuse-mlir/Analysis/TensorSizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace mlir::fuse {

/// A linalg operator as `batches` products of `rows` × `depth` by `depth` ×
/// `columns` matrices. The operands may be read through any map (transposed,
/// strided, in windows) and be computed in the body (casts, scales).
struct ContractionShape {
  Operation *op = nullptr;
  /// Loops of each kind. Those of rows and columns are in the order of the
  /// result's dimensions, those of the sum in the order of the operator's
  /// loops. Sums run in this order: the last loop fastest.
  llvm::SmallVector<unsigned, 2> batchLoops, rowLoops, columnLoops, depthLoops;
  /// The sizes, in the symbols of the group's `TensorSizes`, and what they are
  /// assumed to be.
  AffineExpr batchExtent, rowExtent, columnExtent, depthExtent;
  int64_t batches = 1, rows = 1, columns = 1, depth = 1;
  /// The size of each loop.
  llvm::SmallVector<AffineExpr, 4> loopExtents;
  /// So many batches follow each other along the columns of one by the loops
  /// (`cutColumns`): heads of a row, images of a filter's pixels.
  AffineExpr sections;
  /// The two factors, values of the body: the left one depends on batches, rows
  /// and depth, the right one on batches, columns and depth.
  Value left, right;
  /// The operators of the body that multiply and add.
  Operation *multiply = nullptr, *add = nullptr;

  /// Exchanges both factors, and rows with columns.
  void transpose();
  /// Makes each `section` of the columns, which they are a multiple of, the
  /// columns of a batch of its own.
  void cutColumns(int64_t section, const TensorSizes &sizes);
  /// Whether both have the same numbers of batches, rows and columns.
  bool hasSpaceOf(const ContractionShape &other) const {
    return batchExtent == other.batchExtent && rowExtent == other.rowExtent &&
           columnExtent == other.columnExtent;
  }
};

/// Steps that the inner loops of the sum, but not all of them, make together,
/// up to 16: a convolution's window, and a row of it, the largest first.
llvm::SmallVector<int64_t> getWindows(const ContractionShape &contraction);
/// The largest of them that divides `depth`; 1 if there is none.
int64_t getWindow(const ContractionShape &contraction, int64_t depth);

/// The multiplication whose result the body of `op` adds to its only accumulator,
/// if it does nothing else with that; nullptr otherwise.
Operation *findProduct(linalg::LinalgOp op);

/// Whether `op` sums up products of two factors that do not depend on the same
/// loops, through whatever maps: a matrix product, that of a matrix and a
/// vector, or a convolution, a depthwise one included.
bool multipliesFactors(linalg::LinalgOp op);

/// `op` as a contraction: one result, that a body of the form
/// `acc + left * right` (integers or floats) updates, where no parallel loop is
/// missing in both factors, and each factor has a loop of its own. The columns
/// are the side that the last loop of the result belongs to. `sizes` are those
/// of a group that `op` belongs to. With `mayBeVector`, the left factor need
/// have no loop of its own: it is one row.
std::optional<ContractionShape> matchContraction(Operation *op,
                                                 const TensorSizes &sizes,
                                                 bool mayBeVector = false);

/// What is kept of a factor between memory and multiplication: the value before
/// casts that only widen it. `casts` receives these, in order.
Value getKeptFactor(Value factor,
                    llvm::SmallVectorImpl<Operation *> *casts = nullptr);

/// Whether the left (right) factors of two contractions are the same elements
/// of one tensor at each row (column) and step of the sum: what kernels that
/// walk along both keep once.
bool sharesFactor(const ContractionShape &a, const ContractionShape &b,
                  bool isLeft);

/// Whether a contraction of `all` before `number` shares a factor with it and
/// has as many steps, so that a kernel walks along both together.
bool keepsFactorOfEarlier(llvm::ArrayRef<ContractionShape> all, size_t number,
                          bool isLeft);

/// Whether the matrix units can multiply: f16 or bf16 factors, the same for
/// both, and f32 sums.
bool suitsMatrixUnits(const ContractionShape &contraction);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_CONTRACTIONSHAPE_H
