// Attention that is evaluated a tile of keys at a time.
#ifndef FUSE_MLIR_ANALYSIS_STREAMEDATTENTION_H
#define FUSE_MLIR_ANALYSIS_STREAMEDATTENTION_H

#include "fuse-mlir/Analysis/ContractionShape.h"
#include "fuse-mlir/Analysis/LaunchShape.h"

#include "llvm/ADT/DenseMap.h"

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

/// The keys that a query may see: from `first` to `last`, counted from its own
/// number in its head; without a bound if that is not known.
struct KeyRange {
  std::optional<int64_t> first, last;

  static KeyRange intersect(const KeyRange &a, const KeyRange &b);
  static KeyRange unite(const KeyRange &a, const KeyRange &b);
};

/// An attention that is evaluated by passes over the keys. One pass is enough
/// for the form
///
///     m = max(x),  e = exp(x - m),  l = sum(e),  weights = scale(e)
///
/// where `x` is made of the scores, each at its own place, in any way, and
/// `scale` are divisions and multiplications by values of the row (such as `l`)
/// and casts, in any order. In any other cascade, reductions have passes of
/// their own, and weights are evaluated as the source has them, in a last one,
/// which is the only one if there are no reductions.
struct StreamedAttention {
  ContractionShape scores, sums;
  /// The reductions that give m and l in one pass, if there are such; l is null
  /// if nothing needs it.
  Operation *maximum = nullptr, *sum = nullptr;
  /// `e` and `x - m`; the operator between them, `math.exp` or `math.exp2`.
  PlacedValue exponential, exponent;
  Operation *exponentiation = nullptr;
  /// In one pass: from `e` to what the second contraction multiplies, in order,
  /// and casts apart from scales.
  llvm::SmallVector<RowScale> scales;
  llvm::SmallVector<Operation *> casts;
  /// In one pass: weights of a row in which every x is -inf are replaced by
  /// zeros, the results of `masked`.
  Operation *masked = nullptr;
  /// Passes before the one of the weights, with the reductions of each; m and l,
  /// which are not among them, belong to `onlinePass`. None if one pass is
  /// enough.
  llvm::SmallVector<llvm::SmallVector<Operation *>> passes;
  size_t onlinePass = 0;
  /// No other keys add anything: causal masks and sliding windows.
  KeyRange keys;

  /// Whether `e` is rounded to fewer bits before values are summed up by it, so
  /// that the hardware's approximation of it is as good.
  bool mayApproximate() const;
  /// Whether m, l and the sums of values grow together.
  bool isOnline() const { return maximum && passes.empty(); }
  /// How often the scores are evaluated.
  int64_t countPasses() const { return int64_t(passes.size()) + 1; }
  /// In how many passes each operator of the cascade of `shape` is evaluated;
  /// those that are not among them, in none.
  llvm::DenseMap<Operation *, int64_t>
  countEvaluations(const GroupShape &shape) const;
  /// The first step of `tile` along the keys for the queries of tile number
  /// `number`.
  int64_t getFirstStep(const GroupShape &shape, const TileShape &tile,
                       int64_t number) const;
  /// Steps from there to the last key that one of them sees; at least one.
  int64_t countSteps(const GroupShape &shape, const TileShape &tile,
                     int64_t number) const;
  /// Whether several blocks may share the keys of a tile of queries: what they
  /// find can be put together.
  bool maySplit() const { return passes.empty(); }
  /// 32-bit words that a block leaves of a query for those that have other
  /// keys: the sums, and online m and a part of l of each thread.
  int64_t countSharedWords(TileUnit unit) const;
  /// How lanes store the sums of values, `unit` having summed them up.
  ResultLayout getResults(const GroupShape &shape, TileUnit unit) const;
  /// The same for all tiles of a head together.
  int64_t countAllSteps(const GroupShape &shape, const TileShape &tile) const;
};

/// The parts of the attention `shape` if both contractions are matrix products
/// with sums in f32, and all queries of a head have the same keys. See
/// "Attention" in docs/Rationale.md for the order of the sums and why special
/// values come out as in the source.
std::optional<StreamedAttention> matchStreamed(const GroupShape &shape);

/// The best launch of `shape` with a tile of keys; nothing if its contractions
/// are no matrix products, or no tile fits a block.
std::optional<LaunchShape> chooseStreamed(const GroupShape &shape,
                                          bool mayUseMatrixUnits);
/// What the best launch takes, in clocks of a multiprocessor.
std::optional<double> getStreamedClocks(const GroupShape &shape);

} // namespace mlir::fuse

#endif // FUSE_MLIR_ANALYSIS_STREAMEDATTENTION_H
