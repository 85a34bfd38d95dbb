//===- Access.h - From lane addresses to host memory --------------*- C++ -*-=//
//
// Every access of a kernel to memory passes through `resolve`: it checks
// bounds and alignment, counts the traffic, and yields host pointers.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_ACCESS_H
#define FUSE_LIB_EMULATOR_ACCESS_H

#include "Machine.h"

namespace mlir::fuse::emu {

struct Resolved {
  /// Inactive lanes alias an active one, so that loads may read all 32.
  alignas(64) uint8_t *ptr[32];
  bool contiguous = false; ///< Full mask, lane l at ptr[0] + l * bytes.
};

/// `addresses` are those of the instruction's state space. `bytes` is what
/// one lane accesses, a power of two up to 32.
void resolve(Warp &w, const Inst &i, uint32_t mask, const uint64_t *addresses,
             Space space, unsigned bytes, AccessKind kind, Resolved &out);

/// Adds base and offset of the instruction (slot `base`, `i.imm`).
inline void laneAddresses(Warp &w, const Inst &i, int32_t base,
                          uint64_t *addresses) {
  const uint64_t *b = w.reg<uint64_t>(base);
  for (unsigned l = 0; l < 32; ++l)
    addresses[l] = b[l] + uint64_t(i.imm);
}

/// Checked access of one lane, not counted; for printf and the like.
uint8_t *resolveLane(Warp &w, const Inst &i, unsigned lane, uint64_t address,
                     Space space, uint64_t bytes, bool write);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_ACCESS_H
