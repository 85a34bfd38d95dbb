// Runs a function of a module in the LLVM dialect in this process.
#ifndef FUSE_RUN_EXECUTE_H
#define FUSE_RUN_EXECUTE_H

#include "Model.h"

#include <functional>

namespace mlir::fuse::run {

struct ExecuteOptions {
  /// Optimize the host code. Takes long for long functions.
  bool optimize = false;
  /// Copy what the function returns.
  bool wantsResults = true;
  /// Runs after the call, while GPU modules are still loaded.
  std::function<void()> beforeUnload;
};

/// Compiles `module` (LLVM dialect, with kernels as `gpu.binary`), calls
/// `model.entry` with `inputs` and copies what it returns into `results`. The
/// function takes and returns memref descriptors, expanded, as the lowering of
/// `func.func` leaves them. Memory that the function returns is freed.
LogicalResult execute(ModuleOp module, const Model &model,
                      std::vector<HostTensor> &inputs,
                      std::vector<HostTensor> &results,
                      const ExecuteOptions &options);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_EXECUTE_H
