// Plans graphs from files or text, for suites that compare plans.
#ifndef FUSE_MLIR_TOOLS_FUSE_BENCH_PLANGRAPHS_H
#define FUSE_MLIR_TOOLS_FUSE_BENCH_PLANGRAPHS_H

#include "fuse-mlir/Planner/PlanRequest.h"
#include "fuse-mlir/Planner/Report.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::fuse::bench {

/// A context with everything that a graph may hold; without threads, so that
/// CPU time is that of one core.
class GraphContext {
public:
  GraphContext();
  MLIRContext context;
};

/// A graph that is ready to be planned: normalized and classified.
OwningOpRef<ModuleOp> loadGraphFile(StringRef path, MLIRContext *context);
OwningOpRef<ModuleOp> loadGraphText(StringRef text, MLIRContext *context);

/// The report of a plan, and why candidates were refused: ids of rules with
/// numbers, the most frequent first.
struct PlannedGraph {
  PlanReport report;
  /// Sum of the predicted times.
  int64_t nanoseconds = 0;
  /// As planned: where the report counts what is emitted for a kernel that is
  /// still to come, these count that kernel.
  int64_t kernels = 0, bytes = 0;
  std::string refusals;
  /// Which operators share kernels: equal for equal plans of one module,
  /// written as numbers of operators.
  std::string partition;
};
FailureOr<PlannedGraph> planGraph(ModuleOp module, const PlanRequest &request);

} // namespace mlir::fuse::bench

#endif // FUSE_MLIR_TOOLS_FUSE_BENCH_PLANGRAPHS_H
