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
  template <typename From, typename To>
  friend void fuse::copyPlanOptions(const From &, To &);

  void runOnOperation() override {
    Operation *op = getOperation();
    markAllAnalysesPreserved();
    PlanRequest request;
    copyPlanOptions(*this, request);
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
