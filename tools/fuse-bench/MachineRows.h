// Rows of the suite `kernels` that count machine instructions.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_MACHINEROWS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_MACHINEROWS_H

#include "Bench.h"
#include "FuseRun.h"
#include "KernelGraphs.h"

namespace mlir::fuse::bench {

/// Adds a row `NAME/sass` for `graph`: machine instructions for each element
/// with the licence that the peer takes (`allowApproximations`), and in `exact`
/// those of the graph as it stands. A sample of the blocks runs. Without
/// `ptxas` or `nvdisasm` there is no value, and the row says so.
void addMachineRow(const FuseRun &fuseRun, const KernelGraph &graph,
                   const Settings &settings, Results &results);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_MACHINEROWS_H
