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
  /// How much LLVM optimizes kernels, 0 to 3.
  unsigned optLevel = 3;
  /// Verify after each pass, not only at the end of a step.
  bool verifyEach = true;
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

/// Runs the passes of `fuse-plan` before the decision on `module` in place:
/// what is the same for all strategies.
LogicalResult prepare(ModuleOp module, const CompileOptions &options);

/// Decides which operators of a prepared `module` share a kernel, forms the
/// groups in place, and fills `result.report`.
LogicalResult decide(ModuleOp module, const CompileOptions &options,
                     CompileResult &result);

/// Compiles a decided `module` in place: the rest of `fuse-to-ptx` with
/// host=llvm. Assembles the kernels where `ptxas` is there, and completes
/// `result`.
LogicalResult lower(ModuleOp module, const CompileOptions &options,
                    CompileResult &result);

/// The three of them.
LogicalResult compile(ModuleOp module, const CompileOptions &options,
                      CompileResult &result);

} // namespace mlir::fuse::run

#endif // FUSE_RUN_COMPILE_H
