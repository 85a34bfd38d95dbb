// Runs the fusing pipeline, watches the launches go by, asks `ptxas`.
#include "Compile.h"
#include "Progress.h"

#include "fuse-mlir/IR/FuseOps.h"
#include "fuse-mlir/IR/KernelBody.h"
#include "fuse-mlir/Pipelines/Pipelines.h"
#include "fuse-mlir/Target/PtxModule.h"
#include "fuse-mlir/Target/Ptxas.h"
#include "fuse-mlir/Transforms/Passes.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::fuse;
using namespace mlir::fuse::run;

namespace {
/// Collects kernels while they are still `fuse.kernel` and `fuse.launch`, and
/// says which pass is at work.
struct Watcher : public PassInstrumentation {
  Watcher(SmallVectorImpl<LaunchInfo> &launches,
          llvm::StringMap<KernelPath> &paths)
      : launches(launches), paths(paths) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (isa<ModuleOp>(op) && !pass->getArgument().empty())
      reportProgress(pass->getArgument());
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "fuse-select-schedules")
      op->walk([&](KernelOp kernel) {
        if (ScheduleAttr schedule = kernel.getScheduleAttr())
          paths[kernel.getKernelName()] = schedule.getPath();
      });
    if (pass->getArgument() != "convert-fuse-to-gpu")
      return;
    launches.clear();
    op->walk([&](LaunchOp launch) {
      LaunchInfo &info = launches.emplace_back();
      info.entry = launch.getKernel().getLeafReference().str();
      auto name = launch->getAttrOfType<StringAttr>(kKernelNameAttrName);
      info.kernel = name ? name.str() : info.entry;
      info.grid = getConstantIntValue(launch.getGrid());
      info.block = getConstantIntValue(launch.getBlock());
    });
  }

  SmallVectorImpl<LaunchInfo> &launches;
  llvm::StringMap<KernelPath> &paths;
};
} // namespace

namespace {
/// Passes that are run and verified as the options say.
struct Passes : public PassManager {
  // Some of the pipelines' passes are for functions: let them be nested.
  explicit Passes(ModuleOp module)
      : PassManager(module.getContext(), ModuleOp::getOperationName(),
                    Nesting::Implicit) {}

  LogicalResult runOn(ModuleOp module, const CompileOptions &options) {
    enableVerifier(options.verifyEach);
    return success(succeeded(run(module)) &&
                   (options.verifyEach || succeeded(verify(module))));
  }
};
} // namespace

/// Takes registers, spills and shared memory from `ptxas`.
static LogicalResult assemble(ModuleOp module, bool wanted,
                              CompileResult &result) {
  if (!wanted) {
    result.whyNotAssembled = "--assemble=false";
    return success();
  }
  std::optional<Ptxas> ptxas = Ptxas::find();
  if (!ptxas) {
    result.whyNotAssembled = "there is no ptxas";
    return success();
  }
  for (const PtxModule &ptx : collectPtxModules(module)) {
    reportProgress("ptxas");
    std::string message;
    FailureOr<SmallVector<KernelResources>> kernels =
        ptxas->assemble(ptx.text, ptx.chip, message);
    if (failed(kernels))
      return emitError(ptx.loc) << "ptxas refuses the kernels: " << message;
    for (const KernelResources &kernel : *kernels)
      for (GroupRow &row : result.report.groups) {
        if (row.entry != kernel.kernel)
          continue;
        row.registers = kernel.registers;
        row.spillBytes = kernel.spillStoreBytes + kernel.spillLoadBytes;
        row.sharedBytes = kernel.sharedBytes;
      }
  }
  return success();
}

/// Completes the rows by what was launched. A group that a user made and that
/// no one kernel can hold is split after planning: its parts get rows of their
/// own, with nothing predicted.
static void matchLaunches(CompileResult &result,
                          const llvm::StringMap<KernelPath> &paths) {
  PlanReport &report = result.report;
  for (const LaunchInfo &launch : result.launches) {
    GroupRow *row = report.findGroup(launch.kernel);
    if (!row) {
      row = &report.groups.emplace_back();
      row->name = launch.kernel;
      row->path = paths.lookup(launch.kernel);
    }
    row->entry = launch.entry;
  }
  llvm::erase_if(report.groups,
                 [](const GroupRow &row) { return row.entry.empty(); });
  report.kernels = static_cast<int64_t>(result.launches.size());
}

LogicalResult fuse::run::prepare(ModuleOp module,
                                 const CompileOptions &options) {
  FusePlanOptions plan;
  plan.device = options.device;
  plan.fpOrder = options.fpOrder;
  Passes pm(module);
  buildFusePreparePipeline(pm, plan);
  return pm.runOn(module, options);
}

LogicalResult fuse::run::decide(ModuleOp module, const CompileOptions &options,
                                CompileResult &result) {
  FuseDialect *dialect = module.getContext()->getOrLoadDialect<FuseDialect>();
  LastPlanReport &last = dialect->getSlot<LastPlanReport>();
  last.wantsRows = true;
  FormGroupsPassOptions form;
  copyPlanOptions(options.plan, form);
  Passes pm(module);
  pm.addPass(createFormGroupsPass(form));
  if (failed(pm.runOn(module, options)))
    return failure();
  if (!last.report)
    return module.emitError("the pipeline has made no plan");
  result.report = std::move(*last.report);
  last.report.reset();
  return success();
}

LogicalResult fuse::run::lower(ModuleOp module, const CompileOptions &options,
                               CompileResult &result) {
  llvm::StringMap<KernelPath> paths;
  FuseToPtxOptions pipeline;
  pipeline.chip = options.chip;
  pipeline.optLevel = options.optLevel;
  pipeline.host = "llvm";
  Passes pm(module);
  buildFuseGroupsToPtxPipeline(pm, pipeline);
  pm.addInstrumentation(std::make_unique<Watcher>(result.launches, paths));
  if (failed(pm.runOn(module, options)))
    return failure();
  matchLaunches(result, paths);
  return assemble(module, options.assemble, result);
}

LogicalResult fuse::run::compile(ModuleOp module, const CompileOptions &options,
                                 CompileResult &result) {
  return success(succeeded(prepare(module, options)) &&
                 succeeded(decide(module, options, result)) &&
                 succeeded(lower(module, options, result)));
}
