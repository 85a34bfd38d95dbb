// The textual form of plan options, shared by passes and tools: names are
// resolved against the registries, and what is wrong is a located error.
#ifndef FUSE_MLIR_PLANNER_PLANREQUEST_H
#define FUSE_MLIR_PLANNER_PLANREQUEST_H

#include "fuse-mlir/Planner/Planner.h"

namespace mlir::fuse {

/// What a user writes.
struct PlanRequest {
  std::string mode = "all", strategy = "greedy", costModel = "analytic";
  /// Names of constraints; all registered ones if empty.
  std::vector<std::string> constraints;
  /// Shared library with cost models; none if empty.
  std::string costModelPlugin;
  /// See `PlanOptions::optimalLimit`.
  int64_t optimalLimit = kDefaultOptimalLimit;
  /// See `PlanBudgets`; 0 is no limit.
  int64_t maxRegisters = 0, maxSharedBytes = 0, maxPeakBytes = 0;
};

/// Copies what is asked for between any two that have these fields: requests,
/// options of passes and options of pipelines. Lists of `to` are empty before.
template <typename From, typename To>
void copyPlanOptions(const From &from, To &to) {
  to.mode = std::string(from.mode);
  to.strategy = std::string(from.strategy);
  to.costModel = std::string(from.costModel);
  to.costModelPlugin = std::string(from.costModelPlugin);
  to.optimalLimit = int64_t(from.optimalLimit);
  to.maxRegisters = int64_t(from.maxRegisters);
  to.maxSharedBytes = int64_t(from.maxSharedBytes);
  to.maxPeakBytes = int64_t(from.maxPeakBytes);
  for (const std::string &name : from.constraints)
    to.constraints.push_back(name);
}

/// Options with what they refer to. Constraints belong to the context.
struct ResolvedPlanOptions {
  std::unique_ptr<CostModel> costModel;
  PlanOptions options;
};

/// Resolves `request` for `op`, whose attached device is taken.
FailureOr<ResolvedPlanOptions> resolvePlanOptions(Operation *op,
                                                  const PlanRequest &request);

/// Plans all regions of `op`.
FailureOr<Plan> planOperation(Operation *op, const PlanOptions &options);

/// Name of the file that `op` came from; "module" if it has none.
std::string getModelName(Operation *op);

} // namespace mlir::fuse

#endif // FUSE_MLIR_PLANNER_PLANREQUEST_H
