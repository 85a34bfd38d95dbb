// Resolves textual plan options.
#include "fuse-mlir/Planner/PlanRequest.h"

#include "fuse-mlir/CostModel/Plugin.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;

/// Puts mode and strategy into `options`, or says what is wrong with them.
static LogicalResult resolveStrategy(Operation *op, const PlanRequest &request,
                                     PlanOptions &options) {
  std::optional<PlanMode> mode = parsePlanMode(request.mode);
  if (!mode)
    return op->emitError("expected mode 'all', 'producer-consumer' or "
                         "'sibling', but got '")
           << request.mode << "'";
  std::optional<PlanStrategy> strategy = parsePlanStrategy(request.strategy);
  if (!strategy)
    return op->emitError("expected strategy ")
           << listPlanStrategies() << ", but got '" << request.strategy << "'";
  if ((*strategy == PlanStrategy::Optimal || isPolicy(*strategy)) &&
      *mode != PlanMode::All)
    return op->emitError("expected mode 'all' with strategy '")
           << request.strategy << "', but got '" << request.mode << "'";
  if (request.optimalLimit <= 0)
    return op->emitError("expected optimal-limit above 0, but got '")
           << request.optimalLimit << "'";
  options.mode = *mode;
  options.strategy = *strategy;
  options.optimalLimit = request.optimalLimit;
  return success();
}

/// Puts the constraints that are named, all if none is, into `options`.
static LogicalResult resolveConstraints(Operation *op,
                                        const GroupConstraintRegistry &registry,
                                        const PlanRequest &request,
                                        PlanOptions &options) {
  SmallVector<StringRef> names(request.constraints.begin(),
                               request.constraints.end());
  if (names.empty())
    names = registry.names();
  for (StringRef name : names) {
    const GroupConstraint *constraint = registry.lookup(name);
    if (!constraint) {
      InFlightDiagnostic diag = op->emitError("unknown group constraint '")
                                << name << "'; known are ";
      llvm::interleaveComma(registry.names(), diag, [&](StringRef known) {
        diag << "'" << known << "'";
      });
      return diag;
    }
    options.constraints.push_back(constraint);
  }
  return success();
}

/// Puts the budgets that are not 0, which means none, into `budgets`.
static LogicalResult resolveBudgets(Operation *op, const PlanRequest &request,
                                    PlanBudgets &budgets) {
  std::tuple<StringRef, int64_t, std::optional<int64_t> *> all[] = {
      {"max-registers", request.maxRegisters, &budgets.registers},
      {"max-shared-bytes", request.maxSharedBytes, &budgets.sharedBytes},
      {"max-peak-bytes", request.maxPeakBytes, &budgets.peakBytes}};
  for (auto [name, value, budget] : all) {
    if (value < 0)
      return op->emitError("expected option '")
             << name << "' to be at least 0, but got " << value;
    if (value > 0)
      *budget = value;
  }
  return success();
}

FailureOr<ResolvedPlanOptions>
fuse::resolvePlanOptions(Operation *op, const PlanRequest &request) {
  ResolvedPlanOptions resolved;
  if (failed(resolveStrategy(op, request, resolved.options)))
    return failure();
  FuseDialect *dialect = op->getContext()->getOrLoadDialect<FuseDialect>();
  CostModelRegistry &models = dialect->getSlot<CostModelRegistry>();
  auto emitError = [&] { return op->emitError(); };
  if (!request.costModelPlugin.empty() &&
      failed(loadCostModelPlugin(request.costModelPlugin, models, emitError)))
    return failure();
  resolved.costModel = models.parse(request.costModel, emitError);
  if (!resolved.costModel)
    return failure();
  FailureOr<DeviceInfo> device = getAttachedDevice(op);
  if (failed(device) ||
      failed(resolveConstraints(op, dialect->getSlot<GroupConstraintRegistry>(),
                                request, resolved.options)) ||
      failed(resolveBudgets(op, request, resolved.options.budgets)))
    return failure();
  resolved.options.costModel = resolved.costModel.get();
  resolved.options.device = *device;
  return resolved;
}

std::string fuse::getModelName(Operation *op) {
  if (auto file = dyn_cast<FileLineColLoc>(op->getLoc()))
    return llvm::sys::path::stem(file.getFilename().getValue()).str();
  return "module";
}
