// fuse-check-cost-models: the contract of cost models, checked for users.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/CostModel/Contract.h"
#include "fuse-mlir/CostModel/Plugin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_CHECKCOSTMODELSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct CheckCostModels : fuse::impl::CheckCostModelsPassBase<CheckCostModels> {
  using CheckCostModelsPassBase::CheckCostModelsPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    Operation *op = getOperation();
    auto emitError = [&] { return op->emitError(); };
    CostModelRegistry &registry = op->getContext()
                                      ->getOrLoadDialect<FuseDialect>()
                                      ->getSlot<CostModelRegistry>();
    if (!costModelPlugin.empty() &&
        failed(loadCostModelPlugin(costModelPlugin, registry, emitError)))
      return signalPassFailure();
    FailureOr<DeviceInfo> device = getAttachedDevice(op);
    if (failed(device))
      return signalPassFailure();
    SmallVector<StringRef> specs = registry.names();
    if (!costModel.empty())
      specs = {costModel};
    ContractProbes probes(op->getContext());
    for (StringRef spec : specs)
      if (failed(check(spec, registry, probes, *device)))
        signalPassFailure();
  }

private:
  LogicalResult check(StringRef spec, const CostModelRegistry &registry,
                      const ContractProbes &probes, const DeviceInfo &device);
};
} // namespace

LogicalResult CheckCostModels::check(StringRef spec,
                                     const CostModelRegistry &registry,
                                     const ContractProbes &probes,
                                     const DeviceInfo &device) {
  Operation *op = getOperation();
  std::unique_ptr<CostModel> model =
      registry.parse(spec, [&] { return op->emitError(); });
  if (!model)
    return failure();
  ContractOptions options;
  options.device = device;
  StringRef name = spec.split('{').first.trim();
  options.monotone = monotone.empty() ? name == "analytic" || name == "traffic"
                                      : llvm::is_contained(monotone, name);
  std::vector<ContractViolation> violations =
      checkCostModel(*model, probes.getProbes(), options);
  for (const ContractViolation &violation : violations)
    op->emitError("cost model '")
        << spec << "' is not " << violation.rule << ": " << violation.message;
  if (!violations.empty())
    return failure();
  llvm::outs() << "cost model '" << spec << "' keeps its contract on "
               << probes.getProbes().size() << " kernels"
               << (options.monotone ? ", monotone in bytes" : "") << "\n";
  return success();
}
