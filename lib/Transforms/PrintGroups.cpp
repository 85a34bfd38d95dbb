// fuse-print-groups: what fuse-form-groups would do, as tables.
#include "fuse-mlir/Transforms/Passes.h"

#include "fuse-mlir/Planner/PlanRequest.h"
#include "fuse-mlir/Planner/Report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_PRINTGROUPSPASS
#include "fuse-mlir/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

namespace {
struct PrintGroups : fuse::impl::PrintGroupsPassBase<PrintGroups> {
  using PrintGroupsPassBase::PrintGroupsPassBase;

  void runOnOperation() override {
    Operation *op = getOperation();
    markAllAnalysesPreserved();
    PlanRequest request;
    request.mode = mode;
    request.strategy = strategy;
    request.costModel = costModel;
    request.optimalLimit = optimalLimit;
    request.maxRegisters = maxRegisters;
    request.maxSharedBytes = maxSharedBytes;
    request.maxPeakBytes = maxPeakBytes;
    request.costModelPlugin = costModelPlugin;
    llvm::append_range(request.constraints, constraints);
    llvm::append_range(request.assume, assume);
    FailureOr<ResolvedPlanOptions> resolved = resolvePlanOptions(op, request);
    if (failed(resolved))
      return signalPassFailure();
    FailureOr<Plan> plan = planOperation(op, resolved->options);
    if (failed(plan))
      return signalPassFailure();
    PlanReport report =
        makeReport(*plan, op, resolved->options, getModelName(op), costModel);
    printReport(report, llvm::outs(), decisions);
  }
};
} // namespace
