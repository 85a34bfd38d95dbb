// How many machine instructions a kernel executes: `nvdisasm`'s instructions,
// weighted by how often the emulator ran the PTX that they were made for.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_MACHINECOUNTS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_MACHINECOUNTS_H

#include "fuse-mlir/Target/Nvdisasm.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::fuse::bench {

/// Executions of each line of a PTX text, from 1, by threads; idle threads of
/// a warp count as well.
using LineCounts = llvm::DenseMap<unsigned, double>;

/// The instructions that the threads of a launch of `kernel` execute. The
/// kernel's text is `ptx`, and `lines` are its counts in that launch.
///
/// A basic block of the machine code runs as often as its anchors: instructions
/// that stand for one of PTX each, such as loads, additions and shuffles. One
/// of PTX that stands in a block several times, because the assembler unrolled
/// a loop, runs as often for each of them. What the assembler puts beside the
/// way of ordinary numbers (subroutines for divisions by denormals) does not
/// run; subroutines for 64-bit integer divisions do.
double countMachineInstructions(const MachineKernel &kernel, StringRef ptx,
                                const LineCounts &lines);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_MACHINECOUNTS_H
