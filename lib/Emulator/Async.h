//===- Async.h - Barriers that asynchronous copies complete -------*- C++ -*-=//
//
// An mbarrier is a 64-bit word in shared memory with a layout of our own
// (programs may not look into it); copies, stores and reductions complete
// transactions on it.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_ASYNC_H
#define FUSE_LIB_EMULATOR_ASYNC_H

#include "Access.h"
#include "Decoder.h"

namespace mlir::fuse::emu {

/// Counts are 20 bits, transactions 21 with sign, as the manual allows.
struct MBarrier {
  uint32_t pending = 0, expected = 0;
  int32_t tx = 0;
  uint32_t phase = 0;
  static MBarrier unpack(uint64_t bits) {
    MBarrier b;
    b.pending = bits & 0xfffff;
    b.expected = (bits >> 20) & 0xfffff;
    b.tx = int32_t(uint32_t(bits >> 40) << 9) >> 9;
    b.phase = uint32_t(bits >> 63);
    return b;
  }
  uint64_t pack() const {
    return pending | uint64_t(expected) << 20 |
           uint64_t(uint32_t(tx) & 0x7fffff) << 40 | uint64_t(phase) << 63;
  }
  void settle() {
    if (pending || tx)
      return;
    phase ^= 1;
    pending = expected;
  }
};

/// The word at a shared or generic address; traps on a bad one.
uint64_t *barrierCell(Warp &w, const Inst &i, unsigned lane, uint64_t address);
/// `bytes` of an asynchronous operation have arrived.
void completeTx(Warp &w, const Inst &i, unsigned lane, uint64_t address,
                uint32_t bytes);

/// A shared address as it is, or a generic one.
inline Space sharedOrGeneric(uint64_t address) {
  return address & windowMask ? Space::None : Space::Shared;
}

/// Slot of the whole address of a memory operand, offset included.
int32_t fullAddress(Decoder &d, const RawOperand &operand);

/// A contiguous range is accessed as a warp would, 32 units of `unit` bytes
/// (a power of two up to 16 that divides address and size) at a time.
/// `visit(offset, pointer, bytes)` sees each unit.
template <typename F>
void accessRange(Warp &w, const Inst &i, unsigned lane, uint64_t address,
                 Space space, uint32_t bytes, unsigned unit, AccessKind kind,
                 F visit) {
  if (!bytes)
    return;
  // Reports a bad range with the thread that copies, not a lane of the loop.
  resolveLane(w, i, lane, address, space, bytes, kind != AccessKind::Load);
  for (uint32_t at = 0; at < bytes; at += 32 * unit) {
    unsigned count = std::min<uint32_t>(32, (bytes - at) / unit);
    alignas(64) uint64_t a[32];
    for (unsigned l = 0; l < 32; ++l)
      a[l] = address + at + uint64_t(unit) * (l < count ? l : 0);
    Resolved r;
    uint32_t mask = count == 32 ? fullMask : (1u << count) - 1;
    resolve(w, i, mask, a, space, unit, kind, r);
    for (unsigned l = 0; l < count; ++l)
      visit(at + unit * l, r.ptr[l], unit);
  }
}

/// The rest of `cp.reduce.async.bulk` after "cp.reduce".
void decodeReduceBulk(Decoder &d);
void addMbarrierOps(DecodeTable &table);
/// The rest of `cp.async.bulk` after "cp.async.bulk" was taken.
void decodeBulkCopy(Decoder &d);
/// The rest of `cp.async.mbarrier.arrive`.
void decodeCopyArrive(Decoder &d);
void decodeStoreAsync(Decoder &d);
void decodeStoreBulk(Decoder &d);
void decodeReduceAsync(Decoder &d);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_ASYNC_H
