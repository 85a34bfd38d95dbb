//===- Call.h - Arguments in frames -------------------------------*- C++ -*-=//
//
// What calls of device functions and of the driver's functions share.
//
//===----------------------------------------------------------------------===//
#ifndef FUSE_LIB_EMULATOR_CALL_H
#define FUSE_LIB_EMULATOR_CALL_H

#include "Access.h"
#include "Decoder.h"

namespace mlir::fuse::emu {

uint8_t *frameMemory(Warp &w, unsigned lane, FramePlace place);
/// Writes to a frame by no access of the program, of which the checker of
/// uninitialised reads is told.
void writeFrame(Warp &w, unsigned lane, uint8_t *to, const void *from,
                uint64_t bytes);

/// The place of a `.param` variable; an error for any other operand.
FramePlace framePlace(Decoder &d, const RawOperand &operand);
/// Adds a place to the list that is being made in Program::operands, with its
/// sign bit set when it is relative.
void addPlace(Decoder &d, FramePlace place);
/// Place number `index` of the list of an instruction.
FramePlace placeAt(Warp &w, const Inst &i, unsigned index);

/// A call of `vprintf` or `__assertfail`; an error for any other name.
void decodeDriverCall(Decoder &d, const std::string &name,
                      const std::vector<RawOperand> &results,
                      const std::vector<RawOperand> &args);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_CALL_H
