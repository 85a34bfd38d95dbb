//===- Traffic.h - Counting what an access moves ------------------*- C++ -*-=//
//
// Sectors, wavefronts and requests of one warp access whose bounds are known
// to be good, and its record for the caches.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_TRAFFIC_H
#define FUSE_LIB_EMULATOR_TRAFFIC_H

#include "Access.h"

namespace mlir::fuse::emu {

/// Where the lanes of an access lie; idle lanes repeat an active one.
struct LaneShape {
  uint64_t low, high, bits; ///< Least and greatest address; all or-ed.
  bool contiguous;          ///< Full mask, lane l at low + l * bytes.
};
LaneShape shapeOf(const uint64_t *addresses, uint32_t mask, unsigned bytes);

/// All lanes of `mask` in the allocation of `span`.
void countGlobal(Warp &w, const Inst &i, const Span &span, uint32_t mask,
                 const uint64_t *addresses, const LaneShape &shape,
                 unsigned bytes, AccessKind kind);
/// The lanes of an access that are in one of several allocations.
struct GlobalPart {
  Span span;
  uint32_t mask;
};
void countGlobalParts(Warp &w, const Inst &i, const GlobalPart *parts,
                      size_t numParts, const uint64_t *addresses,
                      unsigned bytes, AccessKind kind);
void countShared(Warp &w, const Inst &i, uint32_t mask,
                 const uint64_t *addresses, const LaneShape &shape,
                 unsigned bytes, AccessKind kind);
void countLocal(Warp &w, const Inst &i, uint32_t mask,
                const uint64_t *addresses, unsigned bytes, AccessKind kind);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_TRAFFIC_H
