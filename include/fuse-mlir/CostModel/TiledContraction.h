// What a kernel on path `tile` does: how often its operands are read, and what
// it issues, both with the results and sums that fill up the last tiles.
#ifndef FUSE_MLIR_COSTMODEL_TILEDCONTRACTION_H
#define FUSE_MLIR_COSTMODEL_TILEDCONTRACTION_H

#include "fuse-mlir/CostModel/Traffic.h"

namespace mlir::fuse::cost {

/// Totals over a tiled kernel.
struct TileWork {
  /// Products, and the lane slots that they and the accesses to shared memory
  /// take (docs/CostModel.md).
  double products = 0, slots = 0;
  /// Of these, slots of f64 and integer units.
  double f64 = 0, integer = 0;
  /// Times that warps read 128 bytes of shared memory.
  double wavefronts = 0;
  /// 32-bit registers of a thread for sums and fragments.
  double registers = 0;
  /// Products of f16 that take the matrix units as long as those of the kernel;
  /// 0 on path `tile` without these.
  double halfProducts = 0;
};

/// `launch` has a tile.
TileWork getTileWork(const GroupShape &shape, const LaunchShape &launch);

/// Elements of `op` that a tiled kernel of `shape` gets at once: those of an
/// asynchronous copy if `op` pads one of its factors with zeros, none of which
/// are beside elements in the last dimension; else one.
double countCopiedTogether(const GroupShape &shape, Operation *op);

/// Sectors of `reads[number]`, which is in the loop along the sums of a
/// contraction: each block reads what its tile needs once, as its threads take
/// the pieces of the tile.
AccessTraffic countOperand(const GroupShape &shape, const LaunchShape &launch,
                           ArrayRef<PlacedRead> reads, size_t number,
                           OpFactsCache &cache);

/// The tensor that a factor is kept of; null if it is computed in the body.
Value getFactor(const ContractionShape &contraction, bool isLeft);

/// The contraction in whose loop along the sums `access` is read; null if it is
/// no such read.
Operation *getTileOperandOf(const PlacedAccess &access);

/// Whether two contractions that are walked along together read one factor at
/// `a` and `b`, which is kept once. `a` and `b` are reads of the same tensor in
/// their loops.
bool isSharedFactor(const GroupShape &shape, const PlacedAccess &a,
                    const PlacedAccess &b);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_TILEDCONTRACTION_H
