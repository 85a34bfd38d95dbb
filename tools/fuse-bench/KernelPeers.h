// Kernels that another compiler made, run on the emulator beside ours.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_KERNELPEERS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_KERNELPEERS_H

#include "Bench.h"
#include "KernelGraphs.h"

#include "fuse-mlir/Emulator/Counters.h"

#include "llvm/Support/JSON.h"

namespace mlir::fuse::bench {

/// A kernel of another compiler and what one launch of it executed.
struct PeerKernel {
  /// The folder's name.
  std::string name;
  /// The same work as a graph of ours.
  KernelGraph graph;
  uint64_t threadInstructions = 0;
  /// 32-byte sectors between L1 and L2, and conflicts in shared memory.
  uint64_t sectors = 0, conflicts = 0;
};

/// The folders in `folder` that hold a kernel and that `settings` wants, sorted.
FailureOr<std::vector<std::string>> listPeers(StringRef folder,
                                              const Settings &settings);

/// Runs the kernel of `folder`: `kernel.ptx`, and a `case.json` with entry
/// (`kernel`), `grid`, `block`, `dynamic_shared_bytes` and `args`, in order:
/// buffers (`buffer`: a file of raw contents; `type`, `shape`) and scalars
/// (`type`, `value`). Nothing, without an error, if the kernel does what no
/// graph of ours does; failure, with `why`, if it cannot be run.
FailureOr<std::optional<PeerKernel>> runPeer(StringRef folder,
                                             std::string &why);

/// What `case.json` says.
FailureOr<llvm::json::Object> readPeerCase(StringRef folder, std::string &why);

/// Runs any such kernel, `values` in place of the integer arguments of these
/// names.
FailureOr<emu::LaunchStats>
launchPeer(StringRef folder,
           ArrayRef<std::pair<StringRef, int64_t>> values, std::string &why);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_KERNELPEERS_H
