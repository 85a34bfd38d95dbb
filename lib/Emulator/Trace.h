//===- Trace.h - What one block does, line by line ----------------*- C++ -*-=//
#ifndef FUSE_LIB_EMULATOR_TRACE_H
#define FUSE_LIB_EMULATOR_TRACE_H

#include "Machine.h"

namespace mlir::fuse::emu {

/// Appends the line of `inst`, which `mask` is about to execute, and the values
/// it reads to the worker's trace.
void traceBefore(Warp &warp, const Inst &inst, uint32_t mask);
/// Appends the values that it wrote.
void traceAfter(Warp &warp, const Inst &inst, uint32_t mask);

} // namespace mlir::fuse::emu

#endif // FUSE_LIB_EMULATOR_TRACE_H
