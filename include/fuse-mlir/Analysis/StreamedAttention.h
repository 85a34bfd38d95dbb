// Attention whose softmax can be evaluated a tile of keys at a time.
#ifndef FUSE_MLIR_ANALYSIS_STREAMEDATTENTION_H
#define FUSE_MLIR_ANALYSIS_STREAMEDATTENTION_H

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/Analysis/LaunchShape.h"

#include <optional>

namespace mlir::fuse {

/// A scalar at a place of the space of scores: a value in the body of the
/// linalg operator `op`, with its loops as `index`, or, if `op` is null, the
/// element `index` of the tensor `value`. In (row = d0, column = d1).
struct PlacedValue {
  Operation *op = nullptr;
  Value value;
  llvm::SmallVector<AffineExpr> index;
};

/// A weight is divided (`arith.divf`) or multiplied (`arith.mulf`) by something
/// that is the same for all keys.
struct RowScale {
  Operation *by = nullptr;
  PlacedValue factor;
};

/// An attention of the form
///
///     m = max(x),  e = exp(x - m),  l = sum(e),  weights = scale(e)
///
/// where `x` is made of the scores, each at its own place, in any way, and
/// `scale` are divisions and multiplications by values of the row (such as `l`)
/// and casts, in any order.
struct StreamedAttention {
  ContractionShape scores, sums;
  /// The reductions that give m and l; l is null if nothing needs it.
  Operation *maximum = nullptr, *sum = nullptr;
  /// `e`; its operator, `math.exp` or `math.exp2`.
  PlacedValue exponential;
  Operation *exponentiation = nullptr;
  /// From `e` to what the second contraction multiplies, in order, and casts
  /// apart from scales.
  llvm::SmallVector<RowScale> scales;
  llvm::SmallVector<Operation *> casts;
  /// Weights of a row in which every x is -inf are replaced by zeros, the
  /// results of `masked`.
  Operation *masked = nullptr;
  /// x is -inf, chosen or added, where the number of the key is larger than
  /// that of the query (in its head) plus this: a causal mask.
  std::optional<int64_t> causalShift;

  /// Steps of `tile` along the keys until all further ones are masked for each
  /// query of tile number `number`; at least one.
  int64_t countSteps(const GroupShape &shape, const TileShape &tile,
                     int64_t number) const;
  /// The same for all tiles of a head together.
  int64_t countAllSteps(const GroupShape &shape, const TileShape &tile) const;
};

/// The parts of the attention `shape` if it has that form in f32, its
/// contractions are matrix products for several queries of each head, and its
/// results are not wider than weights that are rounded. Such an
/// attention may be evaluated in one pass over the keys: see "Attention" in
/// docs/Rationale.md for the order of the sums and why special values come out
/// as in the source.
std::optional<StreamedAttention> matchStreamed(const GroupShape &shape);

/// The best launch of `shape` in one pass over the keys, with a tile; nothing
/// if it has not that form, or no tile fits a block.
std::optional<LaunchShape> chooseStreamed(const GroupShape &shape,
                                          bool mayUseMatrixUnits);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_STREAMEDATTENTION_H
