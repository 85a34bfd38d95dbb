// Measurements in processes of their own: with a limit on CPU time, with a peak
// of memory that belongs to them alone, and with nothing left behind.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_CHILD_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_CHILD_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::fuse::bench {

/// Runs `body` in a child process that may use `seconds` of CPU time, and gives
/// what it returns. Fails, and says why, if the child ran out of time, ended
/// otherwise, or returned nothing.
FailureOr<llvm::json::Object>
runInChild(double seconds, function_ref<FailureOr<llvm::json::Object>()> body,
           std::string &why);

/// CPU seconds (user and system) that this process has used.
double getCpuSeconds();
/// Bytes of physical memory that this process holds.
int64_t getResidentBytes();
/// The most of them since the last `resetPeakBytes`; since the start of the
/// process where the system cannot reset.
int64_t getPeakBytes();
void resetPeakBytes();

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_CHILD_H
