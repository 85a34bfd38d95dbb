// Resolves textual plan options.
#include "fuse-mlir/Planner/PlanRequest.h"

#include "fuse-mlir/CostModel/Plugin.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fuse;

FailureOr<ResolvedPlanOptions>
fuse::resolvePlanOptions(Operation *op, const PlanRequest &request) {
  ResolvedPlanOptions resolved;
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
  if (failed(device))
    return failure();
  GroupConstraintRegistry &registry =
      dialect->getSlot<GroupConstraintRegistry>();
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
    resolved.options.constraints.push_back(constraint);
  }
  resolved.options.mode = *mode;
  resolved.options.strategy = *strategy;
  resolved.options.optimalLimit = request.optimalLimit;
  std::tuple<StringRef, int64_t, std::optional<int64_t> *> budgets[] = {
      {"max-registers", request.maxRegisters,
       &resolved.options.budgets.registers},
      {"max-shared-bytes", request.maxSharedBytes,
       &resolved.options.budgets.sharedBytes},
      {"max-peak-bytes", request.maxPeakBytes,
       &resolved.options.budgets.peakBytes}};
  for (auto [name, value, budget] : budgets) {
    if (value < 0)
      return op->emitError("expected option '")
             << name << "' to be at least 0, but got " << value;
    if (value > 0)
      *budget = value;
  }
  resolved.options.costModel = resolved.costModel.get();
  resolved.options.device = *device;
  return resolved;
}

std::string fuse::getModelName(Operation *op) {
  if (auto file = dyn_cast<FileLineColLoc>(op->getLoc()))
    return llvm::sys::path::stem(file.getFilename().getValue()).str();
  return "module";
}
