//===- Bulk.h - What the bulk copies share ------------------------*- C++ -*-=//
//
// The forms with and without tensor maps: delivery to several blocks.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_BULK_H
#define FUSE_LIB_EMULATOR_BULK_H

#include "Async.h"
#include "Atomic.h"

namespace mlir::fuse::emu {

/// Visits the rank bits of the shared addresses of each block in `blocks`.
template <typename F>
void forBlocks(Warp &w, const Inst &i, unsigned lane, uint32_t blocks,
               F visit) {
  blocks &= 0xffff;
  uint32_t present = (uint32_t(1) << w.block->cluster->blocks.size()) - 1;
  if (!blocks || (blocks & ~present))
    trap(w, i, lane,
         "multicast to blocks that the cluster does not have: mask " +
             std::to_string(blocks));
  forLanes(blocks, [&](unsigned rank) {
    visit(rank == w.block->rank ? 0 : uint64_t(rank + 1) << sharedRankShift);
  });
}

/// Slot of the generic address of a tensor map, which may be a parameter.
int32_t mapAddress(Decoder &d, const RawOperand &operand);

/// The rest of `cp.async.bulk[.prefetch].tensor`.
void decodeTensorCopy(Decoder &d, bool prefetch);
/// The rest of `cp.reduce.async.bulk.tensor`.
void decodeTensorReduce(Decoder &d);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_BULK_H
