// What a kernel on path `attention` asks of memory and registers. The formulas
// are in docs/CostModel.md.
#ifndef FUSE_MLIR_COSTMODEL_ATTENTIONTRAFFIC_H
#define FUSE_MLIR_COSTMODEL_ATTENTIONTRAFFIC_H

#include "fuse-mlir/CostModel/TiledContraction.h"

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse::cost {

/// Sectors of an attention. With a tile, each block reads its queries once, the
/// keys that it visits in each pass, and their values; without, what the stages
/// read again from the caches is not counted.
KernelTraffic countAttention(const GroupShape &shape, const LaunchShape &launch,
                             ValueRange inputs, ValueRange outputs);

/// How often operators between the factors and the weights are evaluated for
/// each of their elements: passes, and what fills up the last tiles; less where
/// masks end walks early. Operators that are not in the map, once. Empty
/// without a tile.
llvm::DenseMap<Operation *, double> countWalks(const GroupShape &shape,
                                               const LaunchShape &launch);

/// How often each element of a factor is loaded, and computed if it is: queries
/// for each part of the keys, keys by each tile of queries that visits them, in
/// each pass, values in the last one. Empty without a tile.
llvm::SmallVector<std::pair<Value, double>>
countFactorReads(const GroupShape &shape, const LaunchShape &launch);

/// What the products of both contractions take in all passes, with the lines
/// that fill up tiles. `launch` has a tile.
TileWork getAttentionWork(const GroupShape &shape, const LaunchShape &launch);

/// Clocks that a block waits for the barriers and shuffles of its walks.
/// `launch` has a tile.
double getWalkClocks(const GroupShape &shape, const LaunchShape &launch,
                     double barrierClocks, double shuffleClocks);

/// 32-bit registers of a thread.
double getAttentionRegisters(const GroupShape &shape,
                             const LaunchShape &launch);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_ATTENTIONTRAFFIC_H
