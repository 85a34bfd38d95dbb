//===- Atomic.h - Read-modify-write operations on memory ----------*- C++ -*-=//
//
// The operations of atom and red, shared with the asynchronous reductions.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_ATOMIC_H
#define FUSE_LIB_EMULATOR_ATOMIC_H

#include "Ptx.h"

namespace mlir::fuse::emu {

class Decoder;

enum class AtomicOp : uint8_t {
  And,
  Or,
  Xor,
  Exch,
  Add,
  Inc,
  Dec,
  Min,
  Max,
  Cas
};

struct AtomicUpdate {
  AtomicOp op = AtomicOp::Add;
  RawType type;
  /// f32 adds flush subnormals, as they do in global memory.
  bool flush = false;
  unsigned bytes() const { return type.totalBits() / 8; }
};

/// Updates the cell (of up to 8 bytes) by a host atomic; the old value. `c` is
/// the new value of cas.
uint64_t updateCell(const AtomicUpdate &update, uint8_t *cell, uint64_t b,
                    uint64_t c);

/// Takes one of the operations, then the type; fails on a pair PTX has not.
AtomicUpdate takeAtomic(Decoder &d, bool async);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_ATOMIC_H
