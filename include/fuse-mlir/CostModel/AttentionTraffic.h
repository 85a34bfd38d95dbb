// What a kernel on path `attention` asks of memory and registers. The formulas
// are in docs/CostModel.md.
#ifndef FUSE_MLIR_COSTMODEL_ATTENTIONTRAFFIC_H
#define FUSE_MLIR_COSTMODEL_ATTENTIONTRAFFIC_H

#include "fuse-mlir/CostModel/Traffic.h"

#include "mlir/IR/ValueRange.h"

namespace mlir::fuse::cost {

/// Sectors of an attention. With a tile, each block reads its queries once and
/// all keys and values of their head; without, what the stages read again from
/// the caches is not counted.
KernelTraffic countAttention(const GroupShape &shape, const LaunchShape &launch,
                             ValueRange inputs, ValueRange outputs);

/// 32-bit registers of a thread.
double getAttentionRegisters(const GroupShape &shape,
                             const LaunchShape &launch);

} // namespace mlir::fuse::cost

#endif // FUSE_MLIR_COSTMODEL_ATTENTIONTRAFFIC_H
