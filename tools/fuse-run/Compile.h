// The fusing side: a model to host code with PTX kernels, and what is known of
// the kernels without running them.
#ifndef FUSE_RUN_COMPILE_H
#define FUSE_RUN_COMPILE_H

#include "fuse-mlir/Planner/PlanRequest.h"
#include "fuse-mlir/Planner/Report.h"

#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse::run {

struct CompileOptions {
  std::string device = "h200";
  std::string chip;
  /// `fixed`, `strict` or, as the program says, empty.
  std::string fpOrder;
  PlanRequest plan;
  /// Ask `ptxas`, where it is there, for registers and spills.
  bool assemble = true;
};

/// One launch in the host program.
struct LaunchInfo {
  /// The kernel, and its function, which equal kernels share.
  std::string kernel, entry;
  std::optional<int64_t> grid, block;
};

/// What compilation leaves beside the module.
struct CompileResult {
  PlanReport report;
  SmallVector<LaunchInfo> launches;
  /// Why there are no figures of `ptxas`; empty if there are.
  std::string whyNotAssembled;
};

/// Runs `fuse-to-ptx` with host=llvm on `module` in place, assembles the
/// kernels where `ptxas` is there, and fills `result`.
LogicalResult compile(ModuleOp module, const CompileOptions &options,
                      CompileResult &result);

/// The program as planned, printed: programs with equal texts compile to equal
/// code. `module` stays as it is.
FailureOr<std::string> printPlan(ModuleOp module,
                                 const CompileOptions &options);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_COMPILE_H
