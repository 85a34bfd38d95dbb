// How the threads of a warp share rows × columns sums, and how these grow by
// the product of two tiles, on the matrix units or by multiply-adds.
#ifndef FUSE_MLIR_LIB_CODEGEN_WARPTILE_H
#define FUSE_MLIR_LIB_CODEGEN_WARPTILE_H

#include "Fragments.h"

namespace mlir::fuse {

/// A factor of a product in shared memory: its tile and what widens its
/// elements before they are multiplied.
struct SharedFactor {
  const SharedTile *tile = nullptr;
  AffineExpr stage;
  ArrayRef<Operation *> casts;
};

/// The rows of a block, `warpRows` for each warp; each warp has all columns. A
/// thread has `getRows()` rows, and in each of them groups of `getWidth()`
/// neighbouring columns: sum number `(row * groups + group) * width + lane`.
/// `getTeam()` threads that follow each other share a row.
class WarpTile {
public:
  WarpTile(KernelContext &context, TileUnit unit, int64_t warpRows);

  int64_t getRows() const { return usesFragments ? warpRows / 8 : warpRows / 4; }
  int64_t getWidth() const { return usesFragments ? 2 : 4; }
  int64_t getTeam() const { return usesFragments ? 4 : 8; }
  /// Columns from the first one of a group to that of the next, of all threads.
  int64_t getGroupColumns() const { return usesFragments ? 8 : 32; }
  /// The warp's first row in the block's tile.
  AffineExpr getFirstRow() const { return firstRow; }
  /// A row of the thread in the block's tile.
  AffineExpr rowAt(int64_t row) const;
  /// The first column of a group.
  AffineExpr columnAt(int64_t group) const;

  /// Registers of the left factor for the matrix units: those of each step of
  /// the depth, and of these, of each 16 rows.
  using Fragments = SmallVector<SmallVector<Value>>;
  /// The fragments of the first `depth` steps of `tile`.
  Fragments loadRows(const SharedTile &tile, int64_t depth) const;
  /// The same from elements that a thread has as sums (`columns` of them are
  /// the depth).
  Fragments packRows(ArrayRef<Value> elements, int64_t columns) const;

  /// `sums` after adding the products with `right`, from its depth 0 on.
  SmallVector<Value> multiply(const Fragments &left, const SharedFactor &right,
                              ArrayRef<Value> sums) const;
  /// The same by multiply-adds in f32, in the order of the depth.
  SmallVector<Value> multiply(const SharedFactor &left,
                              const SharedFactor &right, int64_t depth,
                              ArrayRef<Value> sums) const;

private:
  SmallVector<Value> loadValues(const SharedFactor &factor, AffineExpr depth,
                                int64_t steps, int64_t count,
                                function_ref<AffineExpr(int64_t)> first) const;

  KernelContext &context;
  ElementEmitter &emitter;
  bool usesFragments;
  int64_t warpRows;
  AffineExpr firstRow, threadRow, threadColumn;
};

/// A copy of `op`, which has one scalar result, for other operands.
Value emitCopy(KernelContext &context, Operation *op, ValueRange operands);

} // namespace mlir::fuse

#endif // FUSE_MLIR_LIB_CODEGEN_WARPTILE_H
